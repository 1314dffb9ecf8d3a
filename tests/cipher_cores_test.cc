#include "tests/support/cipher_cores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <variant>

#include "arch/load_store.h"
#include "ciphers/aes.h"
#include "ciphers/poly1305.h"
#include "tests/support/abi_call.h"
#include "tests/support/guarded_memory.h"
#include "tests/support/word_call.h"

/// Every core called directly, as arch/cipher_core.h describes the call.

namespace {

using ciphers::CipherCore;
using ciphers::CipherFamily;
using test::Bytes;
using test::GuardedMemory;
using test::Random;

/// Memory that an argument points to.
struct Operand {
    std::string name;
    Bytes content;              ///< before the call
    std::size_t alignment = 1;  ///< at least
    bool written = false;       ///< the core may write to it; else nothing may change it
    std::size_t readable = 0;   ///< further bytes that the core may read
};

/// One call's arguments. A pointer is the index of an operand.
struct Call {
    struct Pointer {
        std::size_t operand;
    };
    struct Number {
        std::string name;
        std::size_t value;
    };
    std::vector<std::variant<Pointer, Number>> arguments;
    std::vector<Operand> operands;

    void add(Operand operand) {
        arguments.emplace_back(Pointer{operands.size()});
        operands.push_back(std::move(operand));
    }
    void add(const std::string& name, std::size_t value) { arguments.emplace_back(Number{name, value}); }

    std::size_t find(const std::string& name) const {
        const auto found = std::ranges::find(operands, name, &Operand::name);
        return static_cast<std::size_t>(found - operands.begin());
    }
    bool has(const std::string& name) const { return find(name) < operands.size(); }
};

enum class Edge { begin, end };

/// Where operands lie and whether `out` is `in`.
struct Placement {
    Edge edge = Edge::end;
    bool in_place = false;
    std::vector<std::size_t> offsets{};  ///< of operands from the edge; 0 where there is none
};

std::string describe(const CipherCore& core, const Call& call, const Placement& placement) {
    std::string text(core.name);
    text += placement.edge == Edge::begin ? ", behind a guard" : ", before a guard";
    if (placement.in_place) text += ", in place";
    for (const auto& argument : call.arguments) {
        if (const auto* number = std::get_if<Call::Number>(&argument))
            text += ", " + number->name + " " + std::to_string(number->value);
    }
    for (std::size_t i = 0; i < placement.offsets.size(); i++)
        if (placement.offsets[i] != 0)
            text += ", " + call.operands[i].name + " moved by " + std::to_string(placement.offsets[i]);
    return text;
}

/// What the arguments of a family's calls look like. `units` says how long the message is: bytes for a stream cipher,
/// nonces, or 16-byte blocks of one message; where a call takes several messages, `more` may add some.
class CallMaker {
  public:
    CallMaker(CipherFamily family, Random& random) : family_(family), random_(random) {}

    bool is_stream() const { return family_ == CipherFamily::chacha || family_ == CipherFamily::salsa; }
    std::size_t unit() const { return is_stream() ? 1 : 16; }

    Call make(std::size_t units) {
        Call call;
        switch (family_) {
        case CipherFamily::chacha:
        case CipherFamily::salsa:
            call.add({"state", random_.bytes(64), 64});
            set_counter(call, random_counter());
            add_rounds(call);
            add_message(call, units);
            call.add("length", units);
            break;
        case CipherFamily::hchacha:
            call.add({"key", random_.bytes(32), 64});
            add_rounds(call);
            call.add({"subkeys", random_.bytes(32 * units), 64, true});
            call.add({"nonces", random_.bytes(16 * units), 16});
            call.add("count", units);
            break;
        case CipherFamily::nh: {
            const std::size_t length = 16 * units, count = messages(length);
            const std::size_t stride = count > 1 || random_.coin() ? length + random_.between(0, 40) : length;
            add_nh_key(call, length);
            add_digests(call, length, count);
            call.add({"message", random_.bytes((count - 1) * stride + length)});
            call.add("stride", stride);
            call.add("length", length);
            call.add("count", count);
            break;
        }
        case CipherFamily::poly1305: {
            const std::size_t length = 16 * units, count = messages(length);
            const std::size_t stride = count > 1 || random_.coin() ? length + random_.between(0, 40) : length;
            add_poly1305_key(call);
            call.add({"sums", random_sums(count), 32, true});
            call.add({"message", extreme_or_random((count - 1) * stride + length)});
            call.add("stride", stride);
            call.add("blocks", units);
            call.add("count", count);
            call.add("top_bit", random_.below(4) > 0);
            break;
        }
        case CipherFamily::aes:
            add_aes_key(call);
            call.add("decrypt", random_.coin());
            add_message(call, 16 * units);
            call.add("blocks", units);
            break;
        case CipherFamily::aesxts: {
            const std::size_t sectors = messages(16 * units);
            add_aes_key(call);
            call.add("decrypt", random_.coin());
            add_message(call, 16 * units * sectors);
            call.add({"tweaks", random_.bytes(16 * sectors), 16});
            call.add("sector_blocks", units);
            call.add("sectors", sectors);
            break;
        }
        case CipherFamily::adiantum: {
            const std::size_t length = 16 * units, count = messages(length);
            add_nh_key(call, length);
            call.add({"subkeys", random_.bytes(32 * count), 64});
            add_rounds(call);
            add_digests(call, length, count);
            // The last sector's right-hand block is not there at all.
            add_message(call, count * (length + 16) - 16);
            call.add("length", length);
            call.add("count", count);
            break;
        }
        }
        return call;
    }

