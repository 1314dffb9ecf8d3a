"""Corruption of every kind, against what reference.py's own verifier finds."""

import reference
from harness import CliTest, emulated, thinned
from reference import Parameters

SALT = bytes(range(32))

# Small trees of two to four levels: with digests that fill their slots, that leave padding in them (SHA-1), packed
# with a tail (format 0), and with data and hash blocks of other sizes.
TREES = [
    (Parameters("blake2b-256", 1, 512, 512, SALT), 300),
    (Parameters("sha1", 1, 512, 512, SALT), 300),
    (Parameters("sha1", 0, 512, 512, SALT), 280),
    (Parameters("sha512", 1, 1024, 512, b""), 70),
    (Parameters("blake2s-256", 1, 512, 1024, b"x", uuid=None), 100),
    (Parameters("blake2b-512", 0, 512, 4096, SALT, hash_offset=1536), 65),
    (Parameters("sha256", 1, 4096, 4096, bytes(range(256))), 130),
]


class CorruptionTest(CliTest):
    def make(self, p, blocks):
        self.p, self.blocks = p, blocks
        self.data = bytearray(self.random.randbytes(blocks * p.data_block_size))
        tree = reference.build(bytes(self.data), p)
        self.hash_file, self.root = bytearray(tree.hash_file), tree.root
        self.levels = p.levels(blocks)

    def verify(self, *options, root=None):
        """The report of verify --json, which must be the reference's."""
        root = root or self.root
        self.write("a.img", self.data)
        self.write("a.hash", self.hash_file)
        state, actual, findings = reference.verify(bytes(self.data), bytes(self.hash_file), self.p, self.blocks, root)
        good = state == "matches" and not findings
        given = [*self.p.verify_options, *options]
        if not self.p.uuid:
            given.append(f"--data-blocks={self.blocks}")
        result = self.tool("verify", "--json", *given, "a.img", "a.hash", root.hex(), status=0 if good else 2)
        report = result.json()
        self.assertEqual(report["valid"], good, result)
        self.assertEqual(report["root"], state, result)
        self.assertEqual(report["actual_root"], actual.hex(), result)
        self.assertEqual(report["data_blocks"], self.blocks, result)
        self.assertEqual(report["findings"], findings, result)
        return report

    def rebuild_above(self, level):
        """Makes all above `level` consistent with it, and the root too."""
        for upper in range(level + 1, len(self.levels)):
            blocks, size = self.level_bytes(upper - 1)
            packed = reference.pack_level(self.p, self.p.digests(blocks, size))
            offset = self.levels[upper][0]
            self.hash_file[offset : offset + len(packed)] = packed
        blocks, size = self.level_bytes(len(self.levels) - 1)
        self.root = self.p.digest(blocks)

    def level_bytes(self, level):
        if level < 0:
            return bytes(self.data), self.p.data_block_size
        offset, blocks = self.levels[level]
        size = blocks * self.p.hash_block_size
        return bytes(self.hash_file[offset : offset + size]), self.p.hash_block_size


