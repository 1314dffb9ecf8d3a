"""Trees, byte by byte against reference.py."""

import itertools
import os

import reference
from harness import CliTest, MIB, emulated, thinned
from reference import HASHES, Parameters

# Roots that other programs give.
E48D = "e48da609055204e89ae53b655ca2216dd983cf3cb829f34f63a297d106d53e2d"
KNOWN_ROOTS = [
    (lambda: bytes(8 * MIB), E48D, "sha256", "e522df0f97da4febb882ac40f30b37dc0b444bf6df418929463fa25280f09d5c"),
    (
        lambda: bytes(128 * 4096),
        "aee087a5be3b982978c923f566a94613496b417f2af592639bc80d141e34dfe7",
        "blake2b-256",
        "6d5b006af5308523f7db6956c60b2650ff3e7edab1e2194cc8ee19b1a1398c03",
    ),
    (
        lambda: bytes(range(256)) * (1028 * 4),
        "d00df00d",
        "blake2b-256",
        "9ed423dda921619181bf1889746fe2dd28ae1e673be8d802b4713122e3209513",
    ),
    (lambda: bytes(16385 * 4096), E48D, "sha256", "6d3e2e8907917fd2eacb49882bd3b0c7a413ab5bcfef0114bd63bc1e5f05b64b"),
]

SALTS = [b"", b"\x5a", bytes(range(32)), bytes(i * 7 & 255 for i in range(255)), bytes(range(256))]


class KnownRoots(CliTest):
    def test_known_roots(self):
        for data, salt, algorithm, root in KNOWN_ROOTS:
            with self.subTest(root=root):
                self.write("a.img", data())
                result = self.tool("format", f"--hash={algorithm}", f"--salt={salt}", "a.img", "a.hash")
                self.assertEqual(result.root, root)
                self.tool("verify", "a.img", "a.hash", root)

    def test_tree_sizes(self):
        for blocks, tree_blocks in ((127, 1), (128, 1), (129, 3), (16384, 129), (16385, 132)):
            with self.subTest(blocks=blocks):
                self.sparse_file("a.img", blocks * 4096)
                self.tool("format", "--no-superblock", "a.img", "a.hash")
                self.assertEqual(self.size("a.hash"), tree_blocks * 4096)


