"""Side by side with veritysetup, where it has the hash. It always runs natively."""

import itertools
import os
import subprocess
import unittest

from harness import UUID, VERITYSETUP, CliTest, emulated
from reference import Parameters

HASHES = ("sha1", "sha256", "sha512")
SALTS = (b"", b"\x01", bytes(range(32)), bytes(range(255)), bytes(range(256)))


@unittest.skipIf(VERITYSETUP is None, "no veritysetup")
class AgainstVeritysetup(CliTest):
    def check(self, p, blocks, *options):
        """Both make the same file and print the same, and each verifies the other's."""
        self.random_file("a.img", blocks * p.data_block_size)
        for name in ("ours", "theirs"):
            if os.path.exists(self.path(name)):
                os.unlink(self.path(name))
        arguments = [*p.format_options, *options]
        ours = self.tool("format", *arguments, "a.img", "ours")
        theirs = self.veritysetup("format", *arguments, "a.img", "theirs")
        self.assertEqual(ours.out.replace("for ours", "for theirs"), theirs.stdout)
        self.assertEqual(self.read("ours"), self.read("theirs"))
        verify = [*p.verify_options, *options]
        self.veritysetup("verify", *verify, "a.img", "ours", ours.root)
        self.tool("verify", *verify, "a.img", "theirs", ours.root)
        return ours

    def test_sizes(self):
        p = Parameters("sha256", 1, 512, 512)
        sizes = [1, 2, 3, 15, 16, 17, 31, 32, 33, 255, 256, 257, 300, 4095, 4096, 4097]
        for blocks, algorithm, salt in zip(sizes, itertools.cycle(HASHES), itertools.cycle(SALTS)):
            with self.subTest(blocks=blocks, hash=algorithm):
                self.check(p.but(hash=algorithm, salt=salt), blocks)

    def test_every_combination(self):
        combinations = itertools.product(HASHES, (0, 1), (512, 1024, 4096), (512, 1024, 4096), (UUID, None))
        for number, (algorithm, format, data_size, hash_size, uuid) in enumerate(combinations):
            if emulated() and number % 7:
                continue
            p = Parameters(algorithm, format, data_size, hash_size, SALTS[number % 5], uuid)
            with self.subTest(p=p):
                self.check(p, (1, 40, 300)[number % 3])

    def test_large_blocks(self):
        for data_size, hash_size in ((65536, 65536), (524288, 524288), (512, 524288)):
            with self.subTest(data_block_size=data_size, hash_block_size=hash_size):
                self.check(Parameters("sha256", 1, data_size, hash_size), 5)

    def test_hash_offsets(self):
        for offset in (4096, 8192, 8192 + 512):
            with self.subTest(offset=offset):
                self.check(Parameters("sha256", 1, 512, 4096, b"s", hash_offset=offset), 300)

    def test_first_blocks_only(self):
        self.check(Parameters("sha1", 1, 512, 512), 300, "--data-blocks=123")

    def test_tree_in_the_data(self):
        p = Parameters("sha256", 1, 4096, 4096, b"s", hash_offset=300 * 4096)
        data = self.random_file("a.img", 300 * 4096)
        self.write("b.img", data)
        ours = self.tool("format", *p.format_options, "a.img", "a.img")
        theirs = self.veritysetup("format", *p.format_options, "b.img", "b.img")
        self.assertEqual(ours.out.replace("a.img", "b.img"), theirs.stdout)
        self.assertEqual(self.read("a.img"), self.read("b.img"))
        options = [f"--hash-offset={300 * 4096}"]
        self.veritysetup("verify", *options, "a.img", "a.img", ours.root)
        self.tool("verify", *options, "b.img", "b.img", ours.root)

    def test_root_hash_files(self):
        p = Parameters("sha256", 1, 512, 512)
        self.check(p, 100)
        self.tool("format", *p.format_options, "--root-hash-file=ours.root", "a.img", "ours")
        self.veritysetup("format", *p.format_options, "--root-hash-file=theirs.root", "a.img", "theirs")
        self.assertEqual(self.read("ours.root"), self.read("theirs.root"))
        self.veritysetup("verify", "--root-hash-file=ours.root", "a.img", "ours")
        self.tool("verify", "--root-hash-file=theirs.root", "a.img", "theirs")

    def test_short_options(self):
        self.random_file("a.img", 100 * 4096)
        arguments = ["format", "-h", "SHA512", "-s", "d00d", "--uuid", UUID, "a.img"]
        ours = self.tool(*arguments, "ours")
        self.veritysetup(*arguments, "theirs")
        self.assertEqual(self.read("ours"), self.read("theirs"))
        self.veritysetup("verify", "a.img", "ours", ours.root)

    def test_dump(self):
        for p, blocks in (
            (Parameters("sha256", 1, 4096, 4096, b"salt"), 200),
            (Parameters("sha1", 0, 512, 1024), 300),
            (Parameters("sha512", hash_offset=8192), 129),
            (Parameters("sha256"), 1),
        ):
            with self.subTest(p=p):
                self.check(p, blocks)
                ours = self.tool("dump", *p.verify_options, "theirs").out
                self.assertEqual(ours, self.veritysetup("dump", *p.verify_options, "theirs").stdout)

    def test_verdicts(self):
        """The same exit status for what is good, corrupt, and has another root."""
        p = Parameters("sha1", 1, 512, 512, b"s")
        root = self.check(p, 300).root
        good = self.read("theirs")
        data = self.read("a.img")
        for _ in range(5 if emulated() else 40):
            changed = bytearray(good)
            changed[self.random.randrange(512, len(good))] ^= 1 << self.random.randrange(8)
            self.write("bad", changed)
            ours = self.finish(self.start("verify", "a.img", "bad", root)).status
            theirs = subprocess.run(
                [VERITYSETUP, "verify", "a.img", "bad", root], cwd=self.directory, capture_output=True
            ).returncode
            self.assertEqual((ours, theirs != 0), (2, True))
        changed = bytearray(data)
        changed[12345] ^= 8
        self.write("a.img", changed)
        self.tool("verify", "a.img", "theirs", root, status=2)
        self.veritysetup("verify", "a.img", "theirs", root, status=2)
