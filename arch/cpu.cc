#include "arch/cpu.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#elif defined(__linux__) && (defined(__arm__) || defined(__aarch64__))
#include <sys/auxv.h>
#endif

namespace arch {

const CpuFeatureName kCpuFeatureNames[] = {
    {kSsse3, "ssse3", 0},      {kSse41, "sse4.1", kSsse3}, {kAvx2, "avx2", kSse41},       {kBmi2, "bmi2", 0},
    {kShaNi, "sha", kSse41},   {kAvx512, "avx512", kAvx2}, {kGfni, "gfni", kSsse3},       {kVaes, "vaes", kAvx2},
    {kAesNi, "aesni", kSsse3}, {kNeon, "neon", 0},         {kArmAes, "aes", kNeon},       {kArmSha1, "sha1", kNeon},
    {kArmSha2, "sha2", kNeon}, {kArmSha3, "sha3", kNeon},  {kArmSha512, "sha512", kNeon}, {CpuFeature{}, nullptr, 0}};

namespace {

#if defined(__x86_64__) || defined(__i386__)

bool has(uint32_t reg, unsigned bit) {
    return (reg >> bit & 1) != 0;
}

/// XCR0: the register sets that the operating system saves (Intel SDM volume 1, section 13.3).
uint64_t enabled_state() {
    uint32_t low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return uint64_t{high} << 32 | low;
}

CpuFeatures detect() {
    uint32_t a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return 0;
    CpuFeatures found = 0;
    if (has(c, 9)) found |= kSsse3;
    if (has(c, 19)) found |= kSse41;
    if (has(c, 25)) found |= kAesNi;
    const uint64_t state = has(c, 27) ? enabled_state() : 0;
    const bool ymm_saved = (state & 0x06) == 0x06;
    const bool zmm_saved = (state & 0xe6) == 0xe6;
    const bool avx = has(c, 28) && ymm_saved;

    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return found;
    if (avx && has(b, 5)) found |= kAvx2;
    if (has(b, 8)) found |= kBmi2;
    if (has(b, 29)) found |= kShaNi;
    if (zmm_saved && has(b, 16) && has(b, 30) && has(b, 31)) found |= kAvx512;
    if (has(c, 8)) found |= kGfni;
    if (avx && has(c, 9)) found |= kVaes;
    return found;
}

#elif defined(__linux__) && defined(__aarch64__)

// Bits of AT_HWCAP: Linux arch/arm64/include/uapi/asm/hwcap.h.
CpuFeatures detect() {
    const unsigned long caps = getauxval(AT_HWCAP);
    CpuFeatures found = 0;
    if (caps & 1ul << 1) found |= kNeon;
    if (caps & 1ul << 3) found |= kArmAes;
    if (caps & 1ul << 5) found |= kArmSha1;
    if (caps & 1ul << 6) found |= kArmSha2;
    if (caps & 1ul << 17) found |= kArmSha3;
    if (caps & 1ul << 21) found |= kArmSha512;
    return found;
}

#elif defined(__linux__) && defined(__arm__)

// Bits of AT_HWCAP and AT_HWCAP2: Linux arch/arm/include/uapi/asm/hwcap.h.
CpuFeatures detect() {
    const unsigned long caps = getauxval(AT_HWCAP), caps2 = getauxval(AT_HWCAP2);
    CpuFeatures found = 0;
    if (caps & 1ul << 12) found |= kNeon;
    if (caps2 & 1ul << 0) found |= kArmAes;
    if (caps2 & 1ul << 2) found |= kArmSha1;
    if (caps2 & 1ul << 3) found |= kArmSha2;
    return found;
}

#else

CpuFeatures detect() {
    return 0;
}

#endif

/// Drops every feature whose prerequisites are not all there.
CpuFeatures with_prerequisites(CpuFeatures features) {
    // Prerequisites stand above what needs them, so one pass in order settles chains of them.
    for (const CpuFeatureName* f = kCpuFeatureNames; f->name; f++)
        if ((features & f->requires_) != f->requires_) features &= ~CpuFeatures{f->feature};
    return features;
}

const CpuFeatureName* find_feature(const char* name, unsigned length) {
    for (const CpuFeatureName* f = kCpuFeatureNames; f->name; f++)
        if (strlen(f->name) == length && memcmp(f->name, name, length) == 0) return f;
    return nullptr;
}

#if defined(__linux__) && defined(__aarch64__)

// Fields and part numbers: Arm Architecture Reference Manual, MIDR_EL1; Linux arch/arm64/include/asm/cputype.h.
CpuModel detect_model() {
    constexpr unsigned long kHwcapCpuid = 1ul << 11;
    if (!(getauxval(AT_HWCAP) & kHwcapCpuid)) return CpuModel::other;
    uint64_t midr;
    __asm__("mrs %0, midr_el1" : "=r"(midr));
    if ((midr >> 24 & 0xff) != 0x41) return CpuModel::other;  // designed by Arm
    switch (midr >> 4 & 0xfff) {
    case 0xd03:
        return CpuModel::cortex_a53;
    case 0xd05:
        return CpuModel::cortex_a55;
    default:
        return CpuModel::other;
    }
}

#else

CpuModel detect_model() {
    return CpuModel::other;
}

#endif

struct Selection {
    CpuFeatures features;
    char bad_item[64];
};

Selection select() {
    Selection s{with_prerequisites(detect()), {}};
    const char* mask = getenv("VERITYTOOL_CPU");
    if (!mask) return s;
    const char* bad = nullptr;
    unsigned length = 0;
    s.features = apply_cpu_mask(s.features, mask, &bad, &length);
    if (bad) {
        if (length > sizeof s.bad_item - 1) length = sizeof s.bad_item - 1;
        memcpy(s.bad_item, bad, length);
    }
    return s;
}

const Selection& selection() {
    static const Selection s = select();
    return s;
}

}  // namespace

CpuFeatures apply_cpu_mask(CpuFeatures features, const char* mask, const char** bad_item, unsigned* bad_length) {
    *bad_item = nullptr;
    while (*mask) {
        const unsigned length = static_cast<unsigned>(strcspn(mask, ","));
        const CpuFeatureName* named = length > 1 && *mask == '-' ? find_feature(mask + 1, length - 1) : nullptr;
        if (named) {
            features &= ~CpuFeatures{named->feature};
        } else if (!*bad_item) {
            *bad_item = length ? mask : ",";
            *bad_length = length ? length : 1;
        }
        mask += length;
        if (*mask == ',') mask++;
    }
    return with_prerequisites(features);
}

CpuFeatures cpu_features() {
    return selection().features;
}

CpuModel cpu_model() {
    static const CpuModel model = detect_model();
    return model;
}

const char* cpu_mask_error() {
    return selection().bad_item[0] ? selection().bad_item : nullptr;
}

}  // namespace arch
