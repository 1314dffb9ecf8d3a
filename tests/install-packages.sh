#!/bin/bash
# Installs the Debian or Ubuntu packages that something in this tree needs, those that are missing only.
#
#   install-packages.sh build|demo|tests
#
# Asks nothing and says nothing but that it installs. Elsewhere than on Debian and Ubuntu it lists the packages and
# ends with status 1.
set -euo pipefail
export LC_ALL=C DEBIAN_FRONTEND=noninteractive

build=(cmake ninja-build g++ libboost-program-options-dev libtbb-dev nlohmann-json3-dev)
demo=("${build[@]}" e2fsprogs cryptsetup-bin)
tests=(
    "${demo[@]}" squashfs-tools erofs-utils python3
    libgtest-dev libgmock-dev libssl-dev libgcrypt20-dev libsodium-dev libbotan-2-dev valgrind libclang-rt-14-dev
    clang clang-format
    qemu-user g++-arm-linux-gnueabihf g++-aarch64-linux-gnu mmdebstrap
    qemu-system-x86 qemu-system-arm cpio kmod binutils
)

case ${1:-} in
    build | demo | tests) declare -n wanted=$1 ;;
    *)
        echo "usage: ${0##*/} build|demo|tests" >&2
        exit 1
        ;;
esac

# shellcheck source=/dev/null
[[ ! -r /etc/os-release ]] || . /etc/os-release
if [[ " ${ID:-} ${ID_LIKE:-} " != *" debian "* ]] || ! command -v apt-get >/dev/null; then
    {
        echo "This installs packages by itself on Debian and Ubuntu only. Here, please install what these Debian packages hold:"
        printf '    %s\n' "${wanted[@]}"
    } >&2
    exit 1
fi

missing=()
for package in "${wanted[@]}"; do
    status=$(dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null || true)
    [[ $status == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $(id -u) != 0 ]]; then
    # With no terminal sudo must fail rather than wait for a password.
    as_root=(sudo)
    [[ -t 0 ]] || as_root+=(-n)
    if ! command -v sudo >/dev/null; then
        echo "There is no sudo here. As root, please run: apt-get install ${missing[*]}" >&2
        exit 1
    fi
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 "$@" >>"$log" 2>&1 </dev/null; }

echo "Installing ${missing[*]}" >&2
# A source of somebody else's that does not answer is no reason to stop: the installation itself decides.
apt update || true
if ! apt install --no-install-recommends "${missing[@]}"; then
    cat "$log" >&2
    echo "apt-get could not install ${missing[*]}" >&2
    exit 1
fi
