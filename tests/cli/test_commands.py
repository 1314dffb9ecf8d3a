"""The command line itself: help, commands and options as they may and may not be written."""

import os

import reference
from harness import CliTest
from reference import HASHES, Parameters

COMMANDS = (
    "format", "verify", "dump", "table", "size", "encrypt", "decrypt", "keygen", "crypt-table", "cores", "bench",
)


class Help(CliTest):
    def test_overview(self):
        texts = set()
        for arguments in (["--help"], ["-?"], ["help"]):
            result = self.tool(*arguments)
            texts.add(result.out)
            for command in COMMANDS:
                self.assertRegex(result.out, rf"(?m)^\s+{command}\s+\S")
        self.assertEqual(len(texts), 1)

    def test_of_each_command(self):
        for command in COMMANDS:
            with self.subTest(command=command):
                text = self.tool(command, "--help").out
                self.assertTrue(text.startswith(f"Usage: veritytool {command}"), text)
                self.assertEqual(self.tool(command, "-?").out, text)
                self.assertIn("--json", text)
                for line in text.splitlines():
                    self.assertLessEqual(len(line), 80, line)

    def test_help_wins_over_what_is_missing(self):
        for command in COMMANDS:
            self.assertIn("Usage", self.tool(command, "x", "--help").out)

    def test_names_every_hash(self):
        text = self.tool("format", "--help").out
        for name in HASHES:
            self.assertIn(name, text)

    def test_version(self):
        texts = {self.tool(*arguments).out for arguments in (["--version"], ["-V"], ["format", "--version"])}
        self.assertEqual(len(texts), 1)
        self.assertRegex(texts.pop(), r"\Averitytool \d+\.\d+\.\d+\n\Z")


class Usage(CliTest):
    def setUp(self):
        super().setUp()
        self.random_file("a.img", 10 * 4096)

    def test_no_command(self):
        self.fails(message="", names=COMMANDS)
        self.fails("", message="unknown command ''", names=COMMANDS)

    def test_unknown_commands(self):
        for name in ("fromat", "open", "Format", "form", "-", "--", "--unknown", "format ", "x" * 5000):
            with self.subTest(name=name[:20]):
                result = self.fails(name, "a.img", "a.hash", message="unknown command")
                self.assertLess(len(result.err), 1000)

    def test_unknown_options(self):
        for command in COMMANDS:
            for option in ("--unknown", "--unknown=1", "-x", "--Hash=sha256", "--", "-"):
                if option in ("--", "-"):
                    continue
                with self.subTest(command=command, option=option):
                    result = self.fails(command, option, "a.img", "a.hash", "00" * 32, message="")
                    self.assertIn(option.split("=")[0], result.err)

    def test_options_are_not_guessed(self):
        for option in ("--hash-o=512", "--no-super", "--verb", "--sal=00", "--hash-block=512", "--js"):
            with self.subTest(option=option):
                self.fails("format", option, "a.img", "a.hash", message="", names=[option.split("=")[0]])

    def test_options_of_other_commands(self):
        self.fails("dump", "--salt=00", "a.img", message="", names=["--salt"])
        self.fails("verify", "--uuid=x", "a.img", "a.hash", "00", message="", names=["--uuid"])

    def test_missing_values(self):
        for option in ("--hash", "--salt", "-h", "-s", "--data-blocks", "--uuid", "--threads", "--root-hash-file"):
            with self.subTest(option=option):
                self.fails("format", "a.img", "a.hash", option, message="", names=[option.lstrip("-")])

    def test_values_of_flags(self):
        for option in ("--no-superblock=yes", "--json=1", "--verbose=", "--dry-run=0"):
            with self.subTest(option=option):
                self.fails("format", option, "a.img", "a.hash", message="", names=[option.split("=")[0]])

    def test_too_few_arguments(self):
        for arguments in (
            ["format"],
            ["format", "a.img"],
            ["verify"],
            ["verify", "a.img"],
            ["dump"],
            ["table"],
            ["table", "a.img"],
            ["format", "--hash=sha256", "--", "a.img"],
        ):
            with self.subTest(arguments=arguments):
                self.fails(*arguments, message="")

    def test_too_many_arguments(self):
        for arguments in (
            ["format", "a.img", "a.hash", "surplus"],
            ["verify", "a.img", "a.hash", "00" * 32, "surplus"],
            ["dump", "a.img", "surplus"],
            ["table", "a.img", "a.hash", "00" * 32, "surplus"],
            ["size", "a.img", "surplus"],
            ["cores", "surplus"],
        ):
            with self.subTest(arguments=arguments):
                self.fails(*arguments, message="", names=["surplus"])

    def test_the_same_option_twice(self):
        """Refused, or the last one counts; never the first in silence."""
        result = self.finish(self.start("format", "--salt=00", "--salt=-", "a.img", "a.hash"))
        if result.status == 0:
            self.assertIn("Salt:            \t-\n", result.out)
        else:
            self.assert_one_line(result)
            self.assertIn("--salt", result.err)


