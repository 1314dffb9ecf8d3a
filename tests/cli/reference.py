"""dm-verity trees, slowly and by the book: what the program's trees and reports are held against.

Written from the format's description alone (Linux drivers/md/dm-verity-target.c, cryptsetup lib/verity/verity.c), with
Python's hashlib for the hashes; it shares nothing with the program.
"""

import hashlib
import struct
from dataclasses import dataclass, replace

HASHES = {
    "blake2b-256": lambda: hashlib.blake2b(digest_size=32),
    "blake2b-512": lambda: hashlib.blake2b(digest_size=64),
    "blake2s-256": lambda: hashlib.blake2s(digest_size=32),
    "sha1": hashlib.sha1,
    "sha256": hashlib.sha256,
    "sha512": hashlib.sha512,
}

SUPERBLOCK_SIZE = 512

# Superblock fields: name -> (offset, size) in bytes.
FIELDS = {
    "signature": (0, 8),
    "version": (8, 4),
    "hash_type": (12, 4),
    "uuid": (16, 16),
    "algorithm": (32, 32),
    "data_block_size": (64, 4),
    "hash_block_size": (68, 4),
    "data_blocks": (72, 8),
    "salt_size": (80, 2),
    "padding": (82, 6),
    "salt": (88, 256),
    "reserved": (344, 168),
}


