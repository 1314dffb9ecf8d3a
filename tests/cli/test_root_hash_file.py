"""--root-hash-file, written by `format` and read by the others."""

import os

import reference
from harness import CliTest
from reference import Parameters


class RootHashFileTest(CliTest):
    def setUp(self):
        super().setUp()
        self.p = Parameters("sha256", 1, 512, 512)
        self.data = self.random_file("a.img", 40 * 512)
        self.tree = reference.build(self.data, self.p)
        self.root = self.tree.root.hex()
        self.format = ["format", *self.p.format_options]


class Writing(RootHashFileTest):
    def test_digits_and_nothing_else(self):
        self.tool(*self.format, "--root-hash-file=a.root", "a.img", "a.hash")
        self.assertEqual(self.read("a.root"), self.root.encode())

    def test_replaces_what_was_there(self):
        for old in (b"", b"x", bytes(1000)):
            self.write("a.root", old)
            self.tool(*self.format, "--root-hash-file", "a.root", "a.img", "a.hash")
            self.assertEqual(self.read("a.root"), self.root.encode())

    def test_with_json(self):
        report = self.tool(*self.format, "--json", "--root-hash-file=a.root", "a.img", "a.hash").json()
        self.assertEqual(self.read("a.root").decode(), report["root_hash"])

    def test_for_a_tree_in_the_data(self):
        self.tool(*self.format, f"--hash-offset={40 * 512}", "--root-hash-file=a.root", "a.img", "a.img")
        self.assertEqual(self.read("a.root"), self.root.encode())

    def test_is_another_file(self):
        """It must not be DATA or HASH, by whatever name; both stay as they were."""
        self.write("old.hash", self.tree.hash_file)
        os.symlink("a.img", self.path("data-link"))
        os.link(self.path("old.hash"), self.path("hash-link"))
        for name, hash_file in (
            ("a.img", "new.hash"),
            ("a.img", "old.hash"),
            ("./a.img", "new.hash"),
            ("data-link", "new.hash"),
            ("old.hash", "old.hash"),
            ("hash-link", "old.hash"),
            ("new.hash", "new.hash"),
            ("./new.hash", "new.hash"),
        ):
            with self.subTest(name=name, hash_file=hash_file):
                self.fails(*self.format, f"--root-hash-file={name}", "a.img", hash_file, message=f"{name}: ")

    def test_is_not_what_standard_input_reads(self):
        with open(self.path("a.img"), "rb") as stdin:
            self.fails(*self.format, "--root-hash-file=a.img", "-", "a.hash", message="a.img: ", stdin=stdin)

    def test_cannot_be_made(self):
        os.mkdir(self.path("d"))
        for name, why in (
            ("no/a.root", "No such file or directory"),
            ("d", "irectory"),
            ("a.img/x", "Not a directory"),
        ):
            with self.subTest(name=name):
                self.fails(
                    *self.format, f"--root-hash-file={name}", "a.img", "a.hash", message=f"{name}: ", names=[why]
                )
        self.fails(*self.format, "--root-hash-file=", "a.img", "a.hash", message="--root-hash-file")

    def test_no_regular_file(self):
        os.mkfifo(self.path("pipe"))
        for name in ("/dev/full", "pipe"):
            self.fails(*self.format, f"--root-hash-file={name}", "a.img", "a.hash", message=f"{name}: ")

    def test_goes_when_hashing_fails(self):
        self.write("b.img", bytes(1000))
        self.fails(*self.format, "--root-hash-file=a.root", "b.img", "a.hash", message="b.img: 1000 bytes")
        self.write("a.root", b"old")
        self.fails(*self.format, "--root-hash-file=a.root", "b.img", "a.hash", message="b.img: 1000 bytes")

    def test_goes_when_standard_output_is_full(self):
        with open("/dev/full", "wb") as full:
            self.fails(
                *self.format,
                "--root-hash-file=a.root",
                "a.img",
                "a.hash",
                message="standard output: No space left on device",
                stdout=full,
            )


class Reading(RootHashFileTest):
    def setUp(self):
        super().setUp()
        self.write("a.hash", self.tree.hash_file)
        self.write("a.root", self.root.encode())

    def test_instead_of_root(self):
        for command in (["verify"], ["table"]):
            with_file = self.tool(*command, "--root-hash-file=a.root", "a.img", "a.hash")
            self.assertEqual(with_file.out, self.tool(*command, "a.img", "a.hash", self.root).out)

    def test_of_veritysetup_and_of_editors(self):
        for content in (self.root, self.root.upper(), self.root + "\n"):
            self.write("b.root", content.encode())
            self.tool("verify", "--root-hash-file=b.root", "a.img", "a.hash")

    def test_wrong_root(self):
        self.write("b.root", b"00" * 32)
        result = self.tool("verify", "--root-hash-file=b.root", "a.img", "a.hash", status=2)
        self.assertIn(self.root, result.err)

    def test_missing(self):
        """veritysetup ends with status 0 here."""
        for command in ("verify", "table"):
            self.fails(
                command, "--root-hash-file=no.root", "a.img", "a.hash", message="no.root: No such file or directory"
            )

    def test_empty(self):
        for content in (b"", b"\n"):
            self.write("b.root", content)
            for command in ("verify", "table"):
                self.fails(command, "--root-hash-file=b.root", "a.img", "a.hash", message="b.root: ")

    def test_directory(self):
        os.mkdir(self.path("d"))
        self.fails("verify", "--root-hash-file=d", "a.img", "a.hash", message="d: is a directory")

    def test_other_content(self):
        root = self.root
        for content, names in (
            (root[:-1], [63, 64]),
            (root + "0", [65, 64]),
            (root + root, [128, 64]),
            (root[:-1] + "x", []),
            ("\0" * 64, []),
            (root[:32] + "\n" + root[32:], []),
            ("0x" + root, []),
            ("zz\n", []),
        ):
            with self.subTest(content=content):
                self.write("b.root", content.encode())
                self.fails("verify", "--root-hash-file=b.root", "a.img", "a.hash", message="b.root: ", names=names)

    def test_large_file_by_mistake(self):
        self.sparse_file("big", 2**33)
        result = self.finish(self.start("verify", "--root-hash-file=big", "a.img", "a.hash"))
        self.assertEqual(result.status, 1, result)
        self.assert_one_line(result)
        self.assertLess(len(result.err), 1000)
        os.unlink(self.path("big"))

    def test_endless_file_by_mistake(self):
        self.fails("verify", "--root-hash-file=/dev/zero", "a.img", "a.hash", message="/dev/zero: ")

    def test_exactly_one_of_both(self):
        for command in ("verify", "table"):
            self.fails(command, "--root-hash-file=a.root", "a.img", "a.hash", self.root, message="")
            self.fails(command, "a.img", "a.hash", message="")
