#include <gtest/gtest.h>

#include <cinttypes>
#include <cstdio>

#include "tests/support/random.h"

namespace {

/// Says with every failed test how to have it fail again.
class SeedPrinter : public testing::EmptyTestEventListener {
    void OnTestEnd(const testing::TestInfo& info) override {
        if (!info.result()->Failed()) return;
        std::printf("To repeat: VERITYTOOL_TEST_SEED=%" PRIu64 " ... --gtest_filter='%s.%s'\n", test::run_seed(),
                    info.test_suite_name(), info.name());
        std::fflush(stdout);
    }
};

}  // namespace

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    testing::UnitTest& tests = *testing::UnitTest::GetInstance();
    tests.listeners().Append(new SeedPrinter);
    const int status = RUN_ALL_TESTS();
    if (status != 0 || testing::GTEST_FLAG(list_tests)) return status;
    if (tests.successful_test_count() == 0) {
        std::puts("No test ran: all were skipped or filtered out, which proves nothing.");
        return 1;
    }
    return 0;
}
