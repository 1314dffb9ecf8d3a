"""Sizes beyond 2^32 bytes, and memory that does not grow with them."""

import os
import sys

import reference
from harness import GIB, MIB, CliTest, Config, emulated
from reference import Parameters

LIMIT = 128 * MIB  # bytes of memory, for an image of any size
NOISE = 16 * MIB


# A process starts with its parent's peak, so this small one must be the parent.
MEASURE = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024))
sys.exit(status)
"""


class Large(CliTest):
    def setUp(self):
        super().setUp()
        if emulated():
            self.skipTest("too slow under an emulator")
        self.p = Parameters()
        self.options = self.p.format_options

    def measured(self, *arguments, **options):
        """The result of the program, and its peak memory in bytes."""
        peak = os.path.join(Config.scratch, "peak")
        result = self.tool(*arguments, wrapper=[sys.executable, "-S", "-c", MEASURE, peak], **options)
        with open(peak) as file:
            return result, int(file.read())

    def image(self, size):
        """A sparse file with one byte in it that is not zero, beyond 4 GiB, and the tree."""
        self.sparse_file("a.img", size)
        self.changed = size // 4096 - 3
        with open(self.path("a.img"), "r+b") as file:
            file.seek(self.changed * 4096 + 7)
            file.write(b"\x80")

    def tree(self, blocks):
        """The reference's, without hashing every block."""
        zero = self.p.digest(bytes(4096))
        one = self.p.digest(bytes(7) + b"\x80" + bytes(4088))
        return reference.tree_of_digests(self.p, [one if i == self.changed else zero for i in range(blocks)])

    def test_data_beyond_4_gib(self):
        self.image(5 * GIB)
        tree = self.tree(5 * GIB // 4096)
        result, peak = self.measured("format", *self.options, "a.img", "a.hash")
        self.assertEqual(result.root, tree.root.hex())
        self.assertEqual(self.read("a.hash"), tree.hash_file)
        self.assertLess(peak, LIMIT)

        with open(self.path("a.img"), "r+b") as file:
            for at in (2**32 - 1, 2**32):
                file.seek(at)
                file.write(b"\1")
        result, peak = self.measured("verify", "--json", "a.img", "a.hash", tree.root.hex(), status=2)
        self.assertEqual([(f["first"], f["count"]) for f in result.json()["findings"]], [(2**20 - 1, 2)])
        self.assertLess(peak, LIMIT)

    def test_tree_behind_5_gib_of_data(self):
        self.image(5 * GIB)
        self.p = self.p.but(hash_offset=5 * GIB)
        tree = self.tree(5 * GIB // 4096)
        result = self.tool("format", *self.options, f"--hash-offset={5 * GIB}", "a.img", "a.img")
        self.assertEqual(result.root, tree.root.hex())
        with open(self.path("a.img"), "rb") as file:
            file.seek(5 * GIB)
            self.assertEqual(file.read(), tree.hash_area)

    def check_peaks(self, p, sizes, *options):
        peaks = []
        for size in sizes:
            self.sparse_file("a.img", size)
            made, formatting = self.measured("format", *p.format_options, *options, "a.img", "a.hash")
            _, verifying = self.measured("verify", *options, "a.img", "a.hash", made.root)
            peaks.append((formatting, verifying))
        for small, large in zip(*peaks):
            self.assertLess(large, LIMIT)
            self.assertLess(large, small + NOISE)

    def test_memory_does_not_grow(self):
        self.check_peaks(self.p, (2 * GIB, 8 * GIB))

    def test_memory_does_not_grow_with_other_threads_and_blocks(self):
        for threads in (1, 64):
            for data_size, hash_size in ((4096, 4096), (524288, 512), (512, 524288)):
                with self.subTest(threads=threads, data_block_size=data_size, hash_block_size=hash_size):
                    p = self.p.but(data_block_size=data_size, hash_block_size=hash_size)
                    self.check_peaks(p, (GIB // 8, GIB // 2), f"--threads={threads}")

    def test_memory_with_many_threads_and_large_blocks(self):
        self.sparse_file("a.img", GIB)
        for size in (4096, 524288):
            with self.subTest(block_size=size):
                options = [f"--data-block-size={size}", f"--hash-block-size={size}"]
                result, peak = self.measured("format", "--threads=4096", *options, "a.img", "a.hash")
                self.assertLess(peak, LIMIT)
                _, peak = self.measured("verify", "--threads=4096", "a.img", "a.hash", result.root)
                self.assertLess(peak, LIMIT)

    def test_memory_with_many_findings(self):
        """A report of any length is not held in memory."""
        blocks = 300_000
        p = self.p.but(data_block_size=512)
        zero = p.digest(bytes(512))
        tree = reference.tree_of_digests(p, [zero if i % 2 else bytes(32) for i in range(blocks)])
        self.sparse_file("a.img", blocks * 512)
        self.write("a.hash", tree.hash_file)
        for options in ([], ["--json"]):
            result, peak = self.measured("verify", *options, "a.img", "a.hash", tree.root.hex(), status=2)
            self.assertEqual(result.out.count('expected"' if options else "expected "), blocks // 2)
            self.assertLess(peak, LIMIT)

    def test_memory_of_a_stream(self):
        """But for the digests of the lowest level."""
        self.sparse_file("a.img", 4 * GIB)
        digests = 4 * GIB // 4096 * 32
        with open(self.path("a.img"), "rb") as stdin:
            result, peak = self.measured("format", *self.options, "-", "a.hash", stdin=stdin)
        self.assertLess(peak, LIMIT + 2 * digests)
        self.tool("verify", "a.img", "a.hash", result.root)
