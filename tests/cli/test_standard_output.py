"""Standard output that is closed, full or no longer read; standard input and error that are closed."""

import os
import subprocess

import reference
from harness import CliTest, emulated
from reference import Parameters


class StandardOutputTest(CliTest):
    def setUp(self):
        super().setUp()
        self.p = Parameters("sha256", 1, 512, 512)
        self.data = self.random_file("a.img", 100 * 512)
        self.tree = reference.build(self.data, self.p)
        self.root = self.tree.root.hex()

    def closing(self, *descriptors):
        """Options that start the program with these descriptors closed."""
        if emulated():
            self.skipTest("the emulator opens files in place of closed ones")

        def close():
            for descriptor in descriptors:
                os.close(descriptor)

        return {"preexec_fn": close}

    def commands(self):
        """One of each that prints something."""
        self.write("good.hash", self.tree.hash_file)
        changed = bytearray(self.tree.hash_file)
        changed[-600] ^= 1
        self.write("bad.hash", changed)
        return [
            ["dump", "good.hash"],
            ["dump", "--json", "good.hash"],
            ["table", "a.img", "good.hash", self.root],
            ["verify", "--json", "a.img", "good.hash", self.root],
            ["verify", "a.img", "bad.hash", self.root],
            ["size", "a.img", "--data-block-size=512"],
            ["cores"],
            ["--help"],
            ["format", "--help"],
            ["--version"],
        ]


class Full(StandardOutputTest):
    def test_format(self):
        for options in ([], ["--json"], ["--no-superblock"]):
            with self.subTest(options=options), open("/dev/full", "wb") as full:
                self.fails(
                    "format",
                    *self.p.format_options,
                    *options,
                    "a.img",
                    "a.hash",
                    message="standard output: No space left on device",
                    stdout=full,
                )

    def test_format_over_an_existing_file(self):
        """The old tree is lost by then, but nothing is taken for a tree."""
        self.write("a.hash", self.tree.hash_file + b"tail")
        with open("/dev/full", "wb") as full:
            self.fails(
                "format",
                *self.p.format_options,
                "a.img",
                "a.hash",
                message="standard output: No space left on device",
                stdout=full,
                unchanged=False,
            )
        self.assertEqual(self.size("a.hash"), len(self.tree.hash_file) + 4)
        self.assert_no_tree("a.img", "a.hash", self.root)

    def test_format_into_the_data(self):
        with open("/dev/full", "wb") as full:
            self.fails(
                "format",
                *self.p.format_options,
                f"--hash-offset={100 * 512}",
                "a.img",
                "a.img",
                message="standard output: No space left on device",
                stdout=full,
            )

    def test_other_commands(self):
        for command in self.commands():
            with self.subTest(command=command), open("/dev/full", "wb") as full:
                result = self.finish(self.start(*command, stdout=full))
                self.assertEqual(result.status, 1, result)
                self.assertEqual(result.err, "veritytool: standard output: No space left on device\n")


class Closed(StandardOutputTest):
    def test_format(self):
        for descriptors in ((1,), (0, 1), (1, 2), (0, 1, 2)):
            with self.subTest(closed=descriptors):
                result = self.finish(
                    self.start("format", *self.p.format_options, "a.img", "a.hash", **self.closing(*descriptors))
                )
                self.assertEqual(result.status, 1, result)
                if 2 not in descriptors:
                    self.assert_one_line(result)
                    self.assertTrue(result.err.startswith("veritytool: standard output: "), result)
                self.assertEqual(list(self.snapshot()), ["a.img"])
                self.assertEqual(self.read("a.img"), self.data)

    def test_other_commands(self):
        for command in self.commands():
            with self.subTest(command=command):
                before = self.snapshot()
                result = self.finish(self.start(*command, **self.closing(1)))
                self.assertEqual(result.status, 1, result)
                self.assertTrue(result.err.startswith("veritytool: standard output: "), result)
                self.assertEqual(self.snapshot(), before)

    def test_standard_input_and_error_do_not_matter(self):
        for descriptors in ((0,), (2,), (0, 2)):
            with self.subTest(closed=descriptors):
                result = self.finish(
                    self.start("format", *self.p.format_options, "a.img", "a.hash", **self.closing(*descriptors))
                )
                self.assertEqual(result.status, 0, result)
                self.assertEqual(self.read("a.hash"), self.tree.hash_file)
                os.unlink(self.path("a.hash"))

    def test_messages_go_nowhere_else(self):
        """With standard error closed, a message must not end up in a file that took its place."""
        for options in (["--hash=blake2s-256"], ["--data-block-size=8192"]):
            before = self.snapshot()
            result = self.finish(self.start("format", *options, "a.img", "a.hash", **self.closing(0, 2)))
            if result.status == 0:
                self.tool("verify", "a.img", "a.hash", result.root)
                os.unlink(self.path("a.hash"))
            self.assertEqual(self.snapshot(), before)


class NoLongerRead(StandardOutputTest):
    def test_verify_into_a_pipe_that_closes(self):
        data = bytearray(self.random_file("b.img", 40_000 * 512))
        tree = reference.build(bytes(data), self.p)
        for block in range(0, 40_000, 2):
            data[block * 512] ^= 1
        self.write("b.img", data)
        self.write("b.hash", tree.hash_file)
        for options in ([], ["--json"]):
            with self.subTest(options=options):
                process = self.start("verify", *options, "b.img", "b.hash", tree.root.hex(), stdout=subprocess.PIPE)
                process.stdout.read(100)
                process.stdout.close()
                result = self.finish(process)
                self.assertEqual(result.status, 1, result)
                self.assertEqual(result.err, "veritytool: standard output: Broken pipe\n")

    def test_format_into_a_closed_pipe(self):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as pipe:
            self.fails(
                "format",
                *self.p.format_options,
                "a.img",
                "a.hash",
                message="standard output: Broken pipe",
                stdout=pipe,
            )
