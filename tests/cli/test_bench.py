"""`bench`: what it measures, what it counts and what it refuses."""

import subprocess

from harness import CliTest, Config, emulated
from reference import HASHES

STREAMS = ("chacha8", "chacha12", "chacha20", "xchacha12", "xchacha20", "salsa20-12", "salsa20", "xsalsa20")
UNIVERSAL_HASHES = ("nh", "poly1305", "nhpoly1305")
MODES = ("aes-128-xts", "aes-256-xts", "adiantum-xchacha12", "adiantum-xchacha20", "hpolyc")  # have directions
CIPHERS = (*STREAMS, *UNIVERSAL_HASHES, *MODES)
PARITY = ("fec-2", "fec-8", "fec-24")
KINDS = {**dict.fromkeys(HASHES, "hash"), **dict.fromkeys(CIPHERS, "cipher"), **dict.fromkeys(PARITY, "parity")}


class BenchTest(CliTest):
    def cores(self):
        """(an algorithm to measure it with, core) for all cores."""
        report = self.tool("cores", "--json").json()
        for hash in report["hashes"]:
            for core in hash["cores"]:
                yield hash["name"], core
        for cipher in report["ciphers"]:
            for core in cipher["cores"]:
                yield cipher["serves"][0], core
        for core in report["error_correction"][0]["cores"]:
            yield "fec-24", core


class Counted(BenchTest):
    def test_report(self):
        for name, kind in KINDS.items():
            with self.subTest(algorithm=name):
                report = self.tool("bench", "--json", name, "--size=4096", "--messages=3", "--count=2").json()
                self.assertTrue(report.pop("core"))
                self.assertEqual(report.pop("hash", name), name)
                wanted = {"algorithm": name, "kind": kind}
                wanted |= {"direction": "encrypt"} if name in MODES else {}
                self.assertEqual(report, wanted | {"size": 4096, "messages": 3, "count": 2})

    def test_field_for_scripts_that_know_only_hashes(self):
        self.assertEqual(self.tool("bench", "--json", "sha256", "--count=1").json()["hash"], "sha256")
        self.assertNotIn("hash", self.tool("bench", "--json", "nh", "--count=1").json())

    def test_directions(self):
        for name in MODES:
            for direction in ("encrypt", "decrypt"):
                arguments = ["bench", name, "--count=1", "--messages=2", f"--direction={direction}"]
                self.assertEqual(self.tool(*arguments, "--json").json()["direction"], direction)
                self.assertIn(f"{name}, {direction} in ", self.tool(*arguments).out)

    def test_each_core(self):
        for name, core in self.cores():
            arguments = ["bench", name, f"--core={core['name']}", "--count=1", "--messages=5"]
            with self.subTest(core=core["name"]):
                if core["usable"]:
                    self.assertEqual(self.tool(*arguments, "--json").json()["core"], core["name"])
                else:
                    self.fails(*arguments, message="", names=[core["name"]])

    def test_each_core_of_what_is_shared_by_several(self):
        for core in ("chacha_portable", "hchacha_portable", "nh_portable", "poly1305_portable", "aes_portable"):
            self.tool("bench", "adiantum-xchacha12", f"--core={core}", "--count=1", "--messages=2")
        self.assertEqual(self.tool("bench", "--json", "hpolyc", "--count=1").json()["core"], "default")

    def test_sizes(self):
        for name in STREAMS + UNIVERSAL_HASHES:
            for size in (1, 15, 64, 1420):
                self.tool("bench", name, f"--size={size}", "--count=1", "--messages=2")
        for name in ("adiantum-xchacha12", "hpolyc"):
            for size in (16, 17, 512, 1420, 10000):
                self.tool("bench", name, f"--size={size}", "--count=1", "--messages=2")
        for size in (16, 48, 512):
            self.tool("bench", "aes-128-xts", f"--size={size}", "--count=1", "--messages=2")

    def test_names_in_any_case(self):
        self.assertEqual(self.tool("bench", "--json", "ChaCha20", "--count=1").json()["algorithm"], "chacha20")

    def test_region_of_interest_is_in_the_symbol_table(self):
        symbols = subprocess.run(["nm", "--defined-only", Config.program], capture_output=True, text=True).stdout
        self.assertRegex(symbols, r"(?m) T roi_begin$")
        self.assertRegex(symbols, r"(?m) T roi_end$")