class Spellings(CliTest):
    def setUp(self):
        super().setUp()
        self.p = Parameters("sha256", 1, 512, 1024, b"\xd0\x0d")
        self.tree = reference.build(self.random_file("a.img", 40 * 512), self.p)

    def check(self, *arguments):
        with self.subTest(arguments=arguments):
            self.tool("format", *arguments)
            self.assertEqual(self.read("a.hash"), self.tree.hash_file)
            os.unlink(self.path("a.hash"))

    def test_places_and_signs(self):
        uuid = self.p.uuid
        sizes = ["--data-block-size=512", "--hash-block-size=1024", f"--uuid={uuid}"]
        self.check("--hash=sha256", "--salt=d00d", *sizes, "a.img", "a.hash")
        self.check("--hash", "sha256", "--salt", "d00d", *sizes, "a.img", "a.hash")
        self.check("-h", "sha256", "-s", "d00d", *sizes, "a.img", "a.hash")
        self.check("-hsha256", "-sd00d", *sizes, "a.img", "a.hash")
        self.check("a.img", "a.hash", "-h", "sha256", "-s", "d00d", *sizes)
        self.check("-h", "sha256", "a.img", "-s", "d00d", *sizes, "a.hash")
        self.check(*sizes, "--format=1", "-h", "sha256", "-s", "d00d", "--", "a.img", "a.hash")
        self.check(*sizes, "-h", "sha256", "a.img", "-s", "d00d", "--", "a.hash")

    def test_names_that_look_like_options(self):
        os.rename(self.path("a.img"), self.path("--salt=1"))
        for name in ("--hash", "-x"):
            result = self.tool("format", *self.p.format_options, "--", "--salt=1", name)
            self.assertEqual(self.read(name), self.tree.hash_file)
            self.tool("verify", "--", "--salt=1", name, result.root)
        os.rename(self.path("--salt=1"), self.path("-"))
        result = self.tool("format", *self.p.format_options, "./-", "b.hash")
        self.assertEqual(self.read("b.hash"), self.tree.hash_file)


class Json(CliTest):
    def test_of_each_command(self):
        self.random_file("a.img", 10 * 4096)
        root = self.tool("format", "--json", "a.img", "a.hash").json()["root_hash"]
        for arguments in (
            ["verify", "a.img", "a.hash", root],
            ["dump", "a.hash"],
            ["table", "a.img", "a.hash", root],
            ["size", "a.img"],
            ["cores"],
            ["format", "--dry-run", "a.img", "b.hash"],
            ["bench", "sha1", "--count=1"],
            ["bench", "aes-256-xts", "--count=1"],
        ):
            with self.subTest(arguments=arguments):
                result = self.tool(*arguments, "--json")
                self.assertIsInstance(result.json(), (dict, list))
                self.assertTrue(result.out.endswith("\n"))

    def test_verify_of_a_good_image(self):
        self.random_file("a.img", 10 * 4096)
        root = self.tool("format", "a.img", "a.hash").root
        report = self.tool("verify", "--json", "a.img", "a.hash", root).json()
        self.assertIs(report["valid"], True)
        self.assertEqual(report["findings"], [])
        self.assertEqual(report["root"], "matches")
