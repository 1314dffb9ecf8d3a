#!/bin/bash
# No branch and no address in a cipher depends on a key or a message.
#
# tests/checks/constant_time.cc marks both as undefined and runs every cipher core, once under valgrind and once with
# clang's MemorySanitizer. The first sees what the compiler made, assembly too, but knows no AVX-512 and no VAES; the
# second sees intrinsics of any width. Between them every core that this machine can use has to be run.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

command -v valgrind >/dev/null || { echo "valgrind is not here"; exit 77; }
command -v clang++ >/dev/null || { echo "clang is not here"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

build() {
    local name=$1
    shift
    { cmake -S . -B "$work/$name" -G Ninja -DVERITYTOOL_PROGRAM=OFF -DVERITYTOOL_TESTS=ON "$@" &&
        cmake --build "$work/$name" --target constant_time; } >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
}
build valgrind
build sanitizer -DCMAKE_C_COMPILER=clang -DCMAKE_CXX_COMPILER=clang++ -DVERITYTOOL_SANITIZE=memory
plain=$work/valgrind/bin/tests/constant_time
under_valgrind=(valgrind --quiet --error-exitcode=9 "$plain")
# Valgrind 3.19 has no AVX-512 and no VAES, and clang 14's sanitizer takes variable shifts and AES rounds on more than 128
# bits for uses that depend on their operands, so that neither can run these. They have to be read instead.
unseen=(aesxts_vaes_avx512 aesxts_vaes_avx2)
sanitized=(env VERITYTOOL_CPU=-vaes "$work/sanitizer/bin/tests/constant_time")

# finds_nothing COMMAND...: prints the names of the cores that it ran.
finds_nothing() {
    if ! "$@" >"$work/ran" 2>"$work/found"; then
        echo "behind $(tail -n 1 "$work/ran"):" >&2
        head -n 40 "$work/found" >&2
        return 1
    fi
    cat "$work/ran"
}

# finds COMMAND...: a tool that reports nothing proves nothing.
finds() {
    if "$@" >/dev/null 2>&1; then
        echo "not found: ${*: -1} that depends on a secret, by ${1##*/}" >&2
        return 1
    fi
}

failed=0
for mistake in branch index; do
    finds "${under_valgrind[@]}" "$mistake" || failed=1
    finds "${sanitized[@]}" "$mistake" || failed=1
done
finds_nothing "${under_valgrind[@]}" >"$work/valgrind-names" || failed=1
finds_nothing "${sanitized[@]}" >"$work/sanitizer-names" || failed=1
for core in $("$plain" list); do
    [[ " ${unseen[*]} " != *" $core "* ]] || continue
    seen=("$work/valgrind-names")
    # The sanitizer does not see into assembly.
    compgen -G "arch/*/$core.S" >/dev/null || seen+=("$work/sanitizer-names")
    grep -qxh "$core" "${seen[@]}" || { echo "$core: no tool could run it"; failed=1; }
done
echo "$(wc -l <"$work/valgrind-names") cores under valgrind, $(wc -l <"$work/sanitizer-names") with MemorySanitizer; neither: ${unseen[*]}"
exit "$failed"