class Flips(CorruptionTest):
    """One bit at a time, of every class of bytes that there is."""

    def each_tree(self):
        for p, blocks in TREES if not emulated() else TREES[:3]:
            self.make(p, blocks)
            yield p

    def positions(self, first, size, count):
        """The first and last byte, and some between."""
        chosen = {first, first + size - 1} | {first + self.random.randrange(size) for _ in range(count)}
        return thinned(sorted(chosen), 3)

    def flipped(self, bytes_, offset):
        bit = 1 << self.random.randrange(8)
        bytes_[offset] ^= bit
        try:
            return self.verify()
        finally:
            bytes_[offset] ^= bit

    def test_nothing_wrong(self):
        for _ in self.each_tree():
            self.assertTrue(self.verify()["valid"])

    def test_data(self):
        for p in self.each_tree():
            for offset in self.positions(0, len(self.data), 10):
                report = self.flipped(self.data, offset)
                self.assertEqual(len(report["findings"]), 1)
                found = report["findings"][0]
                block = offset // p.data_block_size
                self.assertEqual(
                    (found["fault"], found["area"], found["first"], found["count"], found["offset"], found["size"]),
                    ("digest", "data", block, 1, block * p.data_block_size, p.data_block_size),
                )

    def test_digests_of_each_level(self):
        """The hash block is bad, and what it speaks for is unverifiable."""
        for p in self.each_tree():
            for level, (start, blocks) in enumerate(self.levels):
                for block in {0, blocks - 1, self.random.randrange(blocks)}:
                    at = start + block * p.hash_block_size + self.random.randrange(p.digest_size)
                    report = self.flipped(self.hash_file, at)
                    found = report["findings"][0]
                    self.assertEqual(
                        (found["fault"], found["area"], found["level"], found["first"], found["offset"]),
                        ("digest", "hash", level, block, start + block * p.hash_block_size),
                    )
                    faults = {f["fault"] for f in report["findings"][1:]}
                    self.assertEqual(faults, {"unverifiable"})
                    top = level == len(self.levels) - 1
                    self.assertEqual(report["root"], "top-block-corrupt" if top else "matches")

    def padding_bytes(self, level):
        """Offsets in the hash file of bytes of the level that must be zero: in slots, behind the last digest of a full
        block and behind the last digest of all."""
        p = self.p
        start, blocks = self.levels[level]
        below = self.levels[level - 1][1] if level else self.blocks
        last_used = (below - 1) % p.digests_per_block + 1
        found = []
        if p.slot_size > p.digest_size:
            found += [start + p.digest_size, start + 2 * p.slot_size - 1]
        if p.digests_per_block * p.slot_size < p.hash_block_size:
            found += [start + p.digests_per_block * p.slot_size, start + p.hash_block_size - 1]
        if last_used < p.digests_per_block:
            last = start + (blocks - 1) * p.hash_block_size
            found += [last + last_used * p.slot_size, last + p.hash_block_size - 1]
        return found

    def test_padding(self):
        """The block above sees it, as it sees any other change."""
        kinds = 0
        for _ in self.each_tree():
            for level in range(len(self.levels)):
                for offset in self.padding_bytes(level):
                    kinds += 1
                    report = self.flipped(self.hash_file, offset)
                    self.assertFalse(report["valid"])
                    self.assertEqual(report["findings"][0]["level"], level)
                    if level == len(self.levels) - 1:
                        self.assertEqual(report["root"], "top-block-corrupt")
        self.assertGreater(kinds, 10)

    def test_padding_with_a_consistent_tree_above(self):
        """Whoever made the tree put something there: only a look at the padding itself tells."""
        for p in self.each_tree():
            for level in range(len(self.levels)):
                for offset in self.padding_bytes(level):
                    hash_file, root = bytes(self.hash_file), self.root
                    self.hash_file[offset] ^= 0x10
                    self.rebuild_above(level)
                    report = self.verify()
                    found = report["findings"]
                    self.assertEqual(len(found), 1)
                    start = self.levels[level][0]
                    block = (offset - start) // p.hash_block_size
                    self.assertEqual(
                        (found[0]["fault"], found[0]["level"], found[0]["first"], found[0]["padding_offset"]),
                        ("padding", level, block, offset),
                    )
                    self.hash_file, self.root = bytearray(hash_file), root

    def test_between_superblock_and_tree(self):
        """Bytes that belong to nothing do not matter."""
        self.make(Parameters(hash_block_size=4096, data_block_size=512), 40)
        self.hash_file[512] ^= 1
        self.hash_file[4095] ^= 1
        self.assertTrue(self.verify()["valid"])


