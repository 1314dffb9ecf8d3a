#!/bin/bash
# Makes what tests/kernel boots, out of Debian's own packages: DIR/vmlinuz and DIR/initramfs, and prints DIR.
#
#   make-vm.sh amd64|armhf|arm64
#
# DIR is ~/.cache/veritytool/kernel-ARCH-VERSION, made once for each version of Debian's kernel, and again when this
# script changes. The archive holds the kernel's modules for dm-verity and dm-crypt, a shell (busybox), and Debian's
# veritysetup, cryptsetup, dmsetup and keyctl; what runs in it comes from tests/kernel/guest at every run. The mirror
# is the one that apt on this machine uses, or VERITYTOOL_MIRROR. No root rights are needed: the packages are only
# unpacked, and nothing of the other architecture runs.
#
# Exit status 77: this machine is no Debian, or has no package source for that architecture.
set -euo pipefail
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin

say() { echo "make-vm: $*" >&2; }

# Folders and files below kernel/ in the modules' folder.
modules=(
    'arch/*/crypto' crypto lib # every implementation of each cipher and hash; lib has reed_solomon
    drivers/md drivers/dax drivers/virtio drivers/block/virtio_blk.ko
    drivers/char/virtio_console.ko drivers/char/hw_random
    fs/erofs fs/squashfs fs/ext4 fs/jbd2 fs/mbcache.ko
)
programs=(sbin/veritysetup sbin/cryptsetup sbin/dmsetup bin/keyctl)

kernel_package() {
    case $1 in
        amd64 | arm64) echo "linux-image-$1" ;;
        armhf) echo linux-image-armmp ;;
    esac
}

# Debian builds one version of the kernel for all of its architectures, so that what apt here offers for its own says
# whether a folder is out of date. Of the release itself: updates to it are in other places than the mirror.
kernel_version() {
    apt-cache madison "$(kernel_package "$(dpkg --print-architecture)")" 2>/dev/null |
        awk -F '[ |]+' -v place="$VERSION_CODENAME/main" '$4 == place && !found { print $2; found = 1 }'
}

find_mirror() {
    if [[ -n ${VERITYTOOL_MIRROR:-} ]]; then
        echo "$VERITYTOOL_MIRROR"
        return
    fi
    # Debian keeps every architecture on one mirror. Before the first apt-get update the codename is empty.
    apt-get indextargets --format '$(CREATED_BY) $(COMPONENT) $(REPO_URI) $(RELEASE) $(CODENAME)' |
        awk -v suite="$VERSION_CODENAME" \
            '$1 == "Packages" && $2 == "main" && ($4 == suite || $5 == suite) && !found { print $3; found = 1 }'
}

unpack() {
    local arch=$1 root=$2 mirror=$3 keyring=/usr/share/keyrings/debian-archive-keyring.gpg signed="" log=$2.log
    [[ ! -e $keyring ]] || signed="[signed-by=$keyring]"
    if ! mmdebstrap --mode=chrootless --skip=check/chrootless --variant=extract --architectures="$arch" \
        --include="$(kernel_package "$arch"),busybox-static,cryptsetup-bin,dmsetup,keyutils" \
        "$VERSION_CODENAME" "$root" "deb $signed $mirror $VERSION_CODENAME main" >"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        return 1
    fi
}

# The shared libraries that a program needs, and those that they need: readelf reads any architecture's, ldd does not.
copy_program() {
    local root=$1 target=$2 file=$3 name found
    [[ ! -e $target/$file ]] || return 0
    mkdir -p "$target/$(dirname "$file")"
    cp -L "$root/$file" "$target/$file"
    for name in $(readelf -dl "$root/$file" |
        sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p; s/.*program interpreter: \/\(.*\)\]/\1/p'); do
        found=$name
        [[ $name == */* ]] || found=$(cd "$root" && find lib usr/lib -name "$name" -not -path '*/modules/*' | head -n 1)
        [[ -n $found ]] || { say "$file needs $name, which no package brought"; return 1; }
        copy_program "$root" "$target" "$found"
    done
}

copy_modules() {
    local root=$1 target=$2 version=$3 base=lib/modules/$3
    mkdir -p "$target/$base"
    cp "$root/$base"/modules.{order,builtin,builtin.modinfo} "$target/$base/"
    # A pattern that this architecture has nothing for stays as it is, and find says so to no one.
    # shellcheck disable=SC2068
    (cd "$root/$base/kernel" && { find ${modules[@]} -name '*.ko' 2>/dev/null || true; } |
        cpio -pdm --quiet "$target/$base/kernel")
    depmod -b "$target" "$version"
    [[ -e $target/$base/kernel/drivers/md/dm-verity.ko ]] || { say "this kernel has no module dm-verity"; return 1; }
}

# The archive is not compressed: unpacking would cost more under emulation than reading it does.
pack() {
    local root=$1 out=$2 tree=$3 version file
    version=$(basename "$root"/lib/modules/*)
    mkdir -p "$tree"/{bin,sbin,dev,proc,sys,tmp,run}
    cp "$root/bin/busybox" "$tree/bin/"
    ln -s ../bin/busybox "$tree/sbin/modprobe" # where the kernel looks for it
    for file in "${programs[@]}"; do copy_program "$root" "$tree" "$file"; done
    copy_modules "$root" "$tree" "$version"
    cp -L "$root/boot/vmlinuz-$version" "$out/vmlinuz"
    cp "$root/boot/config-$version" "$out/config"
    (cd "$tree" && find . | LC_ALL=C sort | cpio -o -H newc --quiet --owner=0:0) >"$out/initramfs"
}

make_vm() {
    local arch=$1 version vm stamp mirror old
    version=$(kernel_version)
    vm=$cache/kernel-$arch-${version:-$VERSION_CODENAME}
    stamp=$(sha256sum <"${BASH_SOURCE[0]}")
    mkdir -p "$cache"
    exec 9>"$cache/.kernel-$arch.lock"
    flock 9
    if [[ $(cat "$vm/made-from" 2>/dev/null) != "$stamp" ]]; then
        mirror=$(find_mirror)
        if [[ -z $mirror ]]; then
            say "apt on this machine has no source of Debian packages; name one in VERITYTOOL_MIRROR"
            return 77
        fi
        say "making $vm (once, about 100 MB)"
        # Under the lock such a folder can only be what a killed run left.
        rm -rf "$cache/.making-kernel-$arch".*
        work=$(mktemp -d "$cache/.making-kernel-$arch.XXXXXX")
        trap 'rm -rf "$work"' EXIT
        unpack "$arch" "$work/root" "$mirror"
        mkdir "$work/vm"
        pack "$work/root" "$work/vm" "$work/tree"
        echo "$stamp" >"$work/vm/made-from"
        for old in "$cache/kernel-$arch-"*; do rm -rf "$old"; done
        mv "$work/vm" "$vm"
    fi
    echo "$vm"
}

cache=${HOME:?}/.cache/veritytool
# shellcheck source=/dev/null
[[ ! -r /etc/os-release ]] || . /etc/os-release
: "${VERSION_CODENAME:=unknown}"
case ${1:-} in
    amd64 | armhf | arm64) ;;
    *) echo "usage: ${0##*/} amd64|armhf|arm64" >&2; exit 1 ;;
esac
[[ ${ID:-} == debian ]] || { say "the kernels are Debian's: needs a Debian machine"; exit 77; }
for program in mmdebstrap cpio depmod readelf; do
    command -v "$program" >/dev/null || { say "$program is not installed"; exit 1; }
done
make_vm "$1"
