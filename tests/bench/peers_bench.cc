// What the README's x86 tables are made with: the libraries here against what others have of the same kind, in turn, on
// one thread.
//
//   peers_bench [--size=BYTES] [--salt=BYTES] [--rounds=N] [SECTION...]
//
// Sections: hashes, streams, universal, sectors; all of them if none is named. A "goal" is the ratio that this project
// means to reach.

#include <charconv>
#include <cstdio>
#include <string_view>
#include <vector>

#include "hashlib/hash.h"
#include "tests/bench/sections.h"

namespace {

struct Section {
    std::string_view name;
    void (*run)(const bench::Options& options);
};
constexpr Section kSections[] = {
    {"hashes", bench::hashes},
    {"streams", bench::streams},
    {"universal", bench::universal_hashes},
    {"sectors", bench::sectors},
};

/// Whether `argument` is "--name=" and a number, which goes to `target`.
template <class Number>
bool number_option(std::string_view argument, std::string_view name, Number& target) {
    if (!argument.starts_with(name)) return false;
    const char* const end = argument.data() + argument.size();
    const auto [stopped, error] = std::from_chars(argument.data() + name.size(), end, target);
    return error == std::errc() && stopped == end;
}

/// Whether the arguments could be read.
bool parse(int argc, char** argv, bench::Options& options, std::vector<Section>& wanted) {
    for (int i = 1; i < argc; i++) {
        const std::string_view argument = argv[i];
        if (number_option(argument, "--size=", options.size) || number_option(argument, "--salt=", options.salt_size) ||
            number_option(argument, "--rounds=", options.rounds))
            continue;
        const std::size_t before = wanted.size();
        for (const Section& section : kSections)
            if (section.name == argument) wanted.push_back(section);
        if (wanted.size() == before) return false;
    }
    if (wanted.empty()) wanted.assign(std::begin(kSections), std::end(kSections));
    // Sectors are of 16 bytes or more, in whole AES blocks; what a section has at a time is 64 KiB.
    const bool sectors_fit = options.size % 16 == 0;
    for (const Section& section : wanted)
        if (section.run == bench::sectors && !sectors_fit) return false;
    const bool size_fits = options.size == 0 || (options.size >= 16 && options.size <= 65536);
    return size_fits && options.salt_size <= hashlib::kMaxSaltSize && options.rounds > 0;
}

}  // namespace

int main(int argc, char** argv) {
    bench::Options options;
    std::vector<Section> wanted;
    if (!parse(argc, argv, options, wanted)) {
        std::fprintf(stderr,
                     "usage: peers_bench [--size=BYTES] [--salt=BYTES] [--rounds=N] "
                     "[hashes|streams|universal|sectors...]\n"
                     "16 to 65536 bytes, for sectors a multiple of 16; up to %zu bytes of salt\n",
                     hashlib::kMaxSaltSize);
        return 1;
    }
    std::printf("One thread; medians of %d rounds, all in turn\n", options.rounds);
    for (const Section& section : wanted) {
        std::printf("\n");
        section.run(options);
    }
    return 0;
}