    void set_counter(Call& call, std::uint64_t counter) const {
        std::uint32_t words[16];
        std::memcpy(words, call.operands[0].content.data(), sizeof words);
        const std::size_t at = family_ == CipherFamily::chacha ? 12 : 8;
        words[at] = static_cast<std::uint32_t>(counter);
        words[at + 1] = static_cast<std::uint32_t>(counter >> 32);
        std::memcpy(call.operands[0].content.data(), words, sizeof words);
    }

    static constexpr std::size_t kMostBytes = 24000;

  private:
    /// How many messages of `length` bytes to put into a call: often one or enough to fill and overfill lanes.
    std::size_t messages(std::size_t length) {
        const std::size_t most = std::min<std::size_t>(kMostBytes / (length + 40), 40);
        return most < 2 || random_.coin() ? 1 : random_.between(1, most);
    }

    std::uint64_t random_counter() {
        const std::uint64_t carry = random_.coin() ? std::uint64_t{1} << 32 : 0;
        return random_.coin() ? random_.word() : carry - random_.between(0, 20);
    }

    Bytes extreme_or_random(std::size_t size) {
        return random_.below(4) == 0 ? Bytes(size, random_.coin() ? 0xff : 0) : random_.bytes(size);
    }

    void add_rounds(Call& call) { call.add("rounds", std::array<std::size_t, 3>{8, 12, 20}[random_.below(3)]); }

    void add_message(Call& call, std::size_t size) {
        call.add({"out", random_.bytes(size), 1, true});
        call.add({"in", random_.bytes(size)});
    }

    void add_nh_key(Call& call, std::size_t length) {
        const std::size_t units = std::min<std::size_t>(length, arch::kNhChunk) / 16;
        call.add({"key", extreme_or_random(4 * (4 * units + 12)), 16, false, 64});
    }

    void add_digests(Call& call, std::size_t length, std::size_t count) {
        const std::size_t chunks = (length + arch::kNhChunk - 1) / arch::kNhChunk;
        call.add({"digests", random_.bytes(arch::kNhDigest * chunks * count), 32, true});
    }

    void add_poly1305_key(Call& call) {
        const Bytes r = extreme_or_random(16);
        const ciphers::Poly1305Multiplier multiplier(std::span<const std::uint8_t, 16>{r});
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(&multiplier.key());
        call.add({"key", Bytes(bytes, bytes + sizeof(arch::Poly1305Key)), 64});
    }

    Bytes random_sums(std::size_t count) {
        std::vector<arch::Poly1305Sum> sums(count);
        for (arch::Poly1305Sum& sum : sums) {
            const bool extreme = random_.below(4) == 0;
            for (std::uint32_t& limb : sum.limb) limb = static_cast<std::uint32_t>(random_.word());
            for (std::size_t k = 0; k < 5; k++)
                sum.limb[k] = extreme ? (1u << 27) - 1 - (sum.limb[k] & 1) : sum.limb[k] & ((1u << 27) - 1);
        }
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(sums.data());
        return {bytes, bytes + count * sizeof(arch::Poly1305Sum)};
    }

    void add_aes_key(Call& call) {
        const ciphers::Aes aes(random_.bytes(random_.coin() ? 32 : 16));
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(&aes.key());
        call.add({"key", Bytes(bytes, bytes + sizeof(arch::AesKey)), 64});
    }

