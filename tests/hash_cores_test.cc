#include "tests/support/hash_cores.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

#include "tests/support/abi_call.h"
#include "tests/support/guarded_memory.h"

/// Every core called directly, as arch/hash_core.h describes the call.

namespace {

using hashlib::HashCore;
using test::Bytes;
using test::GuardedMemory;
using test::to_hex;

/// One call's arguments, the chaining values apart for each lane.
struct Call {
    std::vector<Bytes> states;
    std::vector<const std::uint8_t*> messages;
    std::size_t blocks = 1;
    std::uint64_t counter = 0;
    std::uint64_t final_mask = 0;

    /// As a failing test prints it.
    std::string describe(const HashCore& core) const {
        std::string text = std::string(core.name) + ": blocks " + std::to_string(blocks) + ", counter " +
                           std::to_string(counter) + ", final " + std::to_string(final_mask & 1) +
                           ", messages at 64n +";
        for (const std::uint8_t* message : messages)
            text += " " + std::to_string(reinterpret_cast<std::uintptr_t>(message) % 64);
        return text;
    }
};

enum class Edge { begin, end };

/// Where calls keep their chaining values and pointers: between guard pages, the pointers not writable, and with bytes
/// around them that no core may change.
class CallMemory {
  public:
    explicit CallMemory(const HashCore& core)
        : core_(core),
          word_(hashlib::traits(core.family).word_size),
          words_(hashlib::traits(core.family).state_words),
          states_(core.lanes * words_ * word_),
          pointers_(core.lanes * sizeof(void*)) {}

    /// Writes the arguments that are in memory, the chaining values at an edge of theirs.
    void write(const Call& call, Edge edge) {
        std::ranges::fill(states_.all(), kAround);
        const std::size_t size = core_.lanes * words_ * word_;
        const std::size_t aligned = (size + 63) / 64 * 64;
        state_ = (edge == Edge::begin ? states_.at_begin(size) : states_.at_end(aligned).first(size)).data();
        for (std::size_t lane = 0; lane < core_.lanes; lane++)
            for (std::size_t w = 0; w < words_; w++)
                std::memcpy(word_at(w, lane), &call.states[lane][w * word_], word_);

        pointers_.set_writable(true);
        const auto pointers = edge == Edge::begin ? pointers_.at_begin(core_.lanes * sizeof(void*))
                                                  : pointers_.at_end(core_.lanes * sizeof(void*));
        std::memcpy(pointers.data(), call.messages.data(), pointers.size());
        pointers_.set_writable(false);
        messages_ = reinterpret_cast<const std::uint8_t* const*>(pointers.data());
    }

    void* state() const { return state_; }
    const std::uint8_t* const* messages() const { return messages_; }

    /// The chaining values after the call, lane by lane.
    std::vector<Bytes> read() const {
        std::vector<Bytes> states(core_.lanes, Bytes(words_ * word_));
        for (std::size_t lane = 0; lane < core_.lanes; lane++)
            for (std::size_t w = 0; w < words_; w++) std::memcpy(&states[lane][w * word_], word_at(w, lane), word_);
        return states;
    }

    bool surroundings_unchanged() const {
        const std::span<const std::uint8_t> all = states_.all();
        const auto begin = static_cast<std::size_t>(state_ - all.data());
        const auto unchanged = [](std::uint8_t byte) { return byte == kAround; };
        return std::ranges::all_of(all.first(begin), unchanged) &&
               std::ranges::all_of(all.subspan(begin + core_.lanes * words_ * word_), unchanged);
    }

  private:
    static constexpr std::uint8_t kAround = 0xa5;

    std::uint8_t* word_at(std::size_t word, std::size_t lane) const {
        return state_ + (word * core_.lanes + lane) * word_;
    }

    const HashCore& core_;
    std::size_t word_, words_;
    GuardedMemory states_, pointers_;
    std::uint8_t* state_ = nullptr;
    const std::uint8_t* const* messages_ = nullptr;
};

class HashCores : public test::EachHashCore {
  protected:
    std::size_t state_size() const { return family.state_words * family.word_size; }

    std::vector<Bytes> random_states() {
        std::vector<Bytes> states;
        for (unsigned lane = 0; lane < core.lanes; lane++) states.push_back(random.bytes(state_size()));
        return states;
    }

