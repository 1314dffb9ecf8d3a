// Prints the root hash of a file's tree: blake2b-256, no salt.

#include <cstdio>

#include "hashlib/hash.h"
#include "veritytool/hex.h"
#include "veritytool/tree_builder.h"

int main(int argc, char** argv) {
    if (argc != 2) return 1;
    const auto data = verity::File::open_for_reading(argv[1]);
    auto output = verity::HashOutput::open(std::string(argv[1]) + ".consumer");
    if (!data || !output) return 1;
    verity::BuildRequest request;
    request.parameters.hash = hashlib::find_hash("blake2b-256");
    const auto tree = verity::build_tree(*data, *output, request, {});
    if (!tree) {
        std::fprintf(stderr, "%s\n", tree.error().message.c_str());
        return 1;
    }
    std::puts(verity::to_hex(tree->root).c_str());
    return 0;
}