class Ranges(CorruptionTest):
    def test_random_corruption(self):
        """Many flips at a time, in the data and in the tree."""
        for p, blocks in TREES:
            for round in range(3 if emulated() else 25):
                with self.subTest(p=p, round=round):
                    self.make(p, blocks)
                    for _ in range(self.random.randrange(1, 30)):
                        self.data[self.random.randrange(len(self.data))] ^= 0x40
                    if self.random.random() < 0.6:
                        start = self.levels[-1][0] + (p.hash_block_size if self.random.random() < 0.8 else 0)
                        for _ in range(self.random.randrange(3)):
                            if start < len(self.hash_file):
                                self.hash_file[self.random.randrange(start, len(self.hash_file))] ^= 2
                    self.verify()

    def test_neighbours_are_one_range(self):
        self.make(Parameters(data_block_size=512, hash_block_size=512), 300)
        for block in (*range(17, 19), *range(100, 200), 299):
            self.data[block * 512 + block] ^= 0x80
        report = self.verify()
        ranges = [(f["first"], f["count"]) for f in report["findings"]]
        self.assertEqual(ranges, [(17, 2), (100, 100), (299, 1)])

    def test_ranges_over_pieces_of_a_large_image(self):
        """Threads work on pieces; what they find must still come out in order and in one range."""
        p = Parameters(data_block_size=4096, hash_block_size=512)
        self.make(p, 300 if emulated() else 3000)
        for block in range(50, self.blocks - 10):
            self.data[block * 4096] ^= 1
        for threads in (1, 2, 7):
            report = self.verify(f"--threads={threads}")
            self.assertEqual(len(report["findings"]), 1)

    def test_everything_corrupt(self):
        self.make(Parameters("sha1", 1, 512, 512), 300)
        self.data = bytearray(len(self.data))
        report = self.verify()
        self.assertEqual([(f["first"], f["count"]) for f in report["findings"]], [(0, 300)])

    def test_every_other_block(self):
        self.make(Parameters("sha256", 1, 512, 512), 300)
        for block in range(0, 300, 2):
            self.data[block * 512] ^= 1
        self.assertEqual(len(self.verify()["findings"]), 150)

    def test_unverifiable_levels_below(self):
        """A bad block high in a tree of four levels."""
        self.make(Parameters("sha512", 1, 512, 512), 600)
        start = self.levels[2][0]
        self.hash_file[start + 512] ^= 1
        report = self.verify()
        found = [(f["fault"], f.get("level"), f["first"], f["count"]) for f in report["findings"]]
        self.assertEqual(
            found,
            [
                ("digest", 2, 1, 1),
                ("unverifiable", 1, 8, 2),
                ("unverifiable", 0, 64, 11),
                ("unverifiable", None, 512, 88),
            ],
        )


class WrongRoots(CorruptionTest):
    def test_wrong_root(self):
        for p, blocks in TREES:
            with self.subTest(p=p):
                self.make(p, blocks)
                other = bytes([self.root[0] ^ 1]) + self.root[1:]
                report = self.verify(root=other)
                self.assertEqual((report["root"], report["findings"]), ("wrong", []))
                self.assertEqual(report["actual_root"], self.root.hex())

    def test_wrong_root_and_corruption_further_down(self):
        self.make(Parameters("sha256", 1, 512, 512), 300)
        self.data[1000] ^= 1
        report = self.verify(root=bytes(32))
        self.assertEqual(report["root"], "wrong")
        self.assertEqual([(f["area"], f["first"]) for f in report["findings"]], [("data", 1)])

    def test_top_block_corrupt(self):
        self.make(Parameters("sha256", 1, 512, 512), 300)
        self.hash_file[self.levels[-1][0] + 3] ^= 1
        report = self.verify()
        self.assertEqual(report["root"], "top-block-corrupt")
        self.assertEqual(report["findings"][0]["level"], 2)

    def test_one_data_block(self):
        for p in (Parameters(), Parameters("sha1", 0, 512, 512, b"x"), Parameters(uuid=None)):
            with self.subTest(p=p):
                self.make(p, 1)
                self.assertTrue(self.verify()["valid"])
                self.data[77] ^= 4
                report = self.verify()
                self.assertEqual(report["root"], "either")
                self.data[77] ^= 4
                report = self.verify(root=bytes(p.digest_size))
                self.assertEqual(report["root"], "either")

    def test_words(self):
        self.make(Parameters("sha256", 1, 512, 512), 300)
        self.write("a.img", self.data)
        self.write("a.hash", self.hash_file)
        result = self.tool("verify", "a.img", "a.hash", "00" * 32, status=2)
        self.assertIn(self.root.hex(), result.err)
        self.assertIn(f"{'00' * 32} is not the root hash of a.hash", result.err)

    def test_words_for_one_data_block(self):
        self.make(Parameters(), 1)
        self.write("a.img", self.data)
        self.write("a.hash", self.hash_file)
        result = self.tool("verify", "a.img", "a.hash", "00" * 32, status=2)
        self.assertIn("either the data block or the root hash is wrong", result.err)