@dataclass(frozen=True)
class Parameters:
    """What defines a hash file, apart from the data and the data's size."""

    hash: str = "blake2b-256"
    format: int = 1
    data_block_size: int = 4096
    hash_block_size: int = 4096
    salt: bytes = b""
    uuid: str | None = "01234567-89ab-cdef-0123-456789abcdef"  # None: no superblock
    hash_offset: int = 0

    @property
    def format_options(self):
        """The options of `format` for these."""
        return [
            f"--hash={self.hash}",
            f"--format={self.format}",
            f"--data-block-size={self.data_block_size}",
            f"--hash-block-size={self.hash_block_size}",
            f"--salt={self.salt.hex() or '-'}",
            *([f"--uuid={self.uuid}"] if self.uuid else ["--no-superblock"]),
            *self.offset_option,
        ]

    @property
    def verify_options(self):
        """The options of `verify`, `table` and `veritysetup open`: what a superblock does not say."""
        return self.offset_option if self.uuid else self.format_options

    @property
    def offset_option(self):
        return [f"--hash-offset={self.hash_offset}"] if self.hash_offset else []

    @property
    def digest_size(self):
        return HASHES[self.hash]().digest_size

    @property
    def digests_per_block(self):
        count = 1
        while count * 2 * self.digest_size <= self.hash_block_size:
            count *= 2
        return count

    @property
    def slot_size(self):
        return self.hash_block_size // self.digests_per_block if self.format == 1 else self.digest_size

    @property
    def tree_offset(self):
        header_end = self.hash_offset + (SUPERBLOCK_SIZE if self.uuid else 0)
        return -(-header_end // self.hash_block_size) * self.hash_block_size

    def but(self, **changes):
        return replace(self, **changes)

    def digest(self, block):
        state = HASHES[self.hash]()
        state.update(self.salt + block if self.format == 1 else block + self.salt)
        return state.digest()

    def digests(self, blocks, block_size):
        """The digests of consecutive blocks."""
        if self.format != 1:
            return [self.digest(blocks[i : i + block_size]) for i in range(0, len(blocks), block_size)]
        salted = HASHES[self.hash]()
        salted.update(self.salt)
        found = []
        for i in range(0, len(blocks), block_size):
            state = salted.copy()
            state.update(blocks[i : i + block_size])
            found.append(state.digest())
        return found

    def levels(self, data_blocks):
        """(offset in the hash file, blocks) of each level, the lowest first."""
        counts = []
        below = data_blocks
        while below > 1:
            below = -(-below // self.digests_per_block)
            counts.append(below)
        offset = self.tree_offset
        levels = []
        for blocks in reversed(counts):
            levels.insert(0, (offset, blocks))
            offset += blocks * self.hash_block_size
        return levels

    def tree_end(self, data_blocks):
        """The least size of the hash file."""
        levels = self.levels(data_blocks)
        if levels:
            return levels[0][0] + levels[0][1] * self.hash_block_size
        return self.tree_offset if self.uuid else self.hash_offset

    def superblock(self, data_blocks):
        return struct.pack(
            "<8sII16s32sIIQH6x256s168x",
            b"verity",
            1,
            self.format,
            bytes.fromhex(self.uuid.replace("-", "")),
            self.hash.encode(),
            self.data_block_size,
            self.hash_block_size,
            data_blocks,
            len(self.salt),
            self.salt,
        )


def pack_level(p, digests):
    """The hash blocks that hold these digests."""
    out = bytearray()
    for i in range(0, len(digests), p.digests_per_block):
        block = b"".join(digest.ljust(p.slot_size, b"\0") for digest in digests[i : i + p.digests_per_block])
        out += block.ljust(p.hash_block_size, b"\0")
    return bytes(out)


@dataclass
class Tree:
    parameters: Parameters
    data_blocks: int
    root: bytes
    hash_area: bytes  # from hash_offset on

    @property
    def hash_file(self):
        """All of a separate hash file."""
        return bytes(self.parameters.hash_offset) + self.hash_area


def tree_of_digests(p, digests):
    """The tree over data blocks that have these digests."""
    levels = []
    row = digests
    while len(row) > 1:
        levels.append(pack_level(p, row))
        row = p.digests(levels[-1], p.hash_block_size)
    area = b""
    if p.uuid:
        area = p.superblock(len(digests)).ljust(p.tree_offset - p.hash_offset, b"\0")
    return Tree(p, len(digests), row[0], area + b"".join(reversed(levels)))


def build(data, p):
    """The tree over `data`, whole data blocks."""
    assert data and len(data) % p.data_block_size == 0
    return tree_of_digests(p, p.digests(data, p.data_block_size))


# --- verification ----------------------------------------------------------------------------------------------------


def padding_fault(p, block, digests):
    """Where in a hash block with so many digests the first byte stands that is not zero and should be."""
    must_be_zero = bytearray(b"\1" * p.hash_block_size)
    for i in range(digests):
        must_be_zero[i * p.slot_size : i * p.slot_size + p.digest_size] = bytes(p.digest_size)
    return next((i for i, byte in enumerate(block) if byte and must_be_zero[i]), None)


def verify(data, hash_file, p, data_blocks, root):
    """(state of the root, actual root, findings). A finding is a dictionary as the program's --json has it."""
    levels = p.levels(data_blocks)

    def row(level):
        """(bytes, block size, offset in the file) of a level; -1: the data."""
        if level < 0:
            return data[: data_blocks * p.data_block_size], p.data_block_size, 0
        offset, blocks = levels[level]
        return hash_file[offset : offset + blocks * p.hash_block_size], p.hash_block_size, offset

    def faults(level, untrusted):
        """One finding for each bad block of a level, given the bad blocks of the level above."""
        blocks, size, offset = row(level)
        above = row(level + 1)[0]
        below = len(row(level - 1)[0]) // row(level - 1)[1] if level >= 0 else 0
        for i, actual in enumerate(p.digests(blocks, size)):
            parent, slot = divmod(i, p.digests_per_block)
            found = {"area": "data" if level < 0 else "hash", "first": i, "count": 1, "size": size}
            found |= {"offset": offset + i * size} | ({"level": level} if level >= 0 else {})
            at = parent * p.hash_block_size + slot * p.slot_size
            expected = above[at : at + p.digest_size]
            if parent in untrusted:
                yield found | {"fault": "unverifiable"}
            elif expected != actual:
                yield found | {"fault": "digest", "expected": expected.hex(), "actual": actual.hex()}
            elif level >= 0:
                used = min(p.digests_per_block, below - i * p.digests_per_block)
                padding = padding_fault(p, blocks[i * size : (i + 1) * size], used)
                if padding is not None:
                    yield found | {"fault": "padding", "padding_offset": offset + i * size + padding}

    if not levels:
        actual = p.digest(data[: p.data_block_size])
        return ("matches" if actual == root else "either"), actual, []

    top = len(levels) - 1
    block, size, offset = row(top)
    actual = p.digest(block)
    below = levels[top - 1][1] if top > 0 else data_blocks
    padding = padding_fault(p, block, below)
    found = {"area": "hash", "level": top, "first": 0, "count": 1, "offset": offset, "size": size}
    findings, untrusted, state = [], set(), "matches"
    if actual != root:
        consistent = padding is None and not list(faults(top - 1, set()))
        state = "wrong" if consistent else "top-block-corrupt"
        if not consistent:
            untrusted = {0}
            findings.append(found | {"fault": "digest", "expected": root.hex(), "actual": actual.hex()})
    elif padding is not None:
        findings.append(found | {"fault": "padding", "padding_offset": offset + padding})

    for level in range(top - 1, -2, -1):
        of_level = list(faults(level, untrusted))
        untrusted = {f["first"] for f in of_level if f["fault"] != "padding"}
        findings += of_level
    return state, actual, in_ranges(findings)


def in_ranges(findings):
    """Neighbours with the same fault made one."""
    ranges = []
    for found in findings:
        last = ranges[-1] if ranges else None
        same = last and all(last.get(key) == found.get(key) for key in ("area", "level", "fault"))
        if same and last["first"] + last["count"] == found["first"]:
            last["count"] += 1
            last["size"] += found["size"]
        else:
            ranges.append(dict(found))
    return ranges