    CipherFamily family_;
    Random& random_;
};

/// What the adiantum family does in one pass, in two of the portable cores.
void adiantum_in_two_passes(const std::uint32_t* nh_key, const std::uint32_t* subkeys, std::size_t rounds,
                            std::uint8_t* digests, std::uint8_t* out, const std::uint8_t* in, std::size_t length,
                            std::size_t count) {
    StreamXor* const chacha = std::get<StreamXor*>(ciphers::find_core("chacha_portable")->function);
    NhMany* const nh = std::get<NhMany*>(ciphers::find_core("nh_portable")->function);
    for (std::size_t i = 0; i < count; i++) {
        alignas(64) std::uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
        std::copy_n(subkeys + 8 * i, 8, state + 4);
        state[14] = 1;
        chacha(state, rounds, out + i * (length + 16), in + i * (length + 16), length);
    }
    nh(nh_key, digests, out, length + 16, length, count);
}

/// The address of the portable core of a family.
std::uintptr_t portable_function(CipherFamily family) {
    if (family == CipherFamily::adiantum) return reinterpret_cast<std::uintptr_t>(&adiantum_in_two_passes);
    const CipherCore* core = ciphers::find_core(std::string(ciphers::name(family)) + "_portable");
    return std::visit([](auto* function) { return reinterpret_cast<std::uintptr_t>(function); }, core->function);
}

class CipherCores : public test::EachCipherCore {
  protected:
    static constexpr std::size_t kMostOperands = 5;
    static constexpr std::uint8_t kAround = 0xa5;

    CipherCores() {
        for (auto& memory : memory_) memory = std::make_unique<GuardedMemory>(CallMaker::kMostBytes + 8192);
    }

    /// Puts the operands between guard pages, makes the call with known values in all registers, and returns what is in
    /// the operands that may be written to. A core that goes where it may not fails its test and does not end the
    /// program.
    std::vector<Bytes> run(const Call& call, const Placement& placement) {
        std::vector<std::span<std::uint8_t>> at;
        for (std::size_t i = 0; i < call.operands.size(); i++) at.push_back(place(call, placement, i));
        const std::size_t in = call.find("in"), out = call.find("out");
        if (placement.in_place) {
            std::ranges::copy(call.operands[in].content, at[out].begin());
            at[in] = at[out];
        }
        test::WordCall words{};
        words.function =
            std::visit([](auto* function) { return reinterpret_cast<std::uintptr_t>(function); }, core.function);
        for (std::uint64_t& word : words.arguments) word = random.word();
        for (std::size_t i = 0; i < call.arguments.size(); i++) {
            const auto* pointer = std::get_if<Call::Pointer>(&call.arguments[i]);
            words.arguments[i] = pointer != nullptr ? reinterpret_cast<std::uintptr_t>(at[pointer->operand].data())
                                                    : std::get<Call::Number>(call.arguments[i]).value;
        }
        test::AbiFrame frame{};
        frame.function = reinterpret_cast<std::uintptr_t>(&test::word_call);
        frame.state = reinterpret_cast<std::uintptr_t>(&words);
        for (std::uint64_t& word : frame.scratch) word = random.word();
        for (std::uint64_t& word : frame.before) word = random.word();
        std::ranges::copy(frame.before, frame.after);
        const std::string fault = test::fault_of([&frame] { test::abi_call(&frame); });
        EXPECT_EQ(fault, "") << describe(core, call, placement);
        for (std::size_t slot = 0; slot < test::kAbiSlotNames.size(); slot++)
            EXPECT_EQ(frame.after[slot], frame.before[slot])
                << describe(core, call, placement) << ": changed the caller's " << test::kAbiSlotNames[slot];

        std::vector<Bytes> written;
        for (std::size_t i = 0; i < call.operands.size(); i++) {
            const Operand& operand = call.operands[i];
            if (i == in && placement.in_place) continue;
            const Bytes after(at[i].begin(), at[i].begin() + static_cast<std::ptrdiff_t>(operand.content.size()));
            if (operand.written) written.push_back(after);
            EXPECT_TRUE(operand.written || after == operand.content)
                << describe(core, call, placement) << ": changed " << operand.name;
            EXPECT_TRUE(surroundings_unchanged(i, at[i]))
                << describe(core, call, placement) << ": wrote beside " << operand.name;
        }
        return written;
    }

