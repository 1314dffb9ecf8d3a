#!/bin/bash
# Installs the release build into a scratch folder and builds and runs a program outside the tree against it:
# find_package(veritytool), targets veritytool::hashlib, veritytool::ciphers and veritytool::verity, and the installed tool.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

[[ -d build/release ]] || { echo "build/release is not there"; exit 77; }
cmake --install build/release --prefix "$work/prefix" >"$work/log" || { cat "$work/log"; exit 1; }
cmake -S "$here/install" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" >"$work/log" 2>&1 &&
    cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }

head -c 1048576 /dev/zero >"$work/image"
"$work/prefix/bin/veritytool" format --salt=- "$work/image" "$work/image.verity" >/dev/null
root=$("$work/build/consumer" "$work/image")
"$work/prefix/bin/veritytool" verify "$work/image" "$work/image.verity" "$root"
"$work/build/consumer_of_hashlib"
"$work/build/consumer_of_ciphers"
