#!/bin/bash
# Builds veritytool and shows it at work on an ext4 image made from this tree's own files.
#
#   images/demo.sh
#
# Installs the packages that are missing (Debian, Ubuntu) and needs no more than a few minutes.
set -euo pipefail
export LC_ALL=C.UTF-8

cd "$(dirname "${BASH_SOURCE[0]}")/.."
tree=$PWD
tests/install-packages.sh demo
exec </dev/null
PATH=$tree/build/demo/bin:$PATH:/usr/sbin:/sbin

bold="" green="" grey="" plain=""
if [[ -t 1 && -z ${NO_COLOR:-} && ${TERM:-dumb} != dumb ]]; then
    bold=$'\e[1m' green=$'\e[32m' grey=$'\e[2m' plain=$'\e[0m'
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

number=0
step() {
    number=$((number + 1))
    printf '\n%s%d. %s%s\n' "$bold" "$number" "$*" "$plain"
}
note() { printf '   %s%s%s\n' "$grey" "$*" "$plain"; }

# run COMMAND-LINE [STATUS]: shows it as typed and runs it in the current folder; STATUS is what it must end with.
run() {
    local wanted=${2:-0} status=0
    printf '   %s$ %s%s\n' "$green" "$1" "$plain"
    bash -c "$1" >"$work/output" 2>&1 || status=$?
    sed 's/^/   /' "$work/output"
    if [[ $status != "$wanted" ]]; then
        echo "images/demo.sh: that ended with status $status, not $wanted" >&2
        exit 1
    fi
}

# run_quietly COMMAND-LINE: its output only matters when it fails.
run_quietly() {
    printf '   %s$ %s%s\n' "$green" "$1" "$plain"
    bash -c "$1" >"$work/output" 2>&1 || {
        cat "$work/output"
        echo "images/demo.sh: that failed" >&2
        exit 1
    }
}

step "Build the program"
# Warnings of a compiler that this tree has not met yet must not end the demo.
run_quietly "cmake --preset release -B build/demo -DVERITYTOOL_TESTS=OFF -DVERITYTOOL_WERROR=OFF"
started=$SECONDS
run_quietly "cmake --build build/demo"
note "build/demo/bin/veritytool is ready after $((SECONDS - started)) s"

# What a clone holds: no build folders, no history.
cd "$work"
mkdir tree
tar -C "$tree" --exclude=./build --exclude=./.git -cf - . | tar -C tree -xf -
files=$(find tree -type f | wc -l)
# Twice the files' size leaves room for the filesystem's own tables.
mebibytes=$(($(du -sm tree | cut -f1) * 2 + 8))

step "Make an ext4 image of this tree's $files files"
run_quietly "mke2fs -q -t ext4 -b 4096 -d tree system.img ${mebibytes}M"
note "$(stat -c %s system.img) bytes, $(($(stat -c %s system.img) / 4096)) blocks"

step "Hash it with BLAKE2b-256"
run "veritytool format system.img system.hash --root-hash-file=system.root"

step "Verify it"
run "veritytool verify system.img system.hash --root-hash-file=system.root"
note "exit status 0: every block of the image and of its tree is as it was"

step "Hand a SHA-256 tree to veritysetup"
run "veritytool format system.img sha256.hash --hash=sha256 --root-hash-file=sha256.root"
run "veritysetup verify system.img sha256.hash --root-hash-file=sha256.root --verbose"

# A byte of a file's text, so that the change is one that anybody can read.
block=$(debugfs -R "blocks /README.md" system.img 2>/dev/null | awk '{ print $1 }')
offset=$((block * 4096 + 100))
step "Change one byte in a copy: in README.md, which starts at block $block"
run "cp system.img broken.img"
run "printf '\\0' | dd of=broken.img bs=1 seek=$offset conv=notrunc status=none"
run "veritytool verify broken.img system.hash --root-hash-file=system.root" 2
note "exit status 2: verification failed"

step "Print the line that the kernel's device mapper takes"
run 'veritytool table system.img system.hash $(cat system.root)'

step "Encrypt the image with Adiantum, as Linux dm-crypt does"
run "veritytool keygen system.key"
run "veritytool encrypt system.img system.crypt --key-file=system.key"

step "Hash and verify what came out: encryption alone would not notice a change"
run "veritytool format system.crypt crypt.hash --root-hash-file=crypt.root"
run "veritytool verify system.crypt crypt.hash --root-hash-file=crypt.root"

step "Decrypt it"
run "veritytool decrypt system.crypt decrypted.img --key-file=system.key --expect=ext4"
run "cmp decrypted.img system.img"
note "the same, byte for byte"
run "veritytool keygen wrong.key"
run "veritytool decrypt system.crypt decrypted.img --key-file=wrong.key --expect=ext4" 2
note "exit status 2: a wrong key, and decrypted.img is as it was"

step "Print how Linux opens it"
run "veritytool crypt-table system.crypt --name=system --key-file=system.key"

printf '\n%sShown: an ext4 image hashed and verified, its SHA-256 tree accepted by veritysetup, one changed byte found (block %d), the kernel'\''s table line; the image encrypted, verified, and decrypted to the same bytes.%s\n' \
    "$bold" "$block" "$plain"