    /// The same by the portable core.
    std::vector<Bytes> expected(const Call& call, bool in_place) const {
        std::vector<std::vector<Aligned>> at;
        for (const Operand& operand : call.operands) {
            at.emplace_back((operand.content.size() + sizeof(Aligned) - 1) / sizeof(Aligned) + 1);
            std::memcpy(at.back().data(), operand.content.data(), operand.content.size());
        }
        const std::size_t in = call.find("in"), out = call.find("out");
        if (in_place) std::memcpy(at[out].data(), at[in].data(), call.operands[in].content.size());
        test::WordCall words{portable_function(core.family), {}};
        for (std::size_t i = 0; i < call.arguments.size(); i++) {
            const auto* pointer = std::get_if<Call::Pointer>(&call.arguments[i]);
            words.arguments[i] = pointer != nullptr ? reinterpret_cast<std::uintptr_t>(at[pointer->operand].data())
                                                    : std::get<Call::Number>(call.arguments[i]).value;
        }
        test::word_call(&words);
        std::vector<Bytes> written;
        for (std::size_t i = 0; i < call.operands.size(); i++) {
            const auto* bytes = reinterpret_cast<const std::uint8_t*>(at[i].data());
            if (call.operands[i].written) written.emplace_back(bytes, bytes + call.operands[i].content.size());
        }
        return written;
    }

    /// Sums are equal when they stand for the same number, and must keep within their bounds.
    void normalise(Bytes& sums) const {
        for (std::size_t at = 0; at < sums.size(); at += sizeof(arch::Poly1305Sum)) {
            arch::Poly1305Sum sum;
            std::memcpy(&sum, &sums[at], sizeof sum);
            for (std::size_t k = 0; k < 5; k++) EXPECT_LT(sum.limb[k], 1u << 27) << core.name;
            std::fill_n(sums.begin() + static_cast<std::ptrdiff_t>(at), sizeof sum, std::uint8_t{0});
            ciphers::reduce(sum).store(&sums[at]);
        }
    }

    void check(const Call& call, const Placement& placement) {
        std::vector<Bytes> actual = run(call, placement), wanted = expected(call, placement.in_place);
        if (core.family == CipherFamily::poly1305) {
            normalise(actual[0]);
            normalise(wanted[0]);
        }
        for (std::size_t i = 0; i < wanted.size(); i++) {
            const auto [a, w] = std::ranges::mismatch(actual[i], wanted[i]);
            ASSERT_TRUE(w == wanted[i].end()) << describe(core, call, placement) << ": wrong from byte "
                                              << w - wanted[i].begin() << " of result " << i << " on";
        }
    }

    /// A number of units whose message is up to 20000 bytes, short ones as likely as long ones.
    std::size_t random_units() {
        const std::size_t most = core.family == CipherFamily::hchacha ? 100 : 20000 / maker.unit();
        return random.between(1, std::max<std::size_t>(most >> random.between(0, 8), 1));
    }

    CallMaker maker{core.family, random};

  private:
    struct alignas(64) Aligned {
        std::uint8_t bytes[64];
    };

    std::span<std::uint8_t> place(const Call& call, const Placement& placement, std::size_t i) {
        const Operand& operand = call.operands[i];
        const std::span<std::uint8_t> all = memory_[i]->all();
        std::memset(all.data(), kAround, all.size());
        const std::size_t offset = i < placement.offsets.size() ? placement.offsets[i] : 0;
        const std::size_t size = operand.content.size() + operand.readable;
        const std::size_t aligned = (size + operand.alignment - 1) / operand.alignment * operand.alignment;
        const std::size_t begin = placement.edge == Edge::begin ? offset : all.size() - aligned - offset;
        std::ranges::copy(operand.content, all.begin() + static_cast<std::ptrdiff_t>(begin));
        random.fill(all.subspan(begin + operand.content.size(), operand.readable));
        return all.subspan(begin, size);
    }

    bool surroundings_unchanged(std::size_t i, std::span<const std::uint8_t> operand) const {
        static const Bytes around(CallMaker::kMostBytes + 16384, kAround);
        const std::span<const std::uint8_t> all = memory_[i]->all();
        const auto before = static_cast<std::size_t>(operand.data() - all.data());
        const std::size_t after = all.size() - before - operand.size();
        return std::memcmp(all.data(), around.data(), before) == 0 &&
               std::memcmp(operand.data() + operand.size(), around.data(), after) == 0;
    }

