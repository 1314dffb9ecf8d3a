"""format and verify with --fec-device: against veritysetup, where it is there, and against an encoder of its own."""

import errno
import hashlib
import os
import signal
import struct
import unittest

from harness import MIB, UUID, VERITYSETUP, CliTest, thinned
from reference import Parameters, build


# --- Reed-Solomon over GF(256), slowly and by the book ---------------------------------------------------------------

EXP, LOG = [1] * 510, [0] * 256
for _i in range(1, 510):
    EXP[_i] = EXP[_i - 1] << 1 ^ (0x11D if EXP[_i - 1] & 128 else 0)
for _i in range(255):
    LOG[EXP[_i]] = _i


def times(a, b):
    return EXP[LOG[a] + LOG[b]] if a and b else 0


def parity_of(message, block_size, roots):
    """The parity of whole blocks: codeword i is bytes i, i + N, i + 2N, ... of the message."""
    sources = 255 - roots
    rounds = -(-len(message) // block_size // sources)
    columns = rounds * block_size
    generator = [1]
    for i in range(roots):
        generator = [a ^ times(b, EXP[i]) for a, b in zip(generator + [0], [0] + generator)]
    # The remainders of all codewords side by side, one symbol of each a step; a factor multiplies by a table.
    tables = [bytes(times(g, b) for b in range(256)) for g in generator[1:]]
    rest = [0] * roots
    for j in range(sources):
        row = message[j * columns : (j + 1) * columns].ljust(columns, b"\0")
        factor = (int.from_bytes(row, "little") ^ rest[0]).to_bytes(columns, "little")
        rest = [int.from_bytes(factor.translate(t), "little") ^ r for t, r in zip(tables, rest[1:] + [0])]
    parity = bytearray(columns * roots)
    for t, symbols in enumerate(rest):
        parity[t::roots] = symbols.to_bytes(columns, "little")
    return bytes(parity)


class Format(CliTest):
    def make(self, p, blocks, roots, *options, data="a.img", hash_file="a.hash", fec="a.fec"):
        """Formats random data; returns the program's result and the message that the parity is for."""
        content = self.random_file(data, blocks * p.data_block_size)
        made = self.tool(
            "format", *p.format_options, f"--fec-device={fec}", f"--fec-roots={roots}", *options, data, hash_file
        )
        tree = build(content, p)
        self.assertEqual(made.root, tree.root.hex())
        return made, content + tree.hash_file[p.tree_offset :]

    def test_parity(self):
        p = Parameters("sha256", 1, 512, 512, b"s")
        for blocks, roots in thinned(((1, 2), (252, 2), (253, 3), (600, 24), (1000, 7)), 2):
            for uuid in (UUID, None):
                with self.subTest(blocks=blocks, roots=roots, uuid=uuid):
                    _, message = self.make(p.but(uuid=uuid), blocks, roots)
                    self.assertEqual(self.read("a.fec"), parity_of(message, 512, roots))

    def test_the_tree_is_the_same_as_without(self):
        p = Parameters("sha1", 0, 512, 512, b"salt")
        self.make(p, 3000, 5)
        self.tool("format", *p.format_options, "a.img", "b.hash")
        self.assertEqual(self.read("a.hash"), self.read("b.hash"))

    def test_standard_input(self):
        p = Parameters("sha256", 1, 512, 512)
        self.make(p, 3000, 3)
        options = [*p.format_options, "--fec-device=b.fec", "--fec-roots=3"]
        self.fails("format", *options, "-", "b.hash", input=self.read("a.img"), message="standard input", names=["--data-blocks"])
        self.tool("format", *options, "--data-blocks=3000", "-", "b.hash", input=self.read("a.img"))
        self.assertEqual(self.read("b.fec"), self.read("a.fec"))
        self.assertEqual(self.read("b.hash"), self.read("a.hash"))

    def test_one_file_for_all(self):
        p = Parameters("sha256", 1, 512, 512, b"s", hash_offset=300 * 512)
        end = p.tree_end(300)
        content = self.random_file("a.img", 300 * 512)
        for gap in (0, 3 * 512, 4096):
            with self.subTest(gap=gap):
                self.write("all", content)
                options = ["--fec-device=all", f"--fec-offset={end + gap}"]
                root = self.tool("format", *p.format_options, *options, "all", "all").root
                image = self.read("all")
                parity = parity_of(image[: 300 * 512] + image[p.tree_offset : end + gap], 512, 2)
                self.assertEqual(image[end + gap :], parity)
                self.tool("verify", *p.verify_options, *options, "all", "all", root)

    def test_threads_make_no_difference(self):
        p = Parameters("sha256", 1, 4096, 4096)
        self.make(p, 2000, 2, "--threads=1")
        first = self.read("a.fec")
        self.tool("format", *p.format_options, "--fec-device=b.fec", "a.img", "b.hash")
        self.assertEqual(self.read("b.fec"), first)

    def test_older_files_are_cut(self):
        self.random_file("a.fec", MIB)
        self.random_file("a.hash", MIB)
        p = Parameters("sha256", 1, 512, 512)
        _, message = self.make(p, 300, 2)
        self.assertEqual(self.read("a.fec"), parity_of(message, 512, 2))

    def test_aosp(self):
        p = Parameters("sha256", 1, 4096, 4096, b"s")
        _, message = self.make(p, 300, 2, "--fec-format=aosp")
        parity = parity_of(message, 4096, 2)
        content = self.read("a.fec")
        self.assertEqual(content[: len(parity)], parity)
        block = content[len(parity) :]
        header = struct.pack("<IIIIIQ", 0xFECFECFE, 0, 60, 2, len(parity), len(message)) + hashlib.sha256(parity).digest()
        self.assertEqual(block, header + bytes(4096 - 120) + header)

    def test_json_and_dry_run(self):
        p = Parameters("sha256", 1, 4096, 4096)
        self.random_file("a.img", 300 * 4096)
        options = [*p.format_options, "--fec-device=a.fec", "--fec-roots=3", "--json"]
        expected = {"file": "a.fec", "format": "veritysetup", "roots": 3, "offset": 0, "blocks": 6, "size": 24576}
        expected |= {"protected_blocks": 304}
        self.assertEqual(self.tool("format", *options, "--dry-run", "a.img", "a.hash").json()["fec"], expected)
        self.assertFalse(os.path.exists(self.path("a.fec")))
        self.assertEqual(self.tool("format", *options, "a.img", "a.hash").json()["fec"], expected)

    def test_dry_run_with_parity_in_a_hash_file_that_is_not_there(self):
        p = Parameters("sha256", 1, 4096, 4096)
        self.random_file("a.img", 300 * 4096)
        sizes = set()
        for name in ("a.hash", "./a.hash", self.path("a.hash")):
            options = [*p.format_options, f"--fec-device={name}", "--fec-offset=4096000", "--json", "--dry-run"]
            sizes.add(self.tool("format", *options, "a.img", "a.hash").json()["fec"]["size"])
        self.assertEqual(len(sizes), 1, sizes)

    def test_unusable(self):
        self.random_file("a.img", 300 * 512)
        ok = ["--data-block-size=512", "--hash-block-size=512"]
        files = ["a.img", "a.hash"]
        for options, message in (
            ([*ok, "--fec-roots=3"], "--fec-roots"),
            ([*ok, "--fec-device=f", "--fec-roots=1"], "--fec-roots"),
            ([*ok, "--fec-device=f", "--fec-roots=25"], "--fec-roots"),
            ([*ok, "--fec-device=f", "--fec-offset=100"], "--fec-offset"),
            ([*ok, "--fec-device=f", f"--fec-offset={2**63 - 512}"], "parity at byte"),
            ([*ok, "--fec-device=f", "--fec-format=other"], "--fec-format"),
            ([*ok, "--fec-device=f", "--fec-format=aosp"], "--fec-format=aosp"),
            ([*ok, "--fec-device=-"], "--fec-device"),
            (["--data-block-size=512", "--fec-device=f"], "error correction needs"),
            ([*ok, "--fec-device=a.img"], "a.img: the parity"),
            ([*ok, "--fec-device=a.hash"], "a.hash: the parity"),
            ([*ok, "--fec-device=a.hash", "--fec-offset=512"], "a.hash: the parity"),
            ([*ok, "--fec-device=no/f"], "no/f: "),
            ([*ok, "--fec-device=f", "--root-hash-file=f"], "f: the root-hash file"),
        ):
            with self.subTest(options=options):
                self.fails("format", *options, *files, message=message)

    def test_failure_leaves_nothing(self):
        self.random_file("a.img", 300 * 512)
        options = ["--data-block-size=512", "--hash-block-size=512", "--fec-device=a.fec"]
        self.fails("format", *options, "--data-blocks=301", "a.img", "a.hash", message="a.img: ")
        self.write("a.fec", b"x" * 10000)
        self.fails("format", *options, "--data-blocks=301", "a.img", "a.hash", message="a.img: ")


class Faults(CliTest):
    """Whatever goes wrong while parity is made, what was not there before is not there afterwards."""

    options = ["--hash=sha256", "--data-block-size=512", "--hash-block-size=512", "--fec-device=a.fec", "--fec-roots=24"]

    def setUp(self):
        super().setUp()
        self.random_file("a.img", 3000 * 512)
        self.before = self.snapshot()

    def format_fails(self, faults, message):
        self.fails("format", *self.options, "a.img", "a.hash", message=message, faults=faults)

    def test_write_and_sync(self):
        for calls in ("write", "sync"):
            for code in (errno.EIO, errno.ENOSPC):
                faults = {"file": "a.fec", "calls": calls, "errno": code, "at": 20000 if calls == "write" else 0}
                with self.subTest(calls=calls, errno=code):
                    self.format_fails(faults, "a.fec: ")

    def test_tree_fails_after_the_parity(self):
        self.format_fails({"file": "a.hash", "calls": "sync", "errno": errno.EIO}, "a.hash: ")

    def test_short_and_interrupted_transfers(self):
        self.tool("format", *self.options, "--salt=-", "a.img", "a.hash")
        parity = self.read("a.fec")
        for name in ("a.img", "b.fec"):
            faults = {"file": name, "calls": "read,write", "short": 700, "eintr": 3}
            self.tool("format", *self.options[:3], "--salt=-", "--fec-device=b.fec", "--fec-roots=24", "a.img", "b.hash", faults=faults)
            self.assertEqual(self.read("b.fec"), parity)

    def test_signal(self):
        process = self.start(
            "format", *self.options, "a.img", "a.hash",
            faults={"file": "a.fec", "calls": "write", "signal": int(signal.SIGTERM), "at": 0},
        )
        result = self.finish(process)
        self.assertEqual((result.status, result.out, result.err), (-signal.SIGTERM, "", ""), result)
        self.assertEqual(self.snapshot(), self.before)

    def test_no_memory(self):
        for number in thinned(range(0, 12), 4):
            result = self.finish(self.start("format", *self.options, "a.img", "a.hash", faults={"no_memory": number}))
            if result.status == 0:
                os.unlink(self.path("a.hash"))
                os.unlink(self.path("a.fec"))
                continue
            self.assertEqual((result.status, result.err), (3, "veritytool: out of memory\n"), result)
            self.assertEqual(self.snapshot(), self.before)


class Verify(CliTest):
    def setUp(self):
        super().setUp()
        self.p = Parameters("sha256", 1, 512, 512, b"s")
        self.data = self.random_file("a.img", 1000 * 512)
        self.root = self.tool("format", *self.p.format_options, "--fec-device=a.fec", "--fec-roots=4", "a.img", "a.hash").root
        self.fec = ["--fec-device=a.fec", "--fec-roots=4"]

    def verify(self, *options, status=2):
        return self.tool("verify", *self.fec, *options, "a.img", "a.hash", self.root, status=status)

    def damage(self, name, *blocks):
        content = bytearray(self.read(name))
        for block in blocks:
            content[block * 512 + 7] ^= 0x10
        self.write(name, content)

    def test_good(self):
        self.assertEqual(self.verify(status=0).out, "")
        self.assertTrue(self.verify("--json", status=0).json()["fec"]["parity_valid"])

    def test_repairable(self):
        self.damage("a.img", 17, 18)
        result = self.verify()
        self.assertIn("data blocks 17-18: repairable\n", result.out)
        self.assertIn("; all of it can be repaired", result.err)
        report = self.verify("--json").json()["fec"]
        self.assertEqual((report["repairable_data_blocks"], report["lost_data_blocks"]), (2, 0))

    def test_partly_repairable(self):
        rounds = -(-(1000 + 67) // 251)
        self.damage("a.img", 1, *range(0, 5 * rounds, rounds))
        result = self.verify()
        self.assertIn("data blocks 0-1: corrupt", result.out)
        self.assertIn("data block 1: repairable\n", result.out)
        self.assertIn("data block 0: not repairable (5 bad blocks share its parity, which is for 4)\n", result.out)
        self.assertIn("5 data blocks not repairable, 1 data block repairable", result.err)

    def test_parity_alone_is_corrupt(self):
        self.damage("a.fec", 3)
        result = self.verify()
        self.assertIn("parity in a.fec: corrupt: 1 of 10240 bytes", result.out)
        self.assertIn("data and tree are good, but parity in a.fec", result.err)
        self.write("a.fec", self.read("a.fec")[:-100])
        self.assertIn("the last 100 bytes of 10240 missing", self.verify().out)
        # Without looking at it nothing is wrong.
        self.tool("verify", "a.img", "a.hash", self.root)

    def test_the_wrong_number_of_roots(self):
        self.fec = ["--fec-device=a.fec", "--fec-roots=5"]
        self.verify()

    def test_unusable(self):
        for options, message in (
            (["--fec-roots=4"], "--fec-roots"),
            (["--fec-device=none"], "none: No such file"),
            (["--fec-device=a.hash", "--fec-offset=512"], "the area that error correction protects ends at byte 512"),
            (["--fec-device=a.hash", f"--fec-offset={2**60}"], f"a.hash: the parity at byte {2**60} would begin behind"),
        ):
            with self.subTest(options=options):
                self.fails("verify", *options, "a.img", "a.hash", self.root, message=message)


class Aosp(CliTest):
    def setUp(self):
        super().setUp()
        self.random_file("a.img", 300 * 4096)
        options = ["--hash=sha256", "--fec-device=a.fec", "--fec-format=aosp", "--fec-roots=3"]
        self.root = self.tool("format", *options, "a.img", "a.hash").root
        self.options = ["--fec-device=a.fec", "--fec-format=aosp"]

    def change(self, *places):
        content = bytearray(self.read("a.fec"))
        for place in places:
            content[place] ^= 1
        self.write("a.fec", content)

    def test_good(self):
        self.tool("verify", *self.options, "a.img", "a.hash", self.root)
        self.tool("verify", *self.options, "--fec-roots=3", "a.img", "a.hash", self.root)

    def test_contradictions(self):
        for options, message in ((["--fec-roots=2"], "a.fec: has 3 roots, not 2"), (["--fec-offset=512"], "--fec-format")):
            self.fails("verify", *self.options, *options, "a.img", "a.hash", self.root, message=message)

    def test_one_header_is_enough(self):
        self.change(-4096)
        self.tool("verify", *self.options, "a.img", "a.hash", self.root)
        self.change(-60)
        self.fails("verify", *self.options, "a.img", "a.hash", self.root, status=4, message="a.fec: no header")

    def test_digest(self):
        self.change(-4096 + 40, -60 + 40)
        self.tool("verify", *self.options, "a.img", "a.hash", self.root, status=2)

    def test_header_of_nonsense(self):
        for field, value in ((3, 0), (3, 255), (4, 0), (5, 2**64 - 1), (5, 0), (5, 4097), (5, 299 * 4096), (5, 2**62)):
            with self.subTest(field=field, value=value):
                content = self.read("a.fec")
                values = list(struct.unpack("<IIIIIQ", content[-60:-32]))
                values[field] = value
                header = struct.pack("<IIIIIQ", *values) + content[-32:]
                self.write("b.fec", content[:-4096] + header + bytes(4096 - 120) + header)
                result = self.finish(
                    self.start("verify", "--fec-device=b.fec", "--fec-format=aosp", "a.img", "a.hash", self.root)
                )
                self.assertIn(result.status, (1, 4), result)
                self.assert_one_line(result)


@unittest.skipIf(VERITYSETUP is None, "no veritysetup")
class AgainstVeritysetup(CliTest):
    def check(self, block_size, blocks, roots, *options, uuid=UUID):
        p = Parameters("sha256", 1, block_size, block_size, b"s", uuid)
        self.random_file("a.img", blocks * block_size)
        for name in ("ours", "theirs", "ours.fec", "theirs.fec"):
            if os.path.exists(self.path(name)):
                os.unlink(self.path(name))
        arguments = [*p.format_options, f"--fec-roots={roots}", *options]
        ours = self.tool("format", *arguments, "--fec-device=ours.fec", "a.img", "ours")
        theirs = self.veritysetup("format", *arguments, "--fec-device=theirs.fec", "a.img", "theirs")
        self.assertEqual(ours.out.replace("for ours", "for theirs"), theirs.stdout)
        self.assertEqual(self.read("ours"), self.read("theirs"))
        self.assertEqual(self.read("ours.fec"), self.read("theirs.fec"))

    def test_sizes_and_roots(self):
        cases = [(512, k + more, roots) for roots in (2, 3, 24) for k in (255 - roots,) for more in (1 - k, -1, 0, 1, k)]
        cases += [(512, 777, roots) for roots in range(4, 24, 3)]
        cases += [(1024, 501, 5), (4096, 300, 2), (4096, 1, 24), (65536, 20, 2), (131072, 5, 3)]
        for number, (block_size, blocks, roots) in enumerate(thinned(cases, 5)):
            with self.subTest(block_size=block_size, blocks=blocks, roots=roots):
                self.check(block_size, blocks, roots, uuid=UUID if number % 3 else None)

    def test_offset_in_its_own_file(self):
        self.check(512, 300, 2, "--fec-offset=1536")
        self.check(4096, 300, 2, "--fec-offset=512", "--hash-offset=8192")

    def test_in_the_hash_file(self):
        for roots, extra in ((2, 0), (5, 512)):
            p = Parameters("sha256", 1, 4096, 4096, b"s")
            self.random_file("a.img", 300 * 4096)
            arguments = [*p.format_options, f"--fec-roots={roots}", f"--fec-offset={p.tree_end(300) + extra}"]
            for name in ("ours", "theirs"):
                self.write(name, b"")
            ours = self.tool("format", *arguments, "--fec-device=ours", "a.img", "ours")
            theirs = self.veritysetup("format", *arguments, "--fec-device=theirs", "a.img", "theirs")
            self.assertEqual(ours.out.replace("for ours", "for theirs"), theirs.stdout)
            self.assertEqual(self.read("ours"), self.read("theirs"))

    def test_all_in_one_file(self):
        for uuid in (UUID, None):
            p = Parameters("sha256", 1, 4096, 4096, b"s", uuid, hash_offset=300 * 4096)
            data = self.random_file("ours", 300 * 4096)
            self.write("theirs", data)
            arguments = [*p.format_options, "--data-blocks=300", f"--fec-offset={p.tree_end(300)}"]
            ours = self.tool("format", *arguments, "--fec-device=ours", "ours", "ours")
            theirs = self.veritysetup("format", *arguments, "--fec-device=theirs", "theirs", "theirs")
            self.assertEqual(ours.out.replace("for ours", "for theirs"), theirs.stdout)
            self.assertEqual(self.read("ours"), self.read("theirs"))

    def test_tree_in_the_data_and_parity_apart(self):
        p = Parameters("sha256", 1, 4096, 4096, b"s", hash_offset=300 * 4096)
        data = self.random_file("ours", 300 * 4096)
        self.write("theirs", data)
        arguments = [*p.format_options, "--data-blocks=300"]
        self.tool("format", *arguments, "--fec-device=ours.fec", "ours", "ours")
        self.veritysetup("format", *arguments, "--fec-device=theirs.fec", "theirs", "theirs")
        self.assertEqual(self.read("ours.fec"), self.read("theirs.fec"))