class Trees(CliTest):
    """Each program run builds one tree over the first `blocks` blocks of one file, whose digests are known."""

    def prepare(self, p, blocks):
        """Makes a.img, of so many blocks, and the digests of all of them."""
        self.digests = p.digests(self.random_file("a.img", blocks * p.data_block_size), p.data_block_size)

    def check(self, p, blocks, *options):
        """That the first `blocks` blocks of a.img give the reference's tree."""
        tree = reference.tree_of_digests(p, self.digests[:blocks])
        if os.path.exists(self.path("a.hash")):
            os.unlink(self.path("a.hash"))
        given = [*p.format_options, *options]
        if blocks < len(self.digests):
            given.append(f"--data-blocks={blocks}")
        result = self.tool("format", *given, "a.img", "a.hash")
        self.assertEqual(result.root, tree.root.hex(), result)
        self.assertEqual(self.read("a.hash"), tree.hash_file, result)
        return tree

    def check_sizes(self, p, sizes, salts=SALTS):
        salted = {}
        self.prepare(p, max(sizes))
        data = self.read("a.img")
        for blocks, salt in zip(sizes, itertools.cycle(salts)):
            q = p.but(salt=salt)
            if salt not in salted:
                salted[salt] = q.digests(data, p.data_block_size)
            self.digests = salted[salt]
            with self.subTest(hash=p.hash, format=p.format, blocks=blocks, salt=len(salt)):
                self.check(q, blocks)

    # Hash blocks of 512 bytes hold 8 or 16 digests: 300 data blocks make three levels.
    def test_every_size_to_300(self):
        for number, algorithm in enumerate(HASHES):
            p = Parameters(algorithm, data_block_size=512, hash_block_size=512)
            self.check_sizes(p, thinned(range(1 + number % 2, 301, 1), 23), SALTS[number % 5 :] + SALTS[: number % 5])

    def test_every_size_to_300_with_1024_byte_hash_blocks(self):
        for number, algorithm in enumerate(HASHES):
            p = Parameters(algorithm, data_block_size=512, hash_block_size=1024)
            self.check_sizes(p, thinned(range(1, 301, 3), 29), SALTS[number % 5 :] + SALTS[: number % 5])

    def test_every_size_to_300_in_format_0(self):
        for number, algorithm in enumerate(HASHES):
            p = Parameters(algorithm, format=0, data_block_size=512, hash_block_size=512)
            self.check_sizes(p, thinned(range(1 + number % 5, 301, 5), 17), SALTS[number % 5 :] + SALTS[: number % 5])

    def test_around_powers_of_the_digests_in_a_block(self):
        for algorithm, format in (("blake2b-256", 1), ("blake2b-512", 0), ("sha1", 1), ("sha512", 1)):
            p = Parameters(algorithm, format=format, data_block_size=512, hash_block_size=512)
            powers = [p.digests_per_block**n for n in (3, 4) if p.digests_per_block ** n <= 4096]
            powers += [] if emulated() else [p.digests_per_block * 1000 // 8]
            self.check_sizes(p, sorted({n + d for n in powers for d in (-1, 0, 1)} | {1, 2}))

    def test_five_levels(self):
        p = Parameters("sha512", data_block_size=512, hash_block_size=512)
        self.check_sizes(p, [8**5 - 1] if emulated() else [8**5 - 1, 8**5, 8**5 + 1], [b"salt"])

    def test_block_sizes_apart(self):
        sizes = [512, 1024, 4096, 65536, 524288]
        pairs = list(itertools.product(sizes, repeat=2))
        for (data_size, hash_size), (algorithm, salt) in zip(pairs, itertools.cycle(zip(HASHES, SALTS))):
            if emulated() and data_size == hash_size and data_size != 512:
                continue
            p = Parameters(algorithm, 1, data_size, hash_size, salt)
            with self.subTest(hash=algorithm, data_block_size=data_size, hash_block_size=hash_size):
                self.prepare(p, 1 + min(hash_size // p.slot_size * 2 + 3, 6 * MIB // data_size))
                self.check(p, len(self.digests))
                self.check(p.but(uuid=None), len(self.digests))

    def test_every_salt_length(self):
        for format in (0, 1):
            p = Parameters("blake2b-256", format, 512, 512)
            data = self.random_file("a.img", 20 * 512)
            for length in thinned(range(257), 37):
                q = p.but(salt=self.random.randbytes(length))
                with self.subTest(format=format, salt=length):
                    self.digests = q.digests(data, 512)
                    self.check(q, 20)

    def test_salts_of_each_hash(self):
        for algorithm, salt, format in itertools.product(HASHES, SALTS, (0, 1)):
            if emulated() and len(salt) in (1, 255):
                continue
            p = Parameters(algorithm, format, 4096, 4096, salt)
            with self.subTest(hash=algorithm, salt=len(salt), format=format):
                self.prepare(p, 70)
                self.check(p, 70)

    def test_hash_offset_in_a_file_of_its_own(self):
        for offset, hash_size in ((512, 512), (512, 4096), (4096 - 512, 4096), (4096, 4096), (8192 + 1024, 1024)):
            p = Parameters(data_block_size=512, hash_block_size=hash_size, hash_offset=offset)
            with self.subTest(offset=offset, hash_block_size=hash_size):
                self.prepare(p, 300)
                self.check(p, 300)
                self.check(p, 1)
                if offset % hash_size == 0:
                    self.check(p.but(uuid=None), 300)
                    self.check(p.but(uuid=None), 1)

    def test_hash_offset_beyond_4_gib(self):
        p = Parameters(data_block_size=512, hash_block_size=512, hash_offset=2**32 + 512)
        self.prepare(p, 40)
        tree = reference.tree_of_digests(p, self.digests)
        self.tool("format", *p.format_options, "a.img", "a.hash")
        with open(self.path("a.hash"), "rb") as file:
            file.seek(p.hash_offset)
            self.assertEqual(file.read(), tree.hash_area)
        self.tool("verify", f"--hash-offset={p.hash_offset}", "a.img", "a.hash", tree.root.hex())
        with open(self.path("a.hash"), "r+b") as file:
            file.seek(p.hash_offset + 512 + 2 * 512)
            file.write(b"\xff")
        result = self.tool(
            "verify", "--json", f"--hash-offset={p.hash_offset}", "a.img", "a.hash", tree.root.hex(), status=2
        )
        self.assertEqual(result.json()["findings"][0]["offset"], p.hash_offset + 3 * 512)

    def test_number_of_threads_does_not_matter(self):
        for p in (
            Parameters("blake2b-256", salt=b"s"),
            Parameters("sha1", 0, 512, 512),
            Parameters("sha512", 1, 65536, 512, b"s" * 200),
        ):
            blocks = (1 if emulated() else 5) * MIB // p.data_block_size + 3
            self.prepare(p, blocks)
            for threads in (1, 2, 7, 64):
                with self.subTest(hash=p.hash, threads=threads):
                    tree = self.check(p, blocks, f"--threads={threads}")
                    options = [*p.verify_options, f"--threads={threads}"]
                    self.tool("verify", *options, "a.img", "a.hash", tree.root.hex())

    def test_features_taken_away_do_not_matter(self):
        cores = self.tool("cores").out
        features = [f for f in ("avx512", "avx2", "sha", "neon", "sse41", "sha1", "sha2") if f in cores]
        p = Parameters("blake2b-256", salt=b"salt")
        self.prepare(p, 200)
        for hash in ("blake2b-256", "sha256", "sha1"):
            q = p.but(hash=hash)
            self.digests = q.digests(self.read("a.img"), 4096)
            tree = reference.tree_of_digests(q, self.digests)
            for feature in features:
                with self.subTest(hash=hash, without=feature):
                    environment = {"VERITYTOOL_CPU": "-" + feature}
                    result = self.tool("format", *q.format_options, "a.img", "b.hash", env=environment)
                    self.assertEqual(result.root, tree.root.hex())
                    self.assertEqual(self.read("b.hash"), tree.hash_file)


class AppendedTrees(CliTest):
    """--hash-offset into the data's own file."""

    def test_appended_to_the_data(self):
        for p, blocks in (
            (Parameters(data_block_size=512, hash_block_size=512, hash_offset=300 * 512), 300),
            (Parameters(data_block_size=512, hash_block_size=1024, hash_offset=301 * 512), 301),
            (Parameters("sha1", 0, 1024, 512, b"x", hash_offset=40 * 1024), 40),
            (Parameters(hash_offset=10 * 4096), 10),
            (Parameters(hash_offset=4096), 1),
        ):
            for uuid in (p.uuid, None):
                p = p.but(uuid=uuid)
                if not uuid and p.hash_offset % p.hash_block_size:
                    continue
                with self.subTest(p=p):
                    data = self.random_file("a.img", blocks * p.data_block_size)
                    tree = reference.build(data, p)
                    options = p.format_options
                    result = self.tool("format", *options, "a.img", "a.img")
                    self.assertEqual(result.root, tree.root.hex())
                    self.assertEqual(self.read("a.img"), data + tree.hash_area)
                    verify = p.verify_options
                    if not uuid:
                        verify.append(f"--data-blocks={blocks}")
                    self.tool("verify", *verify, "a.img", "a.img", result.root)

                    # Once more over the old tree: the data blocks must be given now.
                    self.tool("format", *options, f"--data-blocks={blocks}", "a.img", "a.img")
                    self.assertEqual(self.read("a.img"), data + tree.hash_area)

    def test_behind_a_gap(self):
        p = Parameters(data_block_size=512, hash_block_size=512, hash_offset=50 * 512)
        data = self.random_file("a.img", 20 * 512)
        tree = reference.build(data, p)
        self.tool("format", *p.format_options, "a.img", "a.img")
        self.assertEqual(self.read("a.img"), data + bytes(30 * 512) + tree.hash_area)

    def test_what_lies_around_the_tree_stays(self):
        """Only the first blocks are data; the tree goes between other bytes of the same file."""
        p = Parameters(data_block_size=512, hash_block_size=512, hash_offset=30 * 512)
        content = self.random_file("a.img", 100 * 512)
        tree = reference.build(content[: 20 * 512], p)
        self.tool("format", *p.format_options, "--data-blocks=20", "a.img", "a.img")
        end = p.tree_end(20)
        self.assertEqual(self.read("a.img"), content[: 30 * 512] + tree.hash_area + content[end:])

    def test_same_file_by_another_name(self):
        p = Parameters(data_block_size=512, hash_block_size=512, hash_offset=20 * 512)
        for make_name in (os.symlink, os.link):
            with self.subTest(name=make_name.__name__):
                data = self.random_file("a.img", 20 * 512)
                make_name(self.path("a.img"), self.path("b.img"))
                tree = reference.build(data, p)
                self.tool("format", *p.format_options, "a.img", "b.img")
                self.assertEqual(self.read("a.img"), data + tree.hash_area)
                self.tool("verify", f"--hash-offset={p.hash_offset}", "b.img", "a.img", tree.root.hex())
                os.unlink(self.path("b.img"))


class ExistingHashFiles(CliTest):
    def setUp(self):
        super().setUp()
        self.p = Parameters(data_block_size=512, hash_block_size=512)
        self.data = self.random_file("a.img", 100 * 512)

    def test_old_tail_does_not_survive(self):
        self.random_file("a.hash", 1_000_000)
        tree = reference.build(self.data, self.p)
        self.tool("format", *self.p.format_options, "a.img", "a.hash")
        self.assertEqual(self.read("a.hash"), tree.hash_file)

    def test_old_tail_behind_a_superblock_alone(self):
        self.random_file("a.hash", 10_000)
        p = self.p.but(hash_block_size=4096)
        tree = reference.build(self.data[:512], p)
        self.tool("format", *p.format_options, "--data-blocks=1", "a.img", "a.hash")
        self.assertEqual(self.read("a.hash"), tree.hash_file)
        self.assertEqual(len(tree.hash_file), 4096)

    def test_bytes_before_the_hash_offset_stay(self):
        old = self.random_file("a.hash", 100_000)
        p = self.p.but(hash_offset=8192)
        tree = reference.build(self.data, p)
        self.tool("format", *p.format_options, "a.img", "a.hash")
        self.assertEqual(self.read("a.hash"), old[:8192] + tree.hash_area)

    def test_shorter_than_the_hash_offset(self):
        old = self.random_file("a.hash", 1000)
        p = self.p.but(hash_offset=8192)
        tree = reference.build(self.data, p)
        self.tool("format", *p.format_options, "a.img", "a.hash")
        self.assertEqual(self.read("a.hash"), old + bytes(8192 - 1000) + tree.hash_area)

    def test_smaller_tree_over_larger(self):
        self.tool("format", *self.p.format_options, "a.img", "a.hash")
        tree = reference.build(self.data[: 3 * 512], self.p)
        self.tool("format", *self.p.format_options, "--data-blocks=3", "a.img", "a.hash")
        self.assertEqual(self.read("a.hash"), tree.hash_file)

    def test_one_block_without_superblock_makes_an_empty_file(self):
        self.random_file("a.hash", 10_000)
        p = self.p.but(uuid=None)
        result = self.tool("format", *p.format_options, "--data-blocks=1", "a.img", "a.hash")
        self.assertEqual(self.size("a.hash"), 0)
        self.assertEqual(result.root, p.digest(self.data[:512]).hex())
        self.tool("verify", *p.verify_options, "--data-blocks=1", "a.img", "a.hash", result.root)
