#ifndef VERITYTOOL_ARCH_CPU_H
#define VERITYTOOL_ARCH_CPU_H

#include <stdint.h>

/// What the processor can do, detected once.

namespace arch {

/// Instruction set extensions that some core needs, of all architectures, one bit each.
enum CpuFeature : uint32_t {
    kSsse3 = 1u << 0,
    kSse41 = 1u << 1,
    kAvx2 = 1u << 2,
    kBmi2 = 1u << 3,
    kShaNi = 1u << 4,
    kAvx512 = 1u << 5,  ///< F, BW and VL together
    kGfni = 1u << 6,
    kVaes = 1u << 7,
    kAesNi = 1u << 8,
    kNeon = 1u << 16,     ///< Advanced SIMD, in either state
    kArmAes = 1u << 17,   ///< ARMv8 AESE and its kin
    kArmSha1 = 1u << 18,  ///< ARMv8 SHA1C and its kin
    kArmSha2 = 1u << 19,  ///< ARMv8 SHA256H and its kin
    kArmSha3 = 1u << 20,  ///< ARMv8.2 EOR3, RAX1, XAR, BCAX
    kArmSha512 = 1u << 21
};

/// A set of CpuFeature bits.
using CpuFeatures = uint32_t;

/// One feature as users name it.
struct CpuFeatureName {
    CpuFeature feature;
    const char* name;       ///< as printed by `veritytool cores` and taken by VERITYTOOL_CPU
    CpuFeatures requires_;  ///< features without which this one is not used; they are taken away together
};

/// All features of all architectures, in the order of their bits; ends with a null name.
extern const CpuFeatureName kCpuFeatureNames[];

/// The features to use: those of the processor and operating system (cpuid and XCR0 on x86, the auxiliary vector on
/// ARM) less those that the environment variable VERITYTOOL_CPU takes away ("-avx512,-sha"). Constant from the first
/// call on. Items of VERITYTOOL_CPU that are not "-" and a known name take nothing away; see cpu_mask_error.
CpuFeatures cpu_features();

/// The first item of VERITYTOOL_CPU that is not "-" and a known name, as a NUL-terminated string; null if there is
/// none.
const char* cpu_mask_error();

/// `features` less those that `mask` takes away, as VERITYTOOL_CPU is read. An item that is not "-" and a known name
/// takes nothing away; *bad_item and *bad_length say where the first of them is (*bad_item is null if there is none).
CpuFeatures apply_cpu_mask(CpuFeatures features, const char* mask, const char** bad_item, unsigned* bad_length);

/// Processors on which cores stand in another order than elsewhere; arch/arm64/costs.def says why.
enum class CpuModel : uint8_t { other, cortex_a53, cortex_a55 };

/// The model of the processor that first called this: on AArch64 from MIDR_EL1, where the kernel lets programs read it
/// (HWCAP_CPUID).
CpuModel cpu_model();

}  // namespace arch

#endif