    /// A value of any size, often about to carry into the counter's upper word or with that word in use.
    std::uint64_t random_counter() {
        const std::uint64_t carry = std::uint64_t{1} << (family.word_size == 4 || random.coin() ? 32 : 61);
        switch (random.below(4)) {
        case 0:
            return family.block_size * random.between(1, 100);
        case 1:
            return carry - family.block_size * random.between(0, 9);
        case 2:
            return carry - random.between(0, 2);
        default:
            return random.word() >> random.between(1, 40);
        }
    }

    /// All arguments but the messages.
    Call random_call() {
        Call call{random_states(), {}, 1, random_counter(), 0};
        if (random.coin())
            call.final_mask = ~std::uint64_t{0};
        else
            call.blocks = random.between(1, 9);
        return call;
    }

    /// Makes the call and returns the chaining values. It goes through abi_call, so that a core which changes the
    /// caller's registers fails its test and does not end the program.
    std::vector<Bytes> run(const Call& call, Edge edge = Edge::end) {
        memory_.write(call, edge);
        frame_ = {};
        frame_.function = reinterpret_cast<std::uintptr_t>(core.compress);
        frame_.state = reinterpret_cast<std::uintptr_t>(memory_.state());
        frame_.messages = reinterpret_cast<std::uintptr_t>(memory_.messages());
        frame_.blocks = call.blocks;
        frame_.counter = call.counter;
        frame_.final_mask = call.final_mask;
        for (std::uint64_t& word : frame_.scratch) word = random.word();
        for (std::uint64_t& word : frame_.before) word = random.word();
        std::ranges::copy(frame_.before, frame_.after);
        const std::string fault = test::fault_of([this] { test::abi_call(&frame_); });
        EXPECT_EQ(fault, "") << call.describe(core);
        EXPECT_TRUE(memory_.surroundings_unchanged()) << call.describe(core) << ": wrote outside of state";
        return memory_.read();
    }

    /// The same with the portable core, lane by lane.
    std::vector<Bytes> expected(const Call& call) const {
        std::vector<Bytes> states = call.states;
        for (std::size_t lane = 0; lane < core.lanes; lane++) {
            alignas(64) std::uint8_t state[64];
            std::memcpy(state, states[lane].data(), states[lane].size());
            portable.compress(state, &call.messages[lane], call.blocks, call.counter, call.final_mask);
            std::memcpy(states[lane].data(), state, states[lane].size());
        }
        return states;
    }

    /// Random messages one after the other, one for each lane.
    Bytes random_messages(Call& call) {
        const std::size_t size = call.blocks * family.block_size;
        Bytes data = random.bytes(core.lanes * size);
        for (unsigned lane = 0; lane < core.lanes; lane++) call.messages.push_back(&data[lane * size]);
        return data;
    }

    void expect_equal(const std::vector<Bytes>& actual, const std::vector<Bytes>& expected, const Call& call) {
        for (std::size_t lane = 0; lane < core.lanes; lane++)
            ASSERT_EQ(to_hex(actual[lane]), to_hex(expected[lane])) << call.describe(core) << ", lane " << lane;
    }

