#!/bin/bash
# Makes the Debian sysroots that armhf.cmake and arm64.cmake build against, and prints the folder of each.
#
#   make-sysroot.sh [armhf|arm64]...        (both without an argument)
#
# A sysroot goes to ~/.cache/veritytool/sysroot-ARCH and is made again only when the package list below or the
# distribution's release changes. A folder named by VERITYTOOL_SYSROOT_ARMHF or VERITYTOOL_SYSROOT_ARM64 is taken as
# it is. The mirror is the one that apt on this machine uses, or VERITYTOOL_MIRROR. No root rights are needed: the
# packages are only unpacked, and nothing of the other architecture runs.
#
# Exit status 77: this machine has no package source for that architecture (Ubuntu keeps ARM on another mirror).
set -euo pipefail
export LC_ALL=C

# The C++ library's headers come with the cross compiler, the library itself as a dependency of oneTBB.
packages=(
    libc6-dev linux-libc-dev
    libboost-program-options-dev libboost-iostreams-dev libtbb-dev nlohmann-json3-dev
    libgtest-dev libgmock-dev
    libssl-dev libgcrypt20-dev libsodium-dev libbotan-2-dev
)

say() { echo "make-sysroot: $*" >&2; }

# What apt reads the distribution's own packages from: architecture and mirror of each source.
apt_sources() {
    apt-get indextargets --format '$(CREATED_BY) $(COMPONENT) $(ARCHITECTURE) $(ORIGIN) $(RELEASE) $(CODENAME) $(REPO_URI)' |
        awk -v id="$ID" -v suite="$VERSION_CODENAME" '
            # Before the first apt-get update the origin and the codename are empty, which awk sees as missing fields.
            $1 == "Packages" && $2 == "main" && ($5 == suite || $6 == suite || $4 == suite) {
                if (NF == 7 && tolower($4) != id) next
                print $3, $NF
            }'
}

find_mirror() {
    local arch=$1 sources
    if [[ -n ${VERITYTOOL_MIRROR:-} ]]; then
        echo "$VERITYTOOL_MIRROR"
        return
    fi
    sources=$(apt_sources)
    # Debian keeps every architecture on one mirror; elsewhere only a source that names the architecture has it.
    awk -v arch="$arch" -v any="$([[ $ID == debian ]] && echo 1)" '
        $1 == arch { print $2; found = 1; exit }
        any && !first { first = $2 }
        END { if (!found && first) print first }' <<<"$sources"
}

unpack() {
    local arch=$1 target=$2 mirror=$3 log=$2.log components=main signed="" link
    local keyring=/usr/share/keyrings/$ID-archive-keyring.gpg
    [[ $ID != ubuntu ]] || components="main universe"
    [[ ! -e $keyring ]] || signed="[signed-by=$keyring]"
    if ! mmdebstrap --mode=chrootless --skip=check/chrootless --variant=extract --architectures="$arch" \
        --include="$(IFS=,; echo "${packages[*]}")" "$VERSION_CODENAME" "$target" \
        "deb $signed $mirror $VERSION_CODENAME $components" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        return 1
    fi

    # Only what compilers, CMake and qemu-user's -L look at: with a /dev or an /etc in the sysroot an emulated program
    # would be shown those instead of the machine's own.
    find "$target" -mindepth 1 -maxdepth 1 ! -name usr ! -name lib -exec rm -rf {} +
    find "$target/usr" -mindepth 1 -maxdepth 1 ! -name include ! -name lib ! -name share -exec rm -rf {} +
    find "$target/usr/share" -mindepth 1 -maxdepth 1 ! -name cmake ! -name pkgconfig -exec rm -rf {} +

    # libm.so -> /lib/arm-linux-gnueabihf/libm.so.6 would lead out of the sysroot.
    find "$target" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
        ln -sfn "$(realpath -ms --relative-to="$(dirname "$link")" "$target$(readlink "$link")")" "$link"
    done
}

make_sysroot() {
    local arch=$1 root=$cache/sysroot-$1 override=VERITYTOOL_SYSROOT_${1^^} stamp mirror
    if [[ -n ${!override:-} ]]; then
        echo "${!override}"
        return
    fi
    stamp="$VERSION_CODENAME ${packages[*]}"
    mkdir -p "$cache"
    exec 9>"$cache/.sysroot-$arch.lock"
    flock 9
    if [[ $(cat "$root/.made-from" 2>/dev/null) != "$stamp" ]]; then
        command -v mmdebstrap >/dev/null || { say "mmdebstrap is needed (Debian package mmdebstrap)"; return 1; }
        mirror=$(find_mirror "$arch")
        if [[ -z $mirror ]]; then
            say "apt on this machine has no source of $ID packages for $arch; name a mirror in VERITYTOOL_MIRROR"
            return 77
        fi
        say "making $root (once, about 350 MB)"
        # Under the lock such a folder can only be what a killed run left.
        rm -rf "$cache/.making-$arch".*
        work=$(mktemp -d "$cache/.making-$arch.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        unpack "$arch" "$work/sysroot" "$mirror"
        chmod 755 "$work/sysroot"
        echo "$stamp" >"$work/sysroot/.made-from"
        # Moved aside before it is deleted: whoever looks meanwhile sees the old one whole, none, or the new one whole.
        [[ ! -e $root ]] || mv "$root" "$work/old"
        mv "$work/sysroot" "$root"
    fi
    echo "$root"
}

cache=${HOME:?}/.cache/veritytool
# shellcheck source=/dev/null
[[ ! -r /etc/os-release ]] || . /etc/os-release
: "${ID:=unknown}" "${VERSION_CODENAME:=unknown}"
[[ $# -gt 0 ]] || set -- armhf arm64
for arch; do
    case $arch in
        armhf | arm64) ;;
        *) say "unknown architecture $arch (armhf, arm64)"; exit 1 ;;
    esac
done
for arch; do
    # A subshell of its own frees each lock and each work folder as soon as that sysroot is done. No || or if around
    # it: either would switch off errexit inside.
    (make_sysroot "$arch")
done