class Words(CorruptionTest):
    """What people read."""

    def setUp(self):
        super().setUp()
        self.make(Parameters("sha256", 1, 4096, 4096, SALT), 1000)

    def run_verify(self, *options, status=2):
        self.write("a.img", self.data)
        self.write("a.hash", self.hash_file)
        return self.tool("verify", *options, "a.img", "a.hash", self.root.hex(), status=status)

    def test_good(self):
        result = self.run_verify(status=0)
        self.assertEqual(result.out, "")

    def test_corrupt_data(self):
        old = self.p.digest(self.data[17 * 4096 : 18 * 4096]).hex()
        self.data[17 * 4096 + 5] ^= 1
        self.data[18 * 4096 + 6] ^= 1
        new = self.p.digest(self.data[17 * 4096 : 18 * 4096]).hex()
        result = self.run_verify()
        self.assertEqual(
            result.out,
            f"data blocks 17-18: corrupt at byte 69632 of a.img (8192 bytes): expected {old}, found {new}\n",
        )
        self.assertTrue(
            result.err.startswith("veritytool: a.img: verification failed: 2 of 1000 data blocks corrupt"), result
        )

    def test_corrupt_hash_block(self):
        self.hash_file[self.levels[0][0] + 3 * 4096 + 9] ^= 1
        result = self.run_verify()
        lines = result.out.splitlines()
        offset = self.levels[0][0] + 3 * 4096
        self.assertEqual(len(lines), 2, result)
        self.assertTrue(lines[0].startswith(f"hash level 0 block 3: corrupt at byte {offset} of a.hash"), result)
        self.assertRegex(lines[0], r"expected [0-9a-f]{64}, found [0-9a-f]{64}$")
        self.assertTrue(lines[1].startswith("data blocks 384-511: unverifiable"), result)

    def test_padding(self):
        at = self.levels[0][0] + 8 * 4096 - 1
        self.hash_file[at] ^= 1
        self.rebuild_above(0)
        result = self.run_verify()
        self.assertTrue(result.out.startswith(f"hash level 0 block 7: padding not zero at byte {at} of a.hash"), result)


