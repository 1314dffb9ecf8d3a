#!/usr/bin/env python3
"""Writes superblock_seeds/: valid superblocks, and for each field one with just that field out of order.

The seeds are committed; this says how they came about, and makes them again after a change."""
import pathlib
import struct

HERE = pathlib.Path(__file__).parent / "superblock_seeds"
SALT = bytes(range(32))


def superblock(signature=b"verity\0\0", version=1, hash_type=1, uuid=bytes(range(16)), algorithm=b"blake2b-256",
               data_block_size=4096, hash_block_size=4096, data_blocks=1000, salt_size=32, pad=b"", salt=SALT,
               reserved=b""):
    return struct.pack("<8sII16s32sIIQH6s256s168s", signature, version, hash_type, uuid, algorithm, data_block_size,
                       hash_block_size, data_blocks, salt_size, pad, salt, reserved)


SEEDS = {
    "good": {},
    "good_no_salt": dict(salt_size=0, salt=b""),
    "good_longest_salt": dict(salt_size=256, salt=bytes([7]) * 256),
    "good_format_0": dict(hash_type=0, algorithm=b"sha1"),
    "good_small_blocks": dict(algorithm=b"sha512", data_block_size=512, hash_block_size=524288),
    "signature": dict(signature=b"Verity\0\0"),
    "signature_end": dict(signature=b"verity\0\1"),
    "version_0": dict(version=0),
    "version_2": dict(version=2),
    "hash_type_2": dict(hash_type=2),
    "hash_type_huge": dict(hash_type=0xFFFFFFFF),
    "algorithm_empty": dict(algorithm=b""),
    "algorithm_unknown": dict(algorithm=b"md5"),
    "algorithm_upper_case": dict(algorithm=b"SHA256"),
    "algorithm_unterminated": dict(algorithm=b"sha256" + b"x" * 26),
    "algorithm_rest": dict(algorithm=b"sha256\0rest"),
    "algorithm_unprintable": dict(algorithm=b"\x1b[2J\xff"),
    "data_block_size_0": dict(data_block_size=0),
    "data_block_size_256": dict(data_block_size=256),
    "data_block_size_odd": dict(data_block_size=4097),
    "data_block_size_1m": dict(data_block_size=1 << 20),
    "hash_block_size_0": dict(hash_block_size=0),
    "hash_block_size_odd": dict(hash_block_size=1000),
    "hash_block_size_1m": dict(hash_block_size=1 << 20),
    "data_blocks_0": dict(data_blocks=0),
    "data_blocks_huge": dict(data_blocks=2**64 - 1),
    "data_blocks_overflow": dict(data_blocks=2**63 // 4096 + 1),
    "salt_size_257": dict(salt_size=257),
    "salt_size_65535": dict(salt_size=65535),
    "salt_longer_than_said": dict(salt_size=31),
    "pad": dict(pad=b"\0\0\0\0\0\1"),
    "reserved": dict(reserved=b"\0" * 167 + b"\1"),
}

if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for name, fields in SEEDS.items():
        (HERE / name).write_bytes(superblock(**fields))
    (HERE / "truncated").write_bytes(superblock()[:511])
    (HERE / "empty").write_bytes(b"")
