#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <vector>

#include "veritytool/parallel.h"

namespace verity {
namespace {

TEST(Pipeline, ConsumesInTheOrderOfProduction) {
    for (unsigned threads : {1u, 2u, 5u}) {
        constexpr std::size_t kPieces = 2000;
        const std::size_t slots = 2 * threads;
        std::vector<std::size_t> piece(slots), result(slots);
        std::vector<std::atomic<bool>> busy(slots);
        std::size_t next = 0;
        std::vector<std::size_t> consumed;
        run({threads, slots,
             [&](std::size_t slot) {
                 EXPECT_FALSE(busy.at(slot)) << "slot in use";
                 if (next == kPieces) return false;
                 busy[slot] = true;
                 piece[slot] = next++;
                 return true;
             },
             [&](std::size_t slot) {
                 std::uint64_t x = piece[slot];
                 for (std::size_t i = 0; i < (piece[slot] % 7) * 1000; i++) x = x * 2862933555777941757u + i;
                 result[slot] = piece[slot] + (x == 1);
             },
             [&](std::size_t slot) {
                 consumed.push_back(piece[slot]);
                 busy[slot] = false;
             }});
        ASSERT_EQ(consumed.size(), kPieces);
        for (std::size_t i = 0; i < kPieces; i++) ASSERT_EQ(consumed[i], i);
    }
}

TEST(Pipeline, NothingToDo) {
    run({3, 4, [](std::size_t) { return false; }, [](std::size_t) { FAIL(); }, [](std::size_t) { FAIL(); }});
}

TEST(Pipeline, ExceptionsComeOut) {
    for (int where = 0; where < 3; where++) {
        std::array<std::atomic<int>, 3> calls{};
        const auto call = [&](std::size_t place) {
            if (++calls[place] == 20 && place == static_cast<std::size_t>(where)) throw std::runtime_error("here");
        };
        const auto produce = [&](std::size_t) {
            call(0);
            return calls[0] < 1000;
        };
        EXPECT_THROW(run({3, 6, produce, [&](std::size_t) { call(1); }, [&](std::size_t) { call(2); }}),
                     std::runtime_error)
            << where;
    }
}

}  // namespace
}  // namespace verity
