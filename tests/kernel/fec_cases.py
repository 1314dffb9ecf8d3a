"""Forward error correction: the kernel repairs damage with the parity, up to what the code can, and no further."""

import re

import reference
from bench import add_case, case, check, check_equal
from reference import Parameters
from verity_cases import below

CODEWORD = 255  # bytes of a Reed-Solomon codeword, `roots` of them parity


class Protected:
    """An image of 600 blocks with tree and parity: in three files, or all in one."""

    BLOCKS = 600

    def __init__(self, bench, p, roots, in_one_file):
        self.bench, self.p, self.roots = bench, p, roots
        size = self.BLOCKS * p.data_block_size
        self.content = bench.random.randbytes(size)
        self.data = bench.write(".img", self.content)
        # Names of the three places; the parity begins at its first block, or behind the tree.
        self.hash_file = self.fec = self.data
        self.options, fec_offset = [], 0
        if in_one_file:
            self.p = p = p.but(hash_offset=size)
            fec_offset = -(-p.tree_end(self.BLOCKS) // p.data_block_size) * p.data_block_size
            self.options = [f"--data-blocks={self.BLOCKS}"]
        else:
            self.hash_file, self.fec = bench.write(".hash", b""), bench.write(".fec", b"")
        parity = [f"--fec-device={self.fec}", f"--fec-roots={roots}", f"--fec-offset={fec_offset}"]
        self.root = bench.format(p, self.data, self.hash_file, *self.options, *parity)
        self.tree = reference.build(self.content, p)
        check_equal(self.root, self.tree.root.hex(), "root hash")
        tree_size = p.tree_end(self.BLOCKS) - p.tree_offset
        covered = self.BLOCKS + tree_size // p.data_block_size
        self.rounds = -(-covered // (CODEWORD - roots))  # interleaved: every so many blocks are of one codeword
        self.table_options = [
            f"--fec-device={self.fec}",
            f"--fec-roots={roots}",
            f"--fec-blocks={covered}",
            f"--fec-start={fec_offset // p.data_block_size}",
        ]

    def damage(self, data_blocks=(), hash_blocks=()):
        """Inverts all of these blocks of the image, and these of the tree, counted from its start."""
        p = self.p
        for name, start, size, blocks in (
            (self.data, 0, p.data_block_size, data_blocks),
            (self.hash_file, p.tree_offset, p.hash_block_size, hash_blocks),
        ):
            content = bytearray(self.bench.read(name))
            for block in blocks:
                at = slice(start + block * size, start + (block + 1) * size)
                content[at] = bytes(byte ^ 0xFF for byte in content[at])
            with open(self.bench.path(name), "wb") as file:
                file.write(content)

    def mapped(self, *options):
        """Has the guest read it, with these options of `table`."""
        p = self.p
        # The superblock has the number of data blocks; without one it has to be said.
        blocks = [] if p.uuid else self.options
        table = self.bench.table(p, self.data, self.hash_file, self.root, *blocks, *options)
        self.bench.mapped(table, p.data_block_size, len(self.content))

    def image(self):
        self.bench.image(*dict.fromkeys([self.data, self.hash_file, self.fec]))


def repairs(bench, p, roots, in_one_file):
    """As many neighbouring blocks as the parity can: `roots` of every codeword. Without the parity they are lost."""
    made = Protected(bench, p, roots, in_one_file)
    first, count = 40, made.rounds * roots
    made.damage(range(first, first + count))
    made.image()
    damaged = bench.read(made.data)[: len(made.content)]
    made.mapped(*made.table_options)
    made.mapped()
    output = yield ""
    bench.check_captures(output, (made.content, set()), (damaged, set(range(first, first + count))))
    bench.note = f"{count} blocks repaired"


def repairs_the_tree(bench, p, roots, in_one_file):
    """A hash block of the lowest level, and with it data blocks under it that are damaged too."""
    made = Protected(bench, p, roots, in_one_file)
    levels = p.levels(made.BLOCKS)
    lowest = (levels[0][0] - p.tree_offset) // p.hash_block_size
    block = lowest + 1
    # Each of another codeword than the hash block.
    other = [b for b in range(150, 250) if (b - made.BLOCKS - block) % made.rounds != 0][:2]
    made.damage(other, [block])
    made.image()
    damaged = bench.read(made.data)[: len(made.content)]
    made.mapped(*made.table_options)
    made.mapped()
    output = yield ""
    bench.check_captures(output, (made.content, set()), (damaged, below(p, 0, 1, made.BLOCKS) | set(other)))


def does_not_repair_more(bench, p, roots, in_one_file):
    """One block more of one codeword than it has parity: those are refused, a block of another codeword is repaired."""
    made = Protected(bench, p, roots, in_one_file)
    lost = {7 + i * made.rounds for i in range(roots + 1)}
    made.damage([*lost, 8])
    made.image()
    made.mapped(*made.table_options)
    output = yield ""
    bench.check_captures(output, (made.content, lost))


def reads_an_undamaged_image(bench, p, roots):
    """And does not need the parity, which is damaged all over."""
    made = Protected(bench, p, roots, False)
    bench.write(".fec", bytes(byte ^ 0x5A for byte in bench.read(made.fec)))
    made.image()
    made.mapped(*made.table_options)
    output = yield ""
    bench.check_captures(output, (made.content, set()))


for in_one_file in (False, True):
    where = "in one device" if in_one_file else "in three devices"
    for p, roots in (
        (Parameters("blake2b-256", salt=b"salt"), 2),
        # Small blocks: with so much parity a block of 4096 bytes costs a second under emulation.
        (Parameters("sha256", 1, 512, 512, b"salt"), 24),
        (Parameters("sha1", 1, 1024, 1024, b"s"), 7),
    ):
        name = f"{p.hash} {p.data_block_size}, {roots} roots, {where}"
        add_case(f"fec repairs data, {name}", repairs, p, roots, in_one_file)
        add_case(f"fec repairs the tree, {name}", repairs_the_tree, p, roots, in_one_file)
    p = Parameters("sha256", salt=b"salt")
    add_case(f"fec does not repair more, {where}", does_not_repair_more, p, 2, in_one_file)
add_case("fec leaves what is good", reads_an_undamaged_image, Parameters("sha256", salt=b"salt"), 2)


@case
def fec_is_in_the_log(bench):
    """The kernel says that it corrected: it was the parity, not a second copy, that the cases above read."""
    yield ""
    lines = re.findall(r"FEC .*: corrected (\d+) errors", bench.parts["dmesg"])
    check(lines, "no message that the parity was used")
