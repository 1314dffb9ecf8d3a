#ifndef VERITYTOOL_CIPHERS_REGISTRY_H
#define VERITYTOOL_CIPHERS_REGISTRY_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "arch/cipher_core.h"
#include "arch/cpu.h"

/// The one table of cipher cores. Selection, `veritytool cores`, `--core`, tests and benchmarks all walk it.

namespace ciphers {

using arch::CipherFamily;

/// The function that a core of a family is; see arch/cipher_core.h.
template <CipherFamily>
struct CoreFunctionOf;
template <>
struct CoreFunctionOf<CipherFamily::chacha> : std::type_identity<StreamXor> {};
template <>
struct CoreFunctionOf<CipherFamily::salsa> : std::type_identity<StreamXor> {};
template <>
struct CoreFunctionOf<CipherFamily::hchacha> : std::type_identity<HChaChaMany> {};
template <>
struct CoreFunctionOf<CipherFamily::nh> : std::type_identity<NhMany> {};
template <>
struct CoreFunctionOf<CipherFamily::poly1305> : std::type_identity<Poly1305Many> {};
template <>
struct CoreFunctionOf<CipherFamily::aes> : std::type_identity<AesBlocks> {};
template <>
struct CoreFunctionOf<CipherFamily::aesxts> : std::type_identity<AesXtsSectors> {};
template <>
struct CoreFunctionOf<CipherFamily::adiantum> : std::type_identity<AdiantumPass> {};
template <CipherFamily family>
using CoreFunction = typename CoreFunctionOf<family>::type;

/// The number of families, and their names, which begin the names of their cores.
inline constexpr std::size_t kCipherFamilies = 8;
std::string_view name(CipherFamily family);

/// One implementation of one family's function.
struct CipherCore {
    std::string_view name;  ///< "chacha_neon"; also its file and symbol
    CipherFamily family;
    arch::CpuFeatures needs;  ///< what the processor must have
    unsigned lanes;           ///< units that a pass takes side by side (arch/cipher_core.h has the unit of each family)
    unsigned pass_cost;       ///< time of a pass, however full; comparable within a family (see arch/*/ciphers.def)
    std::variant<StreamXor*, HChaChaMany*, NhMany*, Poly1305Many*, AesBlocks*, AesXtsSectors*, AdiantumPass*> function;
};

/// All cores in this build, the architecture's own before the portable ones.
std::span<const CipherCore> cipher_cores();

/// Whether this processor, less what VERITYTOOL_CPU takes away, can run `core`.
bool usable(const CipherCore& core);

/// The core called `name`; null if this build has none.
const CipherCore* find_core(std::string_view name);

/// The usable core of `family` that is done soonest with `units` (1 or more) units. Decided once. Null only for the
/// adiantum family, where no core may be usable.
const CipherCore* best_core(CipherFamily family, std::size_t units);

/// Which cores an object computes with: for each family the fastest ones, or one that was asked for.
class Cores {
  public:
    /// The fastest.
    Cores() = default;

    /// `core`, which must be usable, for its family, and the fastest for the others.
    explicit Cores(const CipherCore& core) { use(core); }

    /// Takes `core`, which must be usable, for its family from here on.
    Cores& use(const CipherCore& core);

    /// Takes no core of the adiantum family from here on: hash and stream cipher pass over the message one after the
    /// other.
    Cores& use_separate_passes();

    /// The function to give `units` (1 or more) units to; null only for the adiantum family.
    template <CipherFamily family>
    CoreFunction<family>* function(std::size_t units) const {
        const CipherCore* core = this->core(family, units);
        return core != nullptr ? std::get<CoreFunction<family>*>(core->function) : nullptr;
    }

  private:
    const CipherCore* core(CipherFamily family, std::size_t units) const;

    std::array<const CipherCore*, kCipherFamilies> asked_for_{};
    bool separate_passes_ = false;
};

}  // namespace ciphers

#endif
