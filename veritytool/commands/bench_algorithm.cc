#include "veritytool/commands/bench_algorithm.h"

namespace commands {

std::string_view name(AlgorithmKind kind) {
    switch (kind) {
    case AlgorithmKind::hash:
        return "hash";
    case AlgorithmKind::cipher:
        return "cipher";
    case AlgorithmKind::parity:
        return "parity";
    }
    return {};
}

BenchAlgorithms bench_algorithms() {
    BenchAlgorithms all = hash_bench_algorithms();
    for (const auto algorithms : {cipher_bench_algorithms, parity_bench_algorithms})
        for (const BenchAlgorithm* algorithm : algorithms()) all.push_back(algorithm);
    return all;
}

}  // namespace commands
