"""dm-verity: what the kernel maps is the image, and what it refuses is what `verify` names."""

import itertools
import os
import re
import shlex
import subprocess

import reference
from bench import HERE, UUID, add_case, case, check, check_equal, flipped
from reference import Parameters

HASHES = ("blake2b-256", "sha256", "sha1", "sha512")
SIZES = (512, 1024, 4096)  # the kernel takes blocks up to its page
SALT_LENGTHS = (0, 1, 2, 8, 16, 20, 31, 32, 33, 63, 64, 65, 100, 111, 112, 127, 128, 129, 200, 255, 256)
BLOCKS = 300  # two to four levels, the last blocks of each partly filled
GIB = 1024**3


def make(bench, p, blocks=BLOCKS):
    """An image and its tree, which must be the book's: (content, name, hash file's name, root)."""
    content = bench.random.randbytes(blocks * p.data_block_size)
    data = bench.write(".img", content)
    hash_file = bench.write(".hash", b"")
    root = bench.format(p, data, hash_file)
    tree = reference.build(content, p)
    check_equal(root, tree.root.hex(), "root hash")
    check_equal(bench.read(hash_file), tree.hash_file, "hash file")
    return content, data, hash_file, root


def reads_as_the_image(bench, p, blocks=BLOCKS):
    content, data, hash_file, root = make(bench, p, blocks)
    bench.image(data, hash_file)
    table = bench.table(p, data, hash_file, root)
    bench.mapped(table, p.data_block_size, len(content))
    output = yield ""
    bench.check_captures(output, (content, set()))


