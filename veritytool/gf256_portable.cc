#include "arch/load_store.h"
#include "veritytool/gf256.h"

/// Products by a table of the factor's products with all bytes. Sharing a source's multiples by powers of x between
/// rows, a word of bytes at a time, costs 48 cycles per byte for 2 rows and 394 for 24, on armcost's Cortex-A7 model,
/// against 13 and 155.

namespace {

/// Adds factor * in to `sums`.
void multiply_add(std::uint8_t* sums, const std::uint8_t* in, std::size_t size, std::uint8_t factor) {
    // Multiplication distributes over the bits of a byte, highest bit and the rest.
    std::uint8_t products[256] = {0};
    for (unsigned bit = 1; bit < 256; bit *= 2) {
        const std::uint8_t product = verity::gf256_multiply(factor, static_cast<std::uint8_t>(bit));
        for (unsigned rest = 0; rest < bit; rest++)
            products[bit + rest] = static_cast<std::uint8_t>(product ^ products[rest]);
    }
    for (std::size_t b = 0; b < size; b += 4) {
        const std::uint32_t v = arch::load_le32(in + b);
        const std::uint32_t low = products[v & 0xff] | std::uint32_t{products[v >> 8 & 0xff]} << 8;
        const std::uint32_t high = products[v >> 16 & 0xff] | std::uint32_t{products[v >> 24]} << 8;
        arch::store_le32(sums + b, arch::load_le32(sums + b) ^ (low | high << 16));
    }
}

}  // namespace

extern "C" void gf256_portable(std::uint8_t* sums, std::size_t sums_stride, std::size_t rows, const std::uint8_t* in,
                               std::size_t in_stride, std::size_t sources, std::size_t size,
                               const std::uint8_t* factors) {
    for (std::size_t s = 0; s < sources; s++)
        for (std::size_t r = 0; r < rows; r++)
            multiply_add(sums + r * sums_stride, in + s * in_stride, size, factors[s * rows + r]);
}
