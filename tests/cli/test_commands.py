"""The command line itself: help, commands and options as they may and may not be written; `cores` and `bench`."""

import os
import re
import subprocess

import reference
from harness import CliTest, Config
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
            result = self.tool("format", *self.format_options(self.p), "--", "--salt=1", name)
            self.assertEqual(self.read(name), self.tree.hash_file)
            self.tool("verify", "--", "--salt=1", name, result.root)
        os.rename(self.path("--salt=1"), self.path("-"))
        result = self.tool("format", *self.format_options(self.p), "./-", "b.hash")
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


class Cores(CliTest):
    def cores(self, taken_away=""):
        """The report's list of hashes."""
        return self.tool("cores", "--json", env={"VERITYTOOL_CPU": taken_away}).json()["hashes"]

    def features(self):
        """All names that VERITYTOOL_CPU knows."""
        message = self.fails("cores", message="VERITYTOOL_CPU: ", env={"VERITYTOOL_CPU": "?"}).err
        return [name.lstrip("-") for name in re.search(r"\(known[^:]*: ([^)]*)\)", message)[1].split()]

    def test_every_hash_has_cores(self):
        hashes = self.cores()
        self.assertEqual(
            {hash["name"]: hash["digest_size"] for hash in hashes},
            {name: Parameters(name).digest_size for name in HASHES},
        )
        text = self.tool("cores").out
        for hash in hashes:
            with self.subTest(hash=hash["name"]):
                self.assertIn(hash["name"], text)
                family = hash["cores"][0]["name"].split("_")[0]
                self.assertTrue(hash["name"].startswith(family))
                self.assertEqual(hash["cores"][-1]["name"], f"{family}_portable")
                self.assertEqual((hash["cores"][-1]["lanes"], hash["cores"][-1]["needs"]), (1, []))
                for use in ("used_for_one", "used_for_many"):
                    self.assertEqual(sum(core[use] for core in hash["cores"]), 1)
                for core in hash["cores"]:
                    self.assertIn(core["name"], text)
                    self.assertFalse(core["used_for_one"] and not core["usable"])

    def test_features_taken_away(self):
        everything = ",".join("-" + name for name in self.features())
        for hash in self.cores(everything):
            used = [core["name"] for core in hash["cores"] if core["used_for_one"] or core["used_for_many"]]
            self.assertEqual(len(used), 1)
            self.assertFalse([core for core in hash["cores"] if core["needs"] and core["usable"]])

    def test_one_feature_taken_away(self):
        for name in self.features():
            for hash in self.cores("-" + name):
                for core in hash["cores"]:
                    self.assertFalse(core["usable"] and name in core["needs"], (name, core))


class Bench(CliTest):
    def test_counted(self):
        for name in HASHES:
            with self.subTest(hash=name):
                report = self.tool("bench", "--json", name, "--size=4096", "--messages=3", "--count=2").json()
                self.assertTrue(report)

    def test_each_core(self):
        for hash in self.tool("cores", "--json").json()["hashes"]:
            for core in hash["cores"]:
                arguments = ["bench", hash["name"], f"--core={core['name']}", "--count=1", "--messages=5"]
                with self.subTest(core=core["name"]):
                    if core["usable"]:
                        self.tool(*arguments)
                    else:
                        self.fails(*arguments, message="", names=[core["name"]])

    def test_region_of_interest_is_in_the_symbol_table(self):
        symbols = subprocess.run(["nm", "--defined-only", Config.program], capture_output=True, text=True).stdout
        self.assertRegex(symbols, r"(?m) T roi_begin$")
        self.assertRegex(symbols, r"(?m) T roi_end$")

    def test_bad_input(self):
        self.fails("bench", "md5", "--count=1", message="", names=["md5", *HASHES])
        self.fails("bench", "--count=1", message="")
        self.fails("bench", "sha1", "sha256", "--count=1", message="")
        self.fails("bench", "sha1", "--core=nonsense", "--count=1", message="", names=["nonsense"])
        self.fails("bench", "sha1", "--core=blake2b_portable", "--count=1", message="", names=["blake2b_portable"])
        for option in ("--size", "--messages", "--count"):
            for value in ("0", "-1", "x", "", str(2**64)):
                with self.subTest(option=option, value=value):
                    other = "--count=1" if option != "--count" else "--size=512"
                    self.fails("bench", "sha1", other, f"{option}={value}", message=option)
