#!/bin/bash
# Makes small real filesystem images, the same bytes on every run: OUTDIR/ext4.img, squashfs.img and erofs.img, each
# holding the same folder of files.
#
#   make-images.sh OUTDIR
#
# Nothing of the machine gets in: times, identifiers, hash seeds, owners and modes are fixed, and so is the order of
# files. Only the versions of the mkfs programs matter; expected-roots.txt names those that its figures hold for.
set -euo pipefail
export LC_ALL=C PATH=$PATH:/usr/sbin:/sbin
umask 022

[[ $# == 1 ]] || { echo "usage: ${0##*/} OUTDIR" >&2; exit 1; }
for program in python3 mke2fs debugfs mksquashfs mkfs.erofs; do
    command -v "$program" >/dev/null || { echo "make-images: $program is not installed" >&2; exit 1; }
done

readonly time=1700000000 # 2023-11-14 22:13:20 UTC
readonly uuid=76657269-7479-746f-6f6c-696d61676573
# mksquashfs refuses the variable beside options that say the same.
unset SOURCE_DATE_EPOCH
export E2FSPROGS_FAKE_TIME=$time

mkdir -p "$1"
out=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A folder like a small device's root: programs (bytes that do not compress), texts (that do), many small files, deep
# folders, links, an empty file, zeros, and sizes on both sides of the 4096-byte block. Every byte comes from SHAKE-128
# of the file's name. debugfs.txt in the work folder gets the commands that put the same tree into an ext4 image.
mkdir "$work/folder"
python3 - "$work/folder" >"$work/debugfs.txt" <<'PYTHON'
import hashlib, os, sys

root = sys.argv[1]
WORDS = "the block hash tree root salt data level image device kernel reads bytes of one and is in no more".split()


def noise(name, size):
    return hashlib.shake_128(name.encode()).digest(size)


def text(name, lines):
    stream = iter(noise(name, lines * 12))
    return b"".join(b" ".join(WORDS[next(stream) % len(WORDS)].encode() for _ in range(12)) + b"\n" for _ in range(lines))


tree = {
    "etc/hostname": b"verity\n",
    "etc/os-release": b'NAME="Example Linux"\nID=example\nVERSION_ID=1\n',
    "etc/empty": b"",
    "lib/zeros.bin": bytes(256 * 1024),
    "lib/gap.bin": noise("head", 4096) + bytes(128 * 1024) + noise("tail", 4096),
    "usr/share/a/b/c/d/e/f/g/deep.txt": b"eight folders down\n",
    "usr/share/name with spaces/" + "n" * 200: b"long name\n",
}
tree |= {f"bin/program{i}": noise(f"program{i}", 300_000 + 40_961 * i) for i in range(5)}
tree |= {f"usr/share/doc/text{i}.txt": text(f"text{i}", 2000 * (i + 1)) for i in range(6)}
tree |= {f"usr/share/edge/size{n}": noise(f"size{n}", n) for n in (1, 4095, 4096, 4097, 8191, 8192, 131071, 131072, 131073)}
tree |= {f"var/many/{i:04}": text(f"many{i}", i % 40) for i in range(600)}
links = {"bin/sh": "program0", "etc/mtab": "/proc/self/mounts", "lib64": "lib", "var/long": "../" * 30 + "etc/hostname"}

folders = sorted({os.path.dirname(p)[:i] for p in tree for i, c in enumerate(os.path.dirname(p) + "/") if c == "/"})
for path in folders:
    os.mkdir(os.path.join(root, path))
    print(f'mkdir "/{path}"')
for path, content in sorted(tree.items()):
    full = os.path.join(root, path)
    with open(full, "wb") as file:
        file.write(content)
    os.chmod(full, 0o755 if path.startswith("bin/") else 0o644)
    print(f'cd "/{os.path.dirname(path)}"\nwrite "{path}" "{os.path.basename(path)}"')
for path, target in sorted(links.items()):
    os.symlink(target, os.path.join(root, path))
    print(f'cd "/{os.path.dirname(path)}"\nsymlink "{os.path.basename(path)}" "{target}"')
PYTHON

# The programs' output is wanted only when they fail.
quietly() { "$@" >"$work/log" 2>&1 </dev/null || { cat "$work/log" >&2; echo "make-images: $1 failed" >&2; exit 1; }; }

# mke2fs -d would take owners and change times from the folder and the order of files from its filesystem; debugfs
# writes as root, at the fixed time, in the order it is told. The machine's mke2fs.conf must not add features.
make_ext4() {
    cat >"$work/mke2fs.conf" <<'CONF'
[fs_types]
ext4 = {
    base_features = sparse_super,large_file,filetype,dir_index,ext_attr
    features = extent,huge_file,flex_bg,64bit,dir_nlink,extra_isize,metadata_csum
}
CONF
    MKE2FS_CONFIG=$work/mke2fs.conf quietly mke2fs -q -t ext4 -b 4096 -I 256 -N 1024 -m 0 -L verity -U "$uuid" \
        -E "hash_seed=$uuid,lazy_itable_init=0,root_owner=0:0" "$work/ext4.img" 8M
    (cd "$work/folder" && quietly debugfs -w -f "$work/debugfs.txt" "$work/ext4.img")
    # debugfs ends with status 0 whatever its commands did.
    quietly e2fsck -fn "$work/ext4.img"
}

make_squashfs() {
    quietly mksquashfs "$work/folder" "$work/squashfs.img" -noappend -no-progress -comp gzip -b 131072 -processors 1 \
        -all-root -root-mode 755 -no-xattrs -mkfs-time "$time" -all-time "$time"
}

make_erofs() {
    quietly mkfs.erofs -zlz4hc -x-1 -T"$time" -U"$uuid" --all-root "$work/erofs.img" "$work/folder"
}

for filesystem in ext4 squashfs erofs; do
    "make_$filesystem"
    mv "$work/$filesystem.img" "$out/$filesystem.img"
done