class Superblocks(CorruptionTest):
    """One bit of each field, and of each byte of it, at a time."""

    def setUp(self):
        super().setUp()
        self.make(Parameters("sha256", 1, 512, 512, SALT), 300)
        self.write("a.img", self.data)

    def run_flipped(self, bit, command="verify"):
        changed = bytearray(self.hash_file)
        changed[bit // 8] ^= 1 << bit % 8
        self.write("a.hash", changed)
        if command == "verify":
            result = self.finish(self.start("verify", "a.img", "a.hash", self.root.hex()))
        else:
            result = self.finish(self.start(command, "a.hash"))
        if result.status != 0:
            self.assert_one_line(result)
        return result

    def bits(self, field, step=1):
        offset, size = reference.FIELDS[field]
        return thinned(range(offset * 8, (offset + size) * 8, step), 9)

    def test_fields_that_name_one_thing_only(self):
        for field in ("signature", "version", "algorithm", "padding", "reserved"):
            for bit in self.bits(field, 1 if field != "reserved" else 37):
                with self.subTest(field=field, bit=bit):
                    for command in ("verify", "dump"):
                        result = self.run_flipped(bit, command)
                        self.assertEqual((result.status, result.out), (4, ""), result)
                        self.assertIn("a.hash: ", result.err)

    def test_hash_type(self):
        for bit in self.bits("hash_type"):
            with self.subTest(bit=bit):
                first = reference.FIELDS["hash_type"][0] * 8
                result = self.run_flipped(bit)
                # The lowest bit makes it the other format, for which the tree is wrong.
                self.assertEqual(result.status, 2 if bit == first else 4, result)

    def test_block_sizes(self):
        for field in ("data_block_size", "hash_block_size"):
            for bit in self.bits(field):
                with self.subTest(field=field, bit=bit):
                    self.assertEqual(self.run_flipped(bit).status, 4)
                    self.assertEqual(self.run_flipped(bit, "dump").status, 4)

    def test_data_blocks(self):
        """A smaller or larger number of blocks: found wrong, more than there are, or more than can be."""
        statuses = set()
        for bit in self.bits("data_blocks"):
            with self.subTest(bit=bit):
                count = self.blocks ^ 1 << (bit - 72 * 8)
                expected = (2,) if count < self.blocks else (1, 4)
                result = self.run_flipped(bit)
                self.assertIn(result.status, expected, result)
                statuses.add(result.status)
                if count * 512 >= 2**63:
                    self.assertEqual(result.status, 4, result)
        if not emulated():
            self.assertEqual(statuses, {1, 2, 4})

    def test_one_data_block_less(self):
        """All digests are right then; the last one is where zeros should be."""
        self.hash_file[:512] = self.p.superblock(299).ljust(512, b"\0")
        self.blocks = 299
        self.data = self.data[: 299 * 512]
        report = self.verify()
        self.assertEqual([f["fault"] for f in report["findings"]], ["padding"])

    def test_salt_size(self):
        for bit in self.bits("salt_size"):
            with self.subTest(bit=bit):
                size = len(SALT) ^ 1 << (bit - 80 * 8)
                # A shorter one leaves bytes behind it that must be zero; a longer one is another salt.
                expected = 2 if len(SALT) < size <= 256 else 4
                self.assertEqual(self.run_flipped(bit).status, expected)

    def test_salt(self):
        for bit in self.bits("salt", 29):
            with self.subTest(bit=bit):
                inside = bit < (88 + len(SALT)) * 8
                self.assertEqual(self.run_flipped(bit).status, 2 if inside else 4)

    def test_uuid_is_free(self):
        for bit in self.bits("uuid", 13):
            with self.subTest(bit=bit):
                self.assertEqual(self.run_flipped(bit).status, 0)

    def change(self, field, value):
        offset, size = reference.FIELDS[field]
        changed = bytearray(self.hash_file)
        changed[offset : offset + size] = value.to_bytes(size, "little") if isinstance(value, int) else value
        self.write("a.hash", changed)

    def test_words_field_by_field(self):
        for field, value, words in (
            ("signature", b"verity\0\1", ["no verity superblock"]),
            ("version", 0, ["version", "0"]),
            ("version", 2, ["version", "2"]),
            ("hash_type", 2, ["hash type", "2"]),
            ("algorithm", b"md5".ljust(32, b"\0"), ["md5"]),
            ("algorithm", bytes(32), ["hash algorithm"]),
            ("algorithm", b"s" * 32, ["s" * 32]),
            ("algorithm", b"SHA256".ljust(32, b"\0"), ["SHA256"]),
            ("algorithm", b"sha256\0x".ljust(32, b"\0"), ["sha256"]),
            ("algorithm", b"sha\n256".ljust(32, b"\0"), ["hash algorithm"]),
            ("data_block_size", 0, ["data block size", "0"]),
            ("data_block_size", 256, ["data block size", "256"]),
            ("data_block_size", 1 << 20, ["data block size", str(1 << 20)]),
            ("data_block_size", 1000, ["data block size", "1000"]),
            ("hash_block_size", 0, ["hash block size", "0"]),
            ("hash_block_size", 4097, ["hash block size", "4097"]),
            ("hash_block_size", 1 << 31, ["hash block size", str(1 << 31)]),
            ("data_blocks", 0, ["no data blocks"]),
            ("data_blocks", 2**64 - 1, [str(2**64 - 1)]),
            ("data_blocks", 2**55, [str(2**55)]),
            ("salt_size", 257, ["salt", "257"]),
            ("salt_size", 65535, ["salt", "65535"]),
            ("padding", b"\0\0\0\0\0\1", ["zero"]),
            ("reserved", bytes(167) + b"\1", ["zero"]),
        ):
            with self.subTest(field=field, value=value):
                self.change(field, value)
                for arguments in (
                    ["verify", "a.img", "a.hash", self.root.hex()],
                    ["dump", "a.hash"],
                    ["table", "a.img", "a.hash", self.root.hex()],
                ):
                    self.fails(*arguments, status=4, message="a.hash: ", names=words)

    def test_not_there(self):
        for size in (0, 1, 511):
            self.write("a.hash", self.hash_file[:size])
            for arguments in (["verify", "a.img", "a.hash", self.root.hex()], ["dump", "a.hash"]):
                self.fails(*arguments, status=4, message="a.hash: ", names=[size])
        self.write("a.hash", bytes(4096))
        self.fails("dump", "a.hash", status=4, message="a.hash: no verity superblock")

    def test_not_there_at_the_hash_offset(self):
        self.write("a.hash", self.hash_file)
        self.fails("dump", "--hash-offset=512", "a.hash", status=4, message="a.hash: no verity superblock")
        beyond = (len(self.hash_file) // 512 + 1) * 512
        self.fails("dump", f"--hash-offset={beyond}", "a.hash", status=4, message="a.hash: ", names=[beyond])
