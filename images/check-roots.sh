#!/bin/bash
# Makes the images and checks that veritytool finds the roots of expected-roots.txt, and verifies them.
#
#   check-roots.sh PROGRAM [EMULATOR...]      check-roots.sh build/arm64/bin/veritytool qemu-aarch64 -L SYSROOT
#
# The last line counts: "N passed, N failed, N skipped". An image made by another mkfs version than the expected one
# has other bytes: its checks are skipped.
set -euo pipefail
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin

[[ $# -ge 1 ]] || { echo "usage: ${0##*/} PROGRAM [EMULATOR...]" >&2; exit 1; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
veritytool=("${@:2}" "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

passed=0 failed=0 skipped=0
pass() { passed=$((passed + 1)); echo "  ok    $*"; }
fail() { failed=$((failed + 1)); echo "  FAIL  $*"; }
skip() { skipped=$((skipped + 1)); echo "  skip  $*"; }

version_of() {
    case $1 in
        mke2fs) mke2fs -V 2>&1 | awk 'NR == 1 { print $2 }' ;;
        mksquashfs) mksquashfs -version | awk 'NR == 1 { print $3 }' ;;
        # mkfs.erofs itself has no option for it in the versions up to 1.7.
        mkfs.erofs) dump.erofs -V 2>&1 | awk 'NR == 1 { print $2 }' ;;
    esac
}

check_image() {
    local image=$1 size=$2 sum=$3 actual
    actual=$(stat -c %s "$work/$image")
    [[ $actual == "$size" ]] || { fail "$image is $actual bytes, not $size"; return; }
    actual=$(sha256sum <"$work/$image")
    [[ ${actual%% *} == "$sum" ]] || { fail "$image has other bytes: sha256 ${actual%% *}"; return; }
    pass "$image, $size bytes, is made as expected"
}

check_root() {
    local image=$1 hash=$2 root=$3 output actual
    if ! output=$("${veritytool[@]}" format "$work/$image" "$work/hash" --salt="$salt" --hash="$hash" 2>&1 </dev/null); then
        fail "$image $hash: format failed: $output"
        return
    fi
    actual=$(awk '/^Root hash:/ { print $NF }' <<<"$output")
    [[ $actual == "$root" ]] || { fail "$image $hash: root ${actual:-missing}, expected $root"; return; }
    if ! output=$("${veritytool[@]}" verify "$work/$image" "$work/hash" "$root" 2>&1 </dev/null); then
        fail "$image $hash: verify failed: $output"
        return
    fi
    pass "$image $hash root $root"
}

"$here/make-images.sh" "$work"
declare -A reason
salt=
while read -r kind image first second _; do
    case $kind in
        salt) salt=$image ;;
        made-with)
            found=$(version_of "$first")
            [[ $found == "$second" ]] || reason[$image]="made by $first ${found:-of unknown version}, the figures are for $second"
            ;;
        image | root)
            if [[ -n ${reason[$image]:-} ]]; then
                skip "$image $kind: ${reason[$image]}"
            else
                "check_$kind" "$image" "$first" "$second"
            fi
            ;;
    esac
done <"$here/expected-roots.txt"

echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed == 0 && $((passed + skipped)) -gt 0 ]]
