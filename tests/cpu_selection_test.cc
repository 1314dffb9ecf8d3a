#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdlib>
#include <map>
#include <string>

#include "arch/cpu.h"
#include "tests/support/child_process.h"
#include "tests/support/hash_cores.h"

/// VERITYTOOL_CPU at work. It is read once in a process, so each value is tried in a child of its own: this process
/// itself never asks for the features. (A child is a fork, not a program started anew, which qemu-user could not do.)

namespace {

using arch::CpuFeatures;
using hashlib::HashAlgorithm;
using hashlib::HashCore;
using test::Bytes;
using test::to_hex;

constexpr char kVariable[] = "VERITYTOOL_CPU";

/// Runs `body` where VERITYTOOL_CPU has the given value.
bool passes_with(const std::string& mask, const std::function<void()>& body) {
    return test::passes_in_child([&] {
        setenv(kVariable, mask.c_str(), 1);
        body();
    });
}

/// The features of this processor with nothing taken away.
CpuFeatures detected_features() {
    void* shared = mmap(nullptr, sizeof(CpuFeatures), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) throw std::bad_alloc();
    auto& features = *static_cast<CpuFeatures*>(shared);
    if (!passes_with("", [&] { features = arch::cpu_features(); })) throw std::runtime_error("a child failed");
    const CpuFeatures found = features;
    munmap(shared, sizeof(CpuFeatures));
    return found;
}

CpuFeatures masked(CpuFeatures features, const std::string& mask) {
    const char* bad = nullptr;
    unsigned length = 0;
    return arch::apply_cpu_mask(features, mask.c_str(), &bad, &length);
}

/// A mask for each set of features that can be left when any of those that hash cores need are taken away.
std::map<CpuFeatures, std::string> all_masks(CpuFeatures detected) {
    CpuFeatures needed = 0;
    for (const HashCore& core : hashlib::hash_cores()) needed |= core.needs;
    std::map<CpuFeatures, std::string> masks = {{detected, ""}};
    for (const arch::CpuFeatureName* f = arch::kCpuFeatureNames; f->name != nullptr; f++) {
        if ((f->feature & needed) == 0) continue;
        const auto so_far = masks;
        for (const auto& [features, mask] : so_far) {
            const std::string longer = mask + (mask.empty() ? "-" : ",-") + f->name;
            masks.try_emplace(masked(detected, longer), longer);
        }
    }
    return masks;
}

/// Hashes random blocks with `core`, or what is chosen for them if it is null.
void check_digests(const HashAlgorithm& algorithm, const HashCore* core, test::Random& random) {
    const std::size_t block_size = random.between(1, 1200), count = random.between(1, 20);
    const Bytes salt = random.bytes(random.below(100)), blocks = random.bytes(count * block_size);
    Bytes digests(count * algorithm.digest_size);
    hashlib::BlockHasher(algorithm, salt, hashlib::SaltPosition::before, block_size, core)
        .hash(digests, algorithm.digest_size, blocks);
    for (std::size_t i = 0; i < count; i++) {
        Bytes message = salt;
        message.insert(message.end(), &blocks[i * block_size], &blocks[i * block_size] + block_size);
        ASSERT_EQ(to_hex(std::span(digests).subspan(i * algorithm.digest_size, algorithm.digest_size)),
                  to_hex(test::hash(algorithm, message, &test::portable_core(algorithm.family))))
            << algorithm.name << " with " << (core != nullptr ? core->name : "the best core") << ", block " << i
            << " of " << count << " of " << block_size << " bytes, salt " << salt.size();
        if (core == nullptr) {
            ASSERT_EQ(to_hex(test::hash(algorithm, message)),
                      to_hex(test::hash(algorithm, message, &test::portable_core(algorithm.family))))
                << algorithm.name << " in one piece of " << message.size() << " bytes";
        }
    }
}

TEST(CpuSelection, AllCoresWorkWithFewerFeatures) {
    const CpuFeatures detected = detected_features();
    for (const auto& [features, mask] : all_masks(detected)) {
        const auto body = [&features = features] {
            ASSERT_EQ(arch::cpu_features(), features);
            EXPECT_EQ(arch::cpu_mask_error(), nullptr);
            test::Random random;
            for (const HashAlgorithm& algorithm : hashlib::hash_algorithms()) {
                for (int i = 0; i < 5; i++) check_digests(algorithm, nullptr, random);
                for (std::size_t n = 1; n <= 2 * hashlib::kMaxLanes; n++)
                    EXPECT_EQ(hashlib::best_core(algorithm.family, n).needs & ~features, 0u);
                for (const HashCore& core : hashlib::hash_cores())
                    if (core.family == algorithm.family && hashlib::usable(core))
                        check_digests(algorithm, &core, random);
            }
        };
        EXPECT_TRUE(passes_with(mask, body)) << kVariable << "=" << mask;
    }
}

TEST(CpuSelection, PortableCoresServeWhereAllIsTakenAway) {
    std::string mask;
    for (const arch::CpuFeatureName* f = arch::kCpuFeatureNames; f->name != nullptr; f++)
        mask += (mask.empty() ? "-" : ",-") + std::string(f->name);
    EXPECT_TRUE(passes_with(mask, [] {
        EXPECT_EQ(arch::cpu_features(), 0u);
        for (const HashCore& core : hashlib::hash_cores())
            EXPECT_EQ(hashlib::usable(core), core.needs == 0) << core.name;
        for (std::size_t i = 0; i < hashlib::kHashFamilies; i++)
            EXPECT_EQ(hashlib::best_core(static_cast<hashlib::HashFamily>(i), 16).needs, 0u);
    }));
}

TEST(CpuSelection, NamesWhatItDoesNotKnow) {
    const CpuFeatures detected = detected_features();
    const auto error_with = [&](const std::string& mask, const std::string& error) {
        return passes_with(mask, [&] {
            EXPECT_EQ(arch::cpu_features(), masked(detected, mask));
            ASSERT_NE(arch::cpu_mask_error(), nullptr);
            EXPECT_EQ(arch::cpu_mask_error(), error);
        });
    };
    EXPECT_TRUE(error_with("-mmx", "-mmx"));
    EXPECT_TRUE(error_with("-sse4.1,avx2,-mmx", "avx2"));
    EXPECT_TRUE(error_with(",-avx2", ","));
    const std::string endless(1000, 'x');
    EXPECT_TRUE(error_with(endless, endless.substr(0, 63)));
}

TEST(CpuSelection, AddsNothing) {
    const CpuFeatures detected = detected_features();
    std::string mask;
    for (const arch::CpuFeatureName* f = arch::kCpuFeatureNames; f->name != nullptr; f++)
        mask += std::string("+") + f->name + "," + f->name + ",";
    EXPECT_TRUE(passes_with(mask, [&] { EXPECT_EQ(arch::cpu_features(), detected); }));
}

}  // namespace