def add_combinations():
    salts = itertools.cycle((b"", b"\x01", bytes(range(32)), bytes(range(1, 256)), bytes(range(256))))
    for number, (algorithm, data_size, hash_size) in enumerate(itertools.product(HASHES, SIZES, SIZES)):
        uuid = UUID if number % 2 else None
        p = Parameters(algorithm, number // 2 % 2, data_size, hash_size, next(salts), uuid)
        name = (
            f"verity {algorithm} {data_size}/{hash_size} format {p.format}, salt of {len(p.salt)},"
            f" {'with' if p.uuid else 'no'} superblock"
        )
        add_case(name, reads_as_the_image, p)
    for algorithm, format in itertools.product(("blake2b-256", "sha256"), (0, 1)):
        for length in SALT_LENGTHS:
            p = Parameters(algorithm, format, 512, 512, bytes(i * 7 + 1 & 255 for i in range(length)))
            add_case(f"verity {algorithm} format {format}, salt of {length}", reads_as_the_image, p, 20)
    for blocks in (1, 2, 15, 16, 17, 256, 257, 4097):
        p = Parameters("blake2b-256", 1, 512, 512, b"salt")
        add_case(f"verity of {blocks} blocks", reads_as_the_image, p, blocks)


add_combinations()


# --- corruption ------------------------------------------------------------------------------------------------------


def named_by_verify(bench, p, data, hash_file, root):
    """The data blocks that `verify` calls corrupt or unverifiable."""
    report = bench.tool_json("verify", *p.verify_options, data, hash_file, root, status=2)
    found = set()
    for finding in report["findings"]:
        if finding["area"] == "data":
            found |= set(range(finding["first"], finding["first"] + finding["count"]))
    return found


def below(p, level, block, blocks):
    """The data blocks under a hash block."""
    each = p.digests_per_block ** (level + 1)
    return set(range(block * each, min((block + 1) * each, blocks)))


def refuses_corrupt_data(bench, p):
    """Single bits: the first of the image, the last, and two in neighbouring blocks."""
    content, data, hash_file, root = make(bench, p)
    bits = [0, len(content) * 8 - 1, 17 * p.data_block_size * 8 + 77, 18 * p.data_block_size * 8]
    changed = flipped(content, *bits)
    bench.write(".img", changed)
    bench.image(data, hash_file)
    expected = {0, BLOCKS - 1, 17, 18}
    check_equal(named_by_verify(bench, p, data, hash_file, root), expected, "blocks that verify names")
    bench.mapped(bench.table(p, data, hash_file, root), p.data_block_size, len(content))
    output = yield ""
    bench.check_captures(output, (changed, expected))


def refuses_what_is_under_a_corrupt_hash_block(bench, p):
    """A bit in a digest, once in each level: the block that has it no longer has its own digest, so that all under it
    is lost. Of the uppermost block that is everything."""
    content, data, good, root = make(bench, p)
    levels = p.levels(BLOCKS)
    bench.image(data)
    expected = []
    for level, (offset, count) in enumerate(levels):
        block = count // 2
        name = bench.write(f".level{level}", flipped(bench.read(good), (offset + block * p.hash_block_size) * 8 + 3))
        bench.image(name)
        lost = below(p, level, block, BLOCKS)
        check_equal(named_by_verify(bench, p, data, name, root), lost, f"blocks that verify names, level {level}")
        bench.mapped(bench.table(p, data, name, root), p.data_block_size, len(content))
        expected.append((content, lost))
    output = yield ""
    bench.check_captures(output, *expected)
    bench.note = f"{len(levels)} levels"


for p in (
    Parameters("blake2b-256", 1, 4096, 4096, b"salt"),
    Parameters("blake2b-256", 1, 512, 512, bytes(range(256)), None),
    Parameters("blake2b-256", 0, 1024, 4096),
    Parameters("sha256", 1, 4096, 1024, b"x"),
    Parameters("sha256", 0, 512, 1024, b"salt"),
    Parameters("sha1", 1, 1024, 512, b"salt"),
    Parameters("sha512", 1, 512, 4096, b"salt"),
):
    name = f"{p.hash} {p.data_block_size}/{p.hash_block_size} format {p.format}"
    add_case(f"corrupt data, {name}", refuses_corrupt_data, p)
    add_case(f"corrupt tree, {name}", refuses_what_is_under_a_corrupt_hash_block, p)


@case
def wrong_root(bench):
    """Nothing can be read by another root: a suite that passed here would pass everything."""
    p = Parameters("blake2b-256", 1, 512, 512, b"salt")
    content, data, hash_file, root = make(bench, p)
    bench.image(data, hash_file)
    table = bench.table(p, data, hash_file, flipped(bytes.fromhex(root), 5).hex())
    bench.mapped(table, p.data_block_size, len(content))
    output = yield ""
    bench.check_captures(output, (content, set(range(BLOCKS))))


# --- opening ---------------------------------------------------------------------------------------------------------


def opens_with_veritysetup(bench, p):
    """By the superblock, if it has one. Where veritysetup does not know the hash the table serves, as is noted."""
    content, data, hash_file, root = make(bench, p)
    bench.image(data, hash_file)
    name = f"{bench.prefix}.v"
    words = ["veritysetup", "open", *p.verify_options, data, name, hash_file, root]
    table = shlex.quote(bench.table(p, data, hash_file, root).strip())
    output = yield (
        f"if {shlex.join(words)}; then echo by veritysetup; else\n"
        f"dmsetup create --readonly {name} --table {table}\nfi\n"
        f"{bench.capture(name, p.data_block_size, len(content))}dmsetup remove --retry {name}\n"
    )
    bench.check_captures(output, (content, set()))
    by_veritysetup = "by veritysetup" in output
    check(by_veritysetup or p.hash.startswith("blake2"), output)
    bench.note = "" if by_veritysetup else "by dmsetup: this veritysetup does not know the hash"


for p in (
    Parameters("blake2b-256", salt=b"salt"),
    Parameters("sha256", 1, 4096, 4096, b"salt"),
    Parameters("sha256", 0, 512, 1024, b"salt"),
    Parameters("sha1", 1, 1024, 512),
    Parameters("sha512", 1, 512, 4096, bytes(range(256))),
    Parameters("sha256", 1, 1024, 1024, b"salt", None),
    Parameters("sha256", 1, 512, 4096, b"s", hash_offset=8192 + 512),
):
    name = f"{p.hash} {p.data_block_size}/{p.hash_block_size} format {p.format}"
    name += "" if p.uuid else ", no superblock"
    add_case(f"veritysetup open, {name}, hash offset {p.hash_offset}", opens_with_veritysetup, p)


def kernel_command_line(bench, p, data, hash_file, root, name):
    """What dm-mod.create= takes, "NAME,UUID,MINOR,FLAGS,TABLE"."""
    printed = bench.tool("table", f"--kernel-cmdline={name}", *p.verify_options, data, hash_file, root)
    return re.search(r'dm-mod\.create="([^"]*)"', printed)[1]


@case
def concise_form(bench):
    """Debian's kernels take no dm-mod.create= themselves; dmsetup reads the same text."""
    p = Parameters("blake2b-256", salt=b"salt")
    content, data, hash_file, root = make(bench, p)
    bench.image(data, hash_file)
    name = f"{bench.prefix}.concise"
    concise = kernel_command_line(bench, p, data, hash_file, root, name)
    output = yield (
        f"dmsetup create --concise {shlex.quote(concise)}\n"
        f"{bench.capture(name, p.data_block_size, len(content))}dmsetup table {name}\ndmsetup remove --retry {name}\n"
    )
    bench.check_captures(output, (content, set()))
    check(f" {root} {p.salt.hex()}" in output, output)


@case
def table_options(bench):
    """Those that this kernel knows, on an image with a bad bit in block 7, which should be zero, and in block 100."""
    p = Parameters("blake2b-256", 1, 512, 512, b"salt")
    good = bytes(20 * 512) + bench.random.randbytes((BLOCKS - 20) * 512)
    data, hash_file = bench.write(".img", good), bench.write(".hash", b"")
    root = bench.format(p, data, hash_file)
    damaged = flipped(good, 8 * 7 * 512, 8 * 100 * 512)
    bench.write(".img", damaged)
    bench.image(data, hash_file)
    expected = []
    for flag, content, refused in (
        ("--ignore-corruption", damaged, set()),
        ("--ignore-zero-blocks", flipped(damaged, 8 * 7 * 512), {100}),  # by the tree zeros, so it does not look
        ("--check-at-most-once", damaged, {7, 100}),
        ("--use-tasklets", damaged, {7, 100}),
    ):
        bench.mapped(bench.table(p, data, hash_file, root, flag), 512, len(good))
        expected.append((content, refused))
    # These would stop the machine at the first bad block: the kernel only has to take them.
    commands, taken = "", ["--restart-on-corruption", "--panic-on-corruption"]
    for number, flag in enumerate(taken):
        table = shlex.quote(bench.table(p, data, hash_file, root, flag).strip())
        name = f"{bench.prefix}.o{number}"
        commands += f"dmsetup create --readonly {name} --table {table} && dmsetup table {name}; dmsetup remove {name}\n"
    output = yield commands
    bench.check_captures(output, *expected)
    for flag in taken:
        check(flag[2:].replace("-", "_") in output, f"{flag}: {output}")


@case
def options_newer_than_the_kernel(bench):
    """As text: 1 option, by its name in the kernel's documentation."""
    p = Parameters("blake2b-256", 1, 512, 512)
    _, data, hash_file, root = make(bench, p)
    yield ""
    for flag in ("--restart-on-error", "--panic-on-error"):
        line = bench.table(p, data, hash_file, root, flag)
        check(line.endswith(f" {root} - 1 {flag[2:].replace('-', '_')}\n"), line)


# --- where the tree lies ---------------------------------------------------------------------------------------------


def tree_at_an_offset(bench, p):
    """In a hash file that is a hole up to there, of which only what follows is compared."""
    content = bench.random.randbytes(BLOCKS * p.data_block_size)
    data, hash_file = bench.write(".img", content), bench.write(".hash", b"")
    root = bench.format(p, data, hash_file)
    tree = reference.build(content, p)
    check_equal(root, tree.root.hex(), "root hash")
    with open(bench.path(hash_file), "rb") as file:
        file.seek(p.hash_offset)
        check_equal(file.read(), tree.hash_area, "hash area")
    bench.image(data, hash_file)
    bench.mapped(bench.table(p, data, hash_file, root), p.data_block_size, len(content))
    output = yield ""
    bench.check_captures(output, (content, set()))


for p in (
    Parameters("sha256", 1, 512, 512, b"s", hash_offset=512),
    Parameters("sha1", 0, 1024, 4096, b"s", hash_offset=8192 + 512),
    Parameters("blake2b-256", 1, 512, 1024, b"s", None, hash_offset=40960),
    Parameters("blake2b-256", 1, 4096, 4096, b"s", hash_offset=2 * GIB),
    Parameters("sha256", 1, 512, 512, b"s", hash_offset=2 * GIB + 512),
    Parameters("blake2b-256", 1, 512, 512, b"s", hash_offset=4 * GIB - 512),
    Parameters("sha1", 1, 1024, 4096, b"s", None, hash_offset=4 * GIB + 4096),
):
    name = f"hash offset {p.hash_offset}, {p.hash} {p.hash_block_size}{'' if p.uuid else ', no superblock'}"
    add_case(name, tree_at_an_offset, p)


def tree_behind_the_data(bench, p, gap):
    """On one device, the tree right behind the data, or after a gap; over the data it is refused."""
    size = BLOCKS * p.data_block_size
    content = bench.random.randbytes(size)
    data = bench.write(".img", content)
    for offset in (0, (size - 1) // p.hash_block_size * p.hash_block_size):
        options = p.but(hash_offset=0).format_options
        bench.tool("format", *options, f"--hash-offset={offset}", f"--data-blocks={BLOCKS}", data, data, status=1)
    check_equal(bench.read(data), content, "the data that an overlapping tree was refused for")
    p = p.but(hash_offset=size + gap)
    root = bench.format(p, data, data, f"--data-blocks={BLOCKS}")
    check_equal(root, reference.build(content, p).root.hex(), "root hash")
    bench.image(data)
    options = [] if p.uuid else [f"--data-blocks={BLOCKS}"]
    table = bench.table(p, data, data, root, *options)
    bench.mapped(table, p.data_block_size, size)
    output = yield ""
    bench.check_captures(output, (content, set()))


add_case("tree behind the data", tree_behind_the_data, Parameters("blake2b-256", salt=b"s"), 0)
add_case("tree behind the data, 512", tree_behind_the_data, Parameters("sha256", 1, 512, 512, b"s"), 512)
p = Parameters("sha1", 1, 512, 4096, b"s", None)
add_case("tree behind the data, no superblock", tree_behind_the_data, p, 2048)


@case
def first_blocks_only(bench):
    """--data-blocks: the mapped device ends with them."""
    p = Parameters("sha256", 1, 512, 512, b"s")
    content = bench.random.randbytes(BLOCKS * 512)
    data, hash_file = bench.write(".img", content), bench.write(".hash", b"")
    root = bench.format(p, data, hash_file, "--data-blocks=123")
    bench.image(data, hash_file)
    bench.mapped(bench.table(p, data, hash_file, root), 512, 123 * 512)
    output = yield ""
    bench.check_captures(output, (content[: 123 * 512], set()))


# --- filesystems -----------------------------------------------------------------------------------------------------


def contents_of(folder):
    """Names and sums of the files, as the guest's sha256sum prints them."""
    command = "find . -type f -print0 | xargs -0 sha256sum"
    made = subprocess.run(command, shell=True, cwd=folder, capture_output=True, text=True, check=True)
    return sorted(made.stdout.splitlines())


def real_images(bench):
    """Makes them once for all cases; the folder has what is in each."""
    folder = os.path.join(bench.directory, "filesystems")
    if not os.path.exists(folder):
        bench.run(os.path.join(HERE, "..", "..", "images", "make-images.sh"), folder)
        bench.run("unsquashfs", "-q", "-n", "-d", os.path.join(folder, "root"), os.path.join(folder, "squashfs.img"))
    return folder


def mounts(bench, filesystem, p):
    folder = real_images(bench)
    with open(os.path.join(folder, f"{filesystem}.img"), "rb") as file:
        content = file.read()
    content += bytes(-len(content) % p.data_block_size)
    data, hash_file = bench.write(".img", content), bench.write(".hash", b"")
    root = bench.format(p, data, hash_file)
    bench.image(data, hash_file)
    name = f"{bench.prefix}.fs"
    table = shlex.quote(bench.table(p, data, hash_file, root).strip())
    output = yield (
        f"dmsetup create --readonly {name} --table {table}\n"
        f"mount -t {filesystem} -o ro /dev/mapper/{name} /mnt &&\n"
        "(cd /mnt && find . -type f -print0 | xargs -0 sha256sum) && umount /mnt\n"
        f"dmsetup remove --retry {name}\n"
    )
    expected = contents_of(os.path.join(folder, "root"))
    check_equal(sorted(output.splitlines()), expected, "files")
    bench.note = f"{len(expected)} files"


for filesystem, p in (
    ("ext4", Parameters("blake2b-256", salt=b"salt")),
    ("squashfs", Parameters("blake2b-256", 1, 1024, 4096, b"salt")),
    ("erofs", Parameters("sha256", salt=b"salt")),
):
    add_case(f"{filesystem} mounts, {p.hash}", mounts, filesystem, p)