    const HashCore& portable = test::portable_core(core.family);
    CallMemory memory_{core};
    test::AbiFrame frame_{};
};

TEST_P(HashCores, AgreesWithThePortableCore) {
    for (int i = 0; i < 300; i++) {
        Call call = random_call();
        std::vector<Bytes> data;
        for (unsigned lane = 0; lane < core.lanes; lane++) {
            const std::size_t offset = random.below(64);
            data.push_back(random.bytes(offset + call.blocks * family.block_size));
            call.messages.push_back(data.back().data() + offset);
        }
        expect_equal(run(call), expected(call), call);
        if (HasFatalFailure()) return;
    }
}

TEST_P(HashCores, SeveralBlocksAreThatManyCalls) {
    for (int i = 0; i < 100; i++) {
        Call call{random_states(), {}, random.between(2, 9), random_counter(), 0};
        const Bytes data = random_messages(call);
        const std::vector<Bytes> at_once = run(call);

        Call piece = call;
        for (std::size_t left = call.blocks; left > 0; left -= piece.blocks) {
            piece.blocks = random.between(1, left);
            piece.states = run(piece);
            for (const std::uint8_t*& message : piece.messages) message += piece.blocks * family.block_size;
            piece.counter += piece.blocks * family.block_size;
        }
        expect_equal(piece.states, at_once, call);
        if (HasFatalFailure()) return;
    }
}

TEST_P(HashCores, MessagesMayBeTheSame) {
    for (int i = 0; i < 20; i++) {
        Call call = random_call();
        const Bytes one = random.bytes(call.blocks * family.block_size), two = random.bytes(one.size());
        for (unsigned lane = 0; lane < core.lanes; lane++)
            call.messages.push_back(i == 0 || random.coin() ? one.data() : two.data());
        expect_equal(run(call), expected(call), call);
        if (HasFatalFailure()) return;
    }
}

TEST_P(HashCores, MessagesMayOverlap) {
    Call call = random_call();
    const Bytes data = random.bytes(call.blocks * family.block_size + core.lanes);
    for (unsigned lane = 0; lane < core.lanes; lane++) call.messages.push_back(&data[lane]);
    expect_equal(run(call), expected(call), call);
}

/// A changed bit in one lane's message or chaining value changes that lane's result and no other.
TEST_P(HashCores, LanesDoNotLeakIntoEachOther) {
    for (int i = 0; i < 10; i++) {
        Call call = random_call();
        const std::size_t size = call.blocks * family.block_size;
        Bytes data = random_messages(call);
        const std::vector<Bytes> before = run(call);

        for (unsigned changed = 0; changed < core.lanes; changed++) {
            const auto flip = static_cast<std::uint8_t>(1u << random.below(8));
            const std::size_t message_byte = changed * size + random.below(size);
            const std::size_t state_byte = random.below(state_size());
            data[message_byte] ^= flip;
            const std::vector<Bytes> other_message = run(call);
            data[message_byte] ^= flip;
            call.states[changed][state_byte] ^= flip;
            const std::vector<Bytes> other_state = run(call);
            call.states[changed][state_byte] ^= flip;
            for (unsigned lane = 0; lane < core.lanes; lane++) {
                ASSERT_EQ(other_message[lane] != before[lane], lane == changed)
                    << call.describe(core) << ", lane " << lane << " with lane " << changed << "'s message changed";
                ASSERT_EQ(other_state[lane] != before[lane], lane == changed)
                    << call.describe(core) << ", lane " << lane << " with lane " << changed << "'s state changed";
            }
        }
    }
}

TEST_P(HashCores, ReadsNothingBeyondTheMessages) {
    constexpr std::size_t kMostBlocks = 3;
    std::vector<std::unique_ptr<GuardedMemory>> memory;
    for (unsigned lane = 0; lane < core.lanes; lane++) {
        memory.push_back(std::make_unique<GuardedMemory>(kMostBlocks * family.block_size + 64));
        random.fill(memory.back()->all());
        memory.back()->set_writable(false);
    }
    for (const Edge edge : {Edge::begin, Edge::end})
        for (std::size_t blocks = 1; blocks <= kMostBlocks; blocks++)
            for (std::size_t offset = 0; offset < 64; offset++) {
                Call call{random_states(), {}, blocks, random_counter(), 0};
                const std::size_t size = blocks * family.block_size;
                for (const auto& lane : memory) {
                    // All of them at the edge, then each at its own distance from it.
                    const std::size_t distance = offset == 0 ? 0 : random.between(0, offset);
                    call.messages.push_back(
                        (edge == Edge::begin ? lane->at_begin(size, distance) : lane->at_end(size, distance)).data());
                }
                expect_equal(run(call, edge), expected(call), call);
                if (HasFatalFailure()) return;
            }
}

TEST_P(HashCores, KeepsTheCallersRegistersAndStack) {
    if (test::kAbiSlotNames.empty()) GTEST_SKIP() << "abi_call looks at no registers of this processor";
    for (int i = 0; i < 20; i++) {
        Call call = random_call();
        const Bytes data = random_messages(call);
        run(call);
        for (std::size_t slot = 0; slot < test::kAbiSlotNames.size(); slot++)
            EXPECT_EQ(frame_.after[slot], frame_.before[slot])
                << call.describe(core) << ": changed the caller's " << test::kAbiSlotNames[slot];
        if (HasFailure()) return;
    }
}

TEST_EACH_HASH_CORE(HashCores);

}  // namespace
