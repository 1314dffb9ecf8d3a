"""repair: whatever was damaged on purpose comes back, or nothing is touched."""

import errno
import os
import signal
import unittest

from harness import VERITYSETUP, CliTest, emulated
from reference import Parameters

BLOCK = 512
BLOCKS = 3000
ROOTS = 4


class RepairTest(CliTest):
    parameters = Parameters("sha256", 1, BLOCK, BLOCK, b"s")

    def setUp(self):
        super().setUp()
        p = self.parameters
        self.data = self.random_file("a.img", BLOCKS * BLOCK)
        self.fec = ["--fec-device=a.fec", f"--fec-roots={ROOTS}"]
        self.root = self.tool("format", *p.format_options, *self.fec, "a.img", "a.hash").root
        self.hash = self.read("a.hash")
        self.first_hash_block = p.tree_offset // BLOCK
        self.hash_blocks = (len(self.hash) - p.tree_offset) // BLOCK
        self.rounds = -(-(BLOCKS + self.hash_blocks) // (255 - ROOTS))

    def damage(self, name, blocks):
        """Blocks of a file become zeros, other bytes, or have one bit flipped."""
        with open(self.path(name), "r+b") as file:
            for block in blocks:
                file.seek(block * BLOCK)
                content = file.read(BLOCK)
                file.seek(block * BLOCK)
                flipped = bytes([content[0] ^ 4]) + content[1:]
                file.write(self.random.choice((bytes(BLOCK), self.random.randbytes(BLOCK), flipped)))

    def of_each_group(self, count):
        """So many data blocks of each group."""
        return [
            block
            for r in range(self.rounds)
            for block in self.random.sample(range(r, BLOCKS, self.rounds), count)
        ]

    def repair(self, *options, status=0, **more):
        return self.tool("repair", *self.fec, *options, "a.img", "a.hash", self.root, status=status, **more)

    def refuses(self, *options, message, status=2, names=(), **more):
        """Nothing is written."""
        before = self.snapshot()
        result = self.repair(*options, status=status, **more)
        self.assertTrue(result.err.startswith("veritytool: " + message), result)
        for name in names:
            self.assertIn(name, result.out + result.err, result)
        self.assertEqual(self.snapshot(), before)
        return result


class Data(RepairTest):
    def test_to_another_file(self):
        self.damage("a.img", self.of_each_group(ROOTS))
        damaged = self.read("a.img")
        result = self.repair("--output=b.img")
        self.assertIn(f"Repaired {ROOTS * self.rounds} data blocks.\n", result.out)
        self.assertEqual(self.read("b.img"), self.data)
        self.assertEqual(self.read("a.img"), damaged)
        self.tool("verify", *self.fec, "b.img", "a.hash", self.root)

    def test_in_place(self):
        self.damage("a.img", self.of_each_group(ROOTS))
        self.repair("--in-place")
        self.assertEqual(self.read("a.img"), self.data)
        self.assertEqual(self.repair("--in-place").out, "Nothing was corrupt.\n")

    def test_what_is_repaired_is_said(self):
        self.damage("a.img", [17, 18, 400])
        result = self.repair("--in-place")
        self.assertEqual(
            result.out,
            f"data blocks 17-18: repaired (byte {17 * BLOCK} of a.img, {2 * BLOCK} bytes)\n"
            f"data block 400: repaired (byte {400 * BLOCK} of a.img, {BLOCK} bytes)\n"
            "Repaired 3 data blocks.\n",
        )
        self.damage("a.img", [17, 18, 400])
        report = self.repair("--in-place", "--json").json()
        self.assertEqual((report["complete"], report["repaired_data_blocks"], report["lost_data_blocks"]), (True, 3, 0))
        self.assertEqual([o["first"] for o in report["outcomes"]], [17, 400])
        self.assertEqual({o["outcome"] for o in report["outcomes"]}, {"repaired"})

    def test_one_block_too_many(self):
        for _ in range(2 if emulated() else 8):
            self.write("a.img", self.data)
            blocks = self.of_each_group(ROOTS)
            group = self.random.randrange(self.rounds)
            blocks.append(next(b for b in range(group, BLOCKS, self.rounds) if b not in blocks))
            self.damage("a.img", blocks)
            for options in (["--in-place"], ["--output=b.img"]):
                result = self.refuses(
                    *options, message="a.img: cannot be repaired, nothing was written: 5 data blocks not repairable"
                )
                self.assertIn("not repairable (5 bad blocks share its parity, which is for 4)", result.out)

    def test_runs_of_blocks(self):
        for first in (0, 1234, BLOCKS - ROOTS * self.rounds):
            self.damage("a.img", range(first, first + ROOTS * self.rounds))
            self.repair("--in-place")
            self.assertEqual(self.read("a.img"), self.data)

    def test_nothing_is_corrupt(self):
        self.assertEqual(self.repair("--output=b.img", "--output-hash=b.hash").out, "Nothing was corrupt.\n")
        self.assertEqual((self.read("b.img"), self.read("b.hash")), (self.data, self.hash))

    def test_damaged_parity(self):
        self.damage("a.img", self.of_each_group(2))
        content = bytearray(self.read("a.fec"))
        for codeword in range(len(content) // ROOTS):
            content[codeword * ROOTS + self.random.randrange(ROOTS)] ^= 0x41
        self.write("a.fec", content)
        self.repair("--in-place")
        self.assertEqual(self.read("a.img"), self.data)

    def test_truncated_parity(self):
        self.damage("a.img", self.of_each_group(1))
        self.write("a.fec", self.read("a.fec")[:-10])
        self.refuses("--in-place", message="a.img: cannot be repaired", names=["its parity is missing"])
        self.write("a.fec", b"")
        self.refuses("--in-place", message="a.img: cannot be repaired", names=["its parity is missing"])

    def test_parity_of_something_else(self):
        self.damage("a.img", self.of_each_group(1))
        self.write("a.fec", self.random.randbytes(self.size("a.fec")))
        self.refuses("--in-place", message="a.img: cannot be repaired")


class Refusals(RepairTest):
    """What would leave one of two files changed, or overwritten by the other."""

    def setUp(self):
        super().setUp()
        self.damage("a.img", [5])
        self.damage("a.hash", [self.first_hash_block + 3])

    def test_one_name_for_both_outputs(self):
        os.symlink("there", self.path("link"))
        self.write("there", b"")
        for other in ("b", "./b", self.path("b")):
            self.refuses("--output=b", f"--output-hash={other}", status=1, message="--output and --output-hash name the same")
        self.refuses("--output=there", "--output-hash=link", status=1, message="--output and --output-hash name the same")

    def test_output_over_the_root_hash_file(self):
        self.write("a.root", self.root.encode())
        before = self.snapshot()
        for outputs in (["--output=a.root", "--output-hash=b"], ["--output=b", "--output-hash=a.root"]):
            arguments = [*self.fec, *outputs, "--root-hash-file=./a.root", "a.img", "a.hash"]
            self.fails("repair", *arguments, message="a.root: cannot be written")
            self.assertEqual(self.snapshot(), before)

    def test_hash_file_that_may_not_be_written(self):
        nobody = self.without_rights(0o777)
        os.chmod(self.path("a.img"), 0o666)
        os.chmod(self.path("a.hash"), 0o444)
        self.refuses("--in-place", status=1, message="a.hash: Permission denied", **nobody)


class Tree(RepairTest):
    def test_hash_blocks(self):
        self.damage("a.hash", [self.first_hash_block + i for i in (0, 3, 50, self.hash_blocks - 1)])
        self.damage("a.img", [5])
        self.refuses("--output=b.img", status=1, message="a.hash: hash blocks have to be repaired, too: give --output-hash")
        self.repair("--output=b.img", "--output-hash=b.hash")
        self.assertEqual((self.read("b.img"), self.read("b.hash")), (self.data, self.hash))
        self.repair("--in-place")
        self.assertEqual((self.read("a.img"), self.read("a.hash")), (self.data, self.hash))

    def test_the_beginning_of_the_hash_file(self):
        """As much as parity is for, erased: none of the levels above the lowest is left."""
        begin, end = self.first_hash_block * BLOCK, (self.first_hash_block + ROOTS * self.rounds) * BLOCK
        self.write("a.hash", self.hash[:begin] + bytes(end - begin) + self.hash[end:])
        self.repair("--in-place")
        self.assertEqual(self.read("a.hash"), self.hash)

    def test_too_much(self):
        self.write("a.hash", self.hash[:BLOCK] + bytes(len(self.hash) - BLOCK))
        self.refuses("--in-place", message="a.img: cannot be repaired, nothing was written: ")
        self.refuses("--output=b.img", "--output-hash=b.hash", message="a.img: cannot be repaired")

    def test_wrong_root(self):
        self.root = "0" * len(self.root)
        self.refuses("--in-place", message="a.img: cannot be repaired", names=["the root hash may be wrong"])

    def test_superblock(self):
        self.write("a.hash", bytes(BLOCK) + self.hash[BLOCK:])
        self.damage("a.img", [5])
        self.refuses("--output=b.img", status=4, message="a.hash: no verity superblock there; it is not covered")
        p = self.parameters.but(uuid=None, hash_offset=BLOCK)
        self.repair("--output=b.img", *p.format_options, f"--data-blocks={BLOCKS}")
        self.assertEqual(self.read("b.img"), self.data)


class OneFile(RepairTest):
    def setUp(self):
        super().setUp()
        p = self.parameters.but(hash_offset=BLOCKS * BLOCK)
        self.write("all", self.data)
        end = p.tree_end(BLOCKS)
        self.options = [f"--hash-offset={BLOCKS * BLOCK}", "--fec-device=all", f"--fec-roots={ROOTS}", f"--fec-offset={end}"]
        self.root = self.tool("format", *p.format_options, *self.options[1:], "all", "all").root
        self.all = self.read("all")
        self.damage("all", [0, 1, 77, BLOCKS + 1, BLOCKS + 30])

    def test_output(self):
        self.tool("repair", *self.options, "--output=b", "all", "all", self.root)
        self.assertEqual(self.read("b"), self.all)
        self.fails(
            "repair", *self.options, "--output=c", "--output-hash=d", "all", "all", self.root, message="--output-hash"
        )

    def test_in_place(self):
        self.tool("repair", *self.options, "--in-place", "all", "all", self.root)
        self.assertEqual(self.read("all"), self.all)


class Aosp(RepairTest):
    parameters = Parameters("sha256", 1, 4096, 4096, b"s")

    def test_repair(self):
        options = ["--fec-device=b.fec", "--fec-format=aosp"]
        root = self.tool("format", *self.parameters.format_options, *options, "--fec-roots=3", "a.img", "b.hash").root
        self.damage("a.img", [5, 99])
        self.tool("repair", *options, "--in-place", "a.img", "b.hash", root)
        self.assertEqual(self.read("a.img"), self.data)


class BadInput(RepairTest):
    def test_options(self):
        for options, message in (
            ([*self.fec], "neither --output nor --in-place"),
            ([*self.fec, "--in-place", "--output=b"], "--in-place and --output exclude"),
            ([*self.fec, "--in-place", "--output-hash=b"], "--in-place and --output-hash exclude"),
            ([*self.fec, "--output=-"], "standard output cannot take"),
            (["--in-place"], "--fec-device is missing"),
            ([*self.fec, "--output=a.img"], "a.img: cannot be written, since it is read"),
            ([*self.fec, "--output=a.fec"], "a.fec: cannot be written, since it is read"),
            ([*self.fec, "--output=no/b"], "no/b: No such file"),
            (["--fec-device=none", "--in-place"], "none: No such file"),
        ):
            with self.subTest(options=options):
                self.fails("repair", *options, "a.img", "a.hash", self.root, message=message)

    def test_files(self):
        self.write("short", self.data[:-BLOCK])
        self.fails("repair", *self.fec, "--in-place", "short", "a.hash", self.root, message="short: ")
        self.write("short.hash", self.hash[:-BLOCK])
        self.fails("repair", *self.fec, "--in-place", "a.img", "short.hash", self.root, message="")
        self.fails("repair", *self.fec, "--in-place", "a.img", "/dev/null", self.root, message="/dev/null: ")

    def test_write_errors(self):
        if emulated():
            self.skipTest("/dev/full is the same natively")
        self.damage("a.img", [5])
        self.fails("repair", *self.fec, "--output=/dev/full", "a.img", "a.hash", self.root, message="/dev/full: ")


class Faults(RepairTest):
    """Nothing is half-written: the output is not there, or whole."""

    def setUp(self):
        super().setUp()
        self.damage("a.img", [5, 6, 1000])
        self.damage("a.hash", [self.first_hash_block + 20])

    def test_errors(self):
        outputs = ["--output=b.img", "--output-hash=b.hash"]
        for name, calls, options, message in (
            (".veritytool-*", "write", outputs, "b."),
            (".veritytool-*", "sync", outputs, "b."),
            ("a.fec", "read", outputs, "a.fec: "),
            ("a.fec", "read", ["--in-place"], "a.fec: "),
            ("a.img", "write", ["--in-place"], "a.img: "),
        ):
            # The pattern is held against the whole name.
            faults = {"file": self.path(name), "calls": calls, "errno": errno.EIO, "at": 0}
            with self.subTest(name=name, calls=calls, options=options):
                before = self.snapshot()
                result = self.repair(*options, status=1, faults=faults)
                self.assertTrue(result.err.startswith("veritytool: " + message), result)
                self.assertEqual(self.snapshot(), before)

    def test_signal(self):
        before = self.snapshot()
        process = self.start(
            "repair", *self.fec, "--output=b.img", "--output-hash=b.hash", "a.img", "a.hash", self.root,
            faults={"file": self.path(".veritytool-*"), "calls": "write", "signal": int(signal.SIGINT), "at": 0},
        )
        result = self.finish(process)
        self.assertEqual(result.status, -signal.SIGINT, result)
        self.assertEqual(self.snapshot(), before)


class ManyBlocks(RepairTest):
    """More than is kept in memory, hence computed again while it is written."""

    parameters = Parameters("sha256", 1, 65536, 65536, b"s")

    def setUp(self):
        if emulated():
            self.skipTest("it is the same natively, and takes long")
        super(RepairTest, self).setUp()
        self.block = self.parameters.data_block_size
        self.bad = 33 * 1024 * 1024 // self.block
        self.data = self.random_file("a.img", 2 * self.bad * self.block)
        self.fec = ["--fec-device=a.fec", "--fec-roots=24"]
        # 24 roots are for a tenth of an image: the rest of this one is zeros that a hole holds.
        os.truncate(self.path("a.img"), 12 * self.bad * self.block)
        self.root = self.tool("format", *self.parameters.format_options, *self.fec, "a.img", "a.hash").root
        with open(self.path("a.img"), "r+b") as file:
            file.write(bytes(self.bad * self.block))

    def test_signal_while_it_is_written(self):
        process = self.start(
            "repair", *self.fec, "--in-place", "a.img", "a.hash", self.root,
            faults={"file": self.path("a.img"), "calls": "write", "signal": int(signal.SIGINT), "at": 0},
        )
        result = self.finish(process)
        # All is written; what the signal ends is the verification of it.
        self.assertEqual(result.status, -signal.SIGINT, result)
        with open(self.path("a.img"), "rb") as file:
            self.assertEqual(file.read(len(self.data)), self.data)


@unittest.skipIf(VERITYSETUP is None, "no veritysetup")
class AgainstVeritysetup(RepairTest):
    def test_repaired_images_verify(self):
        self.damage("a.img", self.of_each_group(ROOTS))
        self.repair("--in-place")
        self.veritysetup("verify", *self.fec, "a.img", "a.hash", self.root)

    def test_parity_of_veritysetup(self):
        self.veritysetup("format", *self.parameters.format_options, "--fec-device=b.fec", "--fec-roots=4", "a.img", "b.hash")
        self.assertEqual(self.read("b.hash"), self.hash)
        self.damage("a.img", self.of_each_group(ROOTS))
        self.tool("repair", "--fec-device=b.fec", "--fec-roots=4", "--in-place", "a.img", "b.hash", self.root)
        self.assertEqual(self.read("a.img"), self.data)
