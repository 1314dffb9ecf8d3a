#!/bin/bash
# Every core's object file defines one global symbol, the core's name, and nothing weak.
#
#   no-weak-symbols.sh [BUILD...]     (build/release, build/armhf and build/arm64, those that are there)
#
# Core files are compiled for instruction sets that not every processor has. Were an inline function defined in two
# objects, the linker would keep either copy for all callers, perhaps the one for AVX-512.
set -euo pipefail

builds=("$@")
if [[ ${#builds[@]} == 0 ]]; then
    for build in build/release build/armhf build/arm64; do
        [[ ! -d $build ]] || builds+=("$build")
    done
fi

checked=0 failed=0
for build in "${builds[@]}"; do
    nm=$(sed -n 's/^CMAKE_NM:[A-Z]*=//p' "$build/CMakeCache.txt")
    while IFS= read -r object; do
        checked=$((checked + 1))
        name=${object##*/}
        name=${name%%.*}
        symbols=$("$nm" "$object")
        global=$(awk '$(NF - 1) ~ /^[A-TX-Z]$/ { print $NF }' <<<"$symbols")
        weak=$(awk '$(NF - 1) ~ /^[uvwVW]$/ { print $NF }' <<<"$symbols" | tr '\n' ' ')
        if [[ $global != "$name" ]]; then
            echo "$object: defines ${global:-nothing} as global, not just $name" | tr '\n' ' ' && echo
            failed=$((failed + 1))
        fi
        if [[ -n $weak ]]; then
            echo "$object: has weak symbols: $weak"
            failed=$((failed + 1))
        fi
    done < <(find "$build" -path '*/arch/x86/*.o' -o -path '*/arch/arm/*.o' -o -path '*/arch/arm64/*.o')
done

echo "$checked objects of cores in ${builds[*]:-no build}, $failed wrong"
[[ $checked -gt 0 && $failed == 0 ]]