class Measured(BenchTest):
    def setUp(self):
        super().setUp()
        if emulated():
            self.skipTest("measures the emulator")

    def results(self, *arguments):
        return self.tool("bench", "--json", "--messages=2", *arguments).json()["results"]

    def test_directions(self):
        results = self.results("adiantum-xchacha12")
        self.assertEqual([(r["direction"], r["core"]) for r in results], [("encrypt", "default"), ("decrypt", "default")])
        self.assertEqual([r["direction"] for r in self.results("adiantum-xchacha12", "--direction=decrypt")], ["decrypt"])

    def test_compares_cores(self):
        usable = [core["name"] for name, core in self.cores() if name == "salsa20-12" and core["usable"]]
        results = self.results("salsa20")
        self.assertEqual([r["core"] for r in results], usable)
        self.assertEqual(sum(r["selected"] for r in results), 1)
        for result in results:
            self.assertGreater(result["bytes_per_second"], 0)
            self.assertLessEqual(result["slowest"], result["bytes_per_second"])
            self.assertLessEqual(result["bytes_per_second"], result["fastest"])

    def test_core_alone_measures_what_it_computes(self):
        results = self.results("hashes", "ciphers", "--core=salsa_portable")
        self.assertEqual([r["algorithm"] for r in results], ["salsa20-12", "salsa20", "xsalsa20"])

    def test_parity(self):
        results = self.results("parity", "--core=gf256_portable", "--size=512")
        self.assertEqual([(r["algorithm"], r["kind"]) for r in results], [(name, "parity") for name in PARITY])

    def test_each_algorithm_once(self):
        results = self.results("salsa20", "ciphers", "SALSA20", "--core=salsa_portable")
        self.assertEqual(sorted(r["algorithm"] for r in results), ["salsa20", "salsa20-12", "xsalsa20"])

    def test_sizes_that_a_group_does_not_take_are_left_out(self):
        results = self.results("ciphers", "--core=aes_portable", "--size=1420,512", "--direction=encrypt")
        self.assertEqual(
            [(r["size"], r["algorithm"]) for r in results],
            [(1420, name) for name in MODES[2:]] + [(512, name) for name in MODES],
        )

    def test_chart_and_text(self):
        text = self.tool("bench", "aes-256-xts", "--core=aesxts_portable", "--svg=a.svg", "--threads=2").out
        self.assertRegex(text, r"(?m)^aes-256-xts +enc +aesxts_portable ")
        self.assertRegex(text, r"(?m)^ +dec +aesxts_portable ")
        for line in text.splitlines()[:-1]:  # but for the legend
            self.assertLessEqual(len(line), 80, line)
        self.assertIn("aesxts_portable, decrypt", self.read("a.svg").decode())


class BadInput(BenchTest):
    def test_names(self):
        self.fails("bench", "md5", "--count=1", message="unknown algorithm 'md5'", names=[*HASHES, *CIPHERS])
        self.fails("bench", "chacha", "--count=1", message="unknown algorithm 'chacha'")
        self.fails("bench", "--count=1", message="--count")
        self.fails("bench", "hashes", "--count=1", message="--count")
        self.fails("bench", "sha1", "nh", "--count=1", message="--count")

    def test_cores(self):
        self.fails("bench", "sha1", "--core=nonsense", "--count=1", message="", names=["nonsense"])
        for name, core in (
            ("sha1", "blake2b_portable"), ("sha1", "chacha_portable"), ("chacha20", "sha1_portable"),
            ("chacha20", "hchacha_portable"), ("salsa20", "chacha_portable"), ("aes-256-xts", "chacha_portable"),
            ("hpolyc", "nh_portable"),
        ):
            with self.subTest(name=name, core=core):
                self.fails("bench", name, f"--core={core}", "--count=1", message=f"{core} does not compute {name}")
        self.fails("bench", "hashes", "--core=nh_portable", message="nothing to measure: nh_portable does not compute")

    def test_sizes(self):
        for size in (15, 17, 1420, 4095):
            with self.subTest(size=size):
                for name in ("aes-256-xts", "aes-128-xts"):
                    self.fails("bench", name, f"--size={size}", "--count=1", message="--size", names=[name, size, 16])
        self.fails("bench", "aes-256-xts", "--size=512,1420", message="--size", names=["1420"])
        for name in ("adiantum-xchacha12", "hpolyc"):
            self.fails("bench", name, "--size=15", "--count=1", message="--size", names=[name, 15, 16])

    def test_directions(self):
        self.fails("bench", "aes-256-xts", "--direction=both", "--count=1", message="--direction", names=["both"])
        for name in ("chacha20", "nh", "sha1"):
            self.fails("bench", name, "--direction=decrypt", "--count=1", message="--direction", names=[name])

    def test_numbers(self):
        for name in ("sha1", "chacha20"):
            for option in ("--size", "--messages", "--count"):
                for value in ("0", "-1", "x", "", str(2**64)):
                    with self.subTest(option=option, value=value):
                        other = "--count=1" if option != "--count" else "--size=512"
                        self.fails("bench", name, other, f"{option}={value}", message=option)
