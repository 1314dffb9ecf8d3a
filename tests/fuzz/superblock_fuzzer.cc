// libFuzzer's entry: build with -DVERITYTOOL_FUZZ=ON and clang++, run with tests/fuzz/superblock_seeds as corpus.

#include "tests/fuzz/superblock_target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    verity::check_superblock({data, size});
    return 0;
}
