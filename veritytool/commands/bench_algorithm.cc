#include "veritytool/commands/bench_algorithm.h"

namespace commands {

std::string_view name(AlgorithmKind kind) {
    return kind == AlgorithmKind::hash ? "hash" : "cipher";
}

BenchAlgorithms bench_algorithms() {
    BenchAlgorithms all = hash_bench_algorithms();
    for (const BenchAlgorithm* cipher : cipher_bench_algorithms()) all.push_back(cipher);
    return all;
}

}  // namespace commands