    std::array<std::unique_ptr<GuardedMemory>, kMostOperands> memory_;
};

TEST_P(CipherCores, EveryLength) {
    const std::size_t most = maker.is_stream() ? 600 : 80;
    for (std::size_t units = 1; units <= most; units++)
        for (const Edge edge : {Edge::begin, Edge::end}) {
            const Call call = maker.make(units);
            check(call, {edge, call.has("in") && random.coin()});
            if (HasFailure()) return;
        }
}

TEST_P(CipherCores, LongMessages) {
    for (int i = 0; i < 150; i++) {
        const Call call = maker.make(random_units());
        check(call, {random.coin() ? Edge::begin : Edge::end, call.has("in") && random.coin()});
        if (HasFailure()) return;
    }
}

/// Every alignment of every operand that may have any, the others staying where they are.
TEST_P(CipherCores, EveryAlignment) {
    for (std::size_t offset = 0; offset < 64; offset++) {
        const Call call = maker.make(maker.is_stream() ? random.between(200, 700) : random.between(1, 70));
        for (std::size_t i = 0; i < call.operands.size(); i++) {
            if (call.operands[i].alignment > 1) continue;
            Placement placement{Edge::begin};
            placement.offsets.resize(call.operands.size());
            placement.offsets[i] = offset;
            check(call, placement);
            if (HasFailure()) return;
        }
        // And both of them at once, at places of their own.
        Placement placement{Edge::begin};
        for (const Operand& operand : call.operands)
            placement.offsets.push_back(operand.alignment > 1 ? 0 : random.below(64));
        check(call, placement);
        placement.in_place = call.has("in");
        check(call, placement);
        if (HasFailure()) return;
    }
}

/// The same operands give the same result whatever they are beside and whatever was in the registers.
TEST_P(CipherCores, DependsOnNothingElse) {
    for (int i = 0; i < 20; i++) {
        const Call call = maker.make(random_units());
        std::vector<Bytes> first = run(call, {Edge::begin}), second = run(call, {Edge::end});
        if (core.family == CipherFamily::poly1305) {
            normalise(first[0]);
            normalise(second[0]);
        }
        ASSERT_TRUE(first == second) << describe(core, call, {Edge::end});
    }
}

class StreamCores : public CipherCores {};

/// The counter carries into its upper half, and beyond it nowhere, at every block of a pass.
TEST_P(StreamCores, CounterCarries) {
    for (const std::uint64_t carry : {std::uint64_t{1} << 32, std::uint64_t{0xffffffff} << 32, std::uint64_t{0}})
        for (std::uint64_t before = 0; before <= 34; before++) {
            Call call = maker.make(random.between(34u * 64, 40u * 64));
            maker.set_counter(call, carry - before);
            check(call, {});
            if (HasFailure()) return;
        }
}

/// A keystream is the same in pieces that begin at blocks as in one.
TEST_P(StreamCores, PiecesAreTheWhole) {
    for (int i = 0; i < 20; i++) {
        Call call = maker.make(random.between(1, 3000));
        const std::uint64_t counter = random.word();
        maker.set_counter(call, counter);
        const Bytes whole = run(call, {}).at(0);
        Bytes pieces;
        const std::size_t in = call.find("in"), out = call.find("out");
        const Bytes message = call.operands[in].content;
        while (pieces.size() < message.size()) {
            const std::size_t left = message.size() - pieces.size();
            const std::size_t taken = std::min(left, 64 * random.between(1, 20));
            Call piece = call;
            maker.set_counter(piece, counter + pieces.size() / 64);
            const auto from = message.begin() + static_cast<std::ptrdiff_t>(pieces.size());
            piece.operands[in].content.assign(from, from + static_cast<std::ptrdiff_t>(taken));
            piece.operands[out].content.resize(taken);
            std::get<Call::Number>(piece.arguments.back()).value = taken;
            const Bytes result = run(piece, {}).at(0);
            pieces.insert(pieces.end(), result.begin(), result.end());
        }
        ASSERT_TRUE(pieces == whole) << describe(core, call, {});
    }
}

INSTANTIATE_TEST_SUITE_P(Cores, CipherCores, testing::ValuesIn(ciphers::cipher_cores()), test::cipher_core_name);
INSTANTIATE_TEST_SUITE_P(Cores, StreamCores,
                         testing::ValuesIn(test::cipher_cores_of({CipherFamily::chacha, CipherFamily::salsa})),
                         test::cipher_core_name);

}  // namespace
