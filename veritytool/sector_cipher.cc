#include "veritytool/sector_cipher.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <new>
#include <string>

namespace verity {
namespace {

constexpr SectorAlgorithm kAlgorithms[] = {
    {"xchacha12,aes-adiantum-plain64", {32, 0}, 12},
    {"xchacha20,aes-adiantum-plain64", {32, 0}, 20},
    {"aes-xts-plain64", {64, 32}, 0},
};

Error usage(std::string message) {
    return {ErrorKind::usage, std::move(message)};
}

}  // namespace

std::span<const SectorAlgorithm> sector_algorithms() {
    return kAlgorithms;
}

const SectorAlgorithm* find_sector_algorithm(std::string_view name) {
    const auto found = std::ranges::find(kAlgorithms, name, &SectorAlgorithm::name);
    return found != std::end(kAlgorithms) ? found : nullptr;
}

Result<void> check_parameters(const SectorParameters& p) {
    if (!std::has_single_bit(p.sector_size) || p.sector_size < kMinSectorSize || p.sector_size > kMaxSectorSize)
        return usage("sector size " + std::to_string(p.sector_size) + " is not a power of two from " +
                     std::to_string(kMinSectorSize) + " to " + std::to_string(kMaxSectorSize));
    const std::uint64_t units = p.sector_size / kCryptUnit;
    if (p.iv_offset % units != 0)
        return usage("IV offset " + std::to_string(p.iv_offset) + " is not a multiple of " + std::to_string(units) +
                     ", the units of 512 bytes in a sector of " + std::to_string(p.sector_size) + " (" +
                     std::to_string(p.iv_offset % units) + " left over)");
    return {};
}

ciphers::SectorRun sector_run(const SectorParameters& p, std::uint64_t first) {
    const std::uint64_t units = p.sector_size / kCryptUnit;
    if (p.iv_large_sectors) return {p.sector_size, p.iv_offset / units + first, 1};
    return {p.sector_size, p.iv_offset + first * units, units};
}

SectorCipher::SectorCipher(const SectorAlgorithm& algorithm, std::span<const std::uint8_t> key)
    : memory_(sizeof(Mode)), mode_(nullptr, [](Mode* mode) { std::destroy_at(mode); }) {
    assert(algorithm.takes(key.size()));
    void* const place = memory_.bytes().data();
    if (algorithm.chacha_rounds != 0)
        mode_.reset(new (place) Mode(std::in_place_type<ciphers::Adiantum>, algorithm.chacha_rounds,
                                     key.first<ciphers::Adiantum::kKeySize>()));
    else
        mode_.reset(new (place) Mode(std::in_place_type<ciphers::AesXts>, key));
}

void SectorCipher::crypt(ciphers::Direction direction, std::span<std::uint8_t> sectors,
                         const ciphers::SectorRun& run) const {
    std::visit([&](const auto& mode) { mode.crypt_sectors(direction, sectors, sectors, run); }, *mode_);
}

}  // namespace verity
