"""`cores`: the lists of hash functions, ciphers and parity, and of the code that computes them."""

import pathlib
import re

from harness import CliTest, Config
from reference import HASHES, Parameters

FAMILIES = ("chacha", "salsa", "hchacha", "nh", "poly1305", "aes", "aesxts", "adiantum")


class CoresTest(CliTest):
    def report(self, taken_away=""):
        return self.tool("cores", "--json", env={"VERITYTOOL_CPU": taken_away}).json()

    def groups(self, taken_away=""):
        """The report's hash functions, cipher families and what makes parity."""
        report = self.report(taken_away)
        return report["hashes"] + report["ciphers"] + report["error_correction"]

    def features(self):
        """All names that VERITYTOOL_CPU knows."""
        message = self.fails("cores", message="VERITYTOOL_CPU: ", env={"VERITYTOOL_CPU": "?"}).err
        return [name.lstrip("-") for name in re.search(r"\(known[^:]*: ([^)]*)\)", message)[1].split()]


class Cores(CoresTest):
    def assert_cores(self, group, family, portable_lanes):
        """That cores are of that family, the portable one stands last, and one is in use for one and for many."""
        names = [core["name"] for core in group["cores"]]
        for name in names:
            self.assertTrue(name.startswith(family + "_"), name)
        self.assertEqual(names[-1], f"{family}_portable")
        self.assertEqual(group["cores"][-1]["needs"], [])
        self.assertIn(group["cores"][-1]["lanes"], portable_lanes)
        for use in ("used_for_one", "used_for_many"):
            self.assertEqual(sum(core[use] for core in group["cores"]), 1)
        for core in group["cores"]:
            self.assertFalse((core["used_for_one"] or core["used_for_many"]) and not core["usable"], core)

    def test_every_hash_has_cores(self):
        hashes = self.report()["hashes"]
        self.assertEqual(
            {hash["name"]: hash["digest_size"] for hash in hashes},
            {name: Parameters(name).digest_size for name in HASHES},
        )
        for hash in hashes:
            with self.subTest(hash=hash["name"]):
                family = hash["compression_function"]
                self.assertTrue(hash["name"].startswith(family))
                self.assert_cores(hash, family, (1,))

    def test_every_cipher_family_has_cores(self):
        ciphers = self.report()["ciphers"]
        self.assertEqual(tuple(cipher["name"] for cipher in ciphers), FAMILIES)
        for cipher in ciphers:
            with self.subTest(family=cipher["name"]):
                if cipher["name"] != "adiantum":  # which has no portable core, and not everywhere one
                    self.assert_cores(cipher, cipher["name"], (1, 2, 4))
                    self.assertTrue(cipher["serves"])

    def test_error_correction_has_cores(self):
        (group,) = self.report()["error_correction"]
        self.assert_cores(group, "gf256", (1,))

    def test_what_a_family_serves(self):
        serves = {cipher["name"]: cipher["serves"] for cipher in self.report()["ciphers"]}
        self.assertIn("chacha20", serves["chacha"])
        self.assertIn("xchacha12", serves["hchacha"])
        self.assertNotIn("chacha20", serves["hchacha"])
        self.assertIn("salsa20", serves["salsa"])
        self.assertIn("adiantum-xchacha12", serves["nh"])
        self.assertNotIn("adiantum-xchacha12", serves["aesxts"])
        for names in serves.values():
            for name in names:
                self.tool("bench", name, "--count=1", "--messages=1")

    def test_text_has_all_of_it(self):
        text = self.tool("cores").out
        for group in self.groups():
            if group["cores"]:
                self.assertRegex(text, rf"(?m)^{re.escape(group['name'])} ")
            for core in group["cores"]:
                lanes = "-" if group["name"] == "gf256" else core["lanes"]
                self.assertRegex(text, rf"(?m)\b{core['name']} +{lanes} ")
        for line in text.splitlines()[1:]:  # behind the processor's features
            self.assertLessEqual(len(line), 100, line)
            self.assertEqual(line, line.rstrip())

    def test_every_core_of_the_source_is_listed(self):
        with open(Config.program, "rb") as program:
            machine = int.from_bytes(program.read(20)[18:], "little")  # e_machine of the ELF header
        folder = {62: "x86", 40: "arm", 183: "arm64"}.get(machine)
        source = pathlib.Path(__file__).resolve().parents[2]
        tables = [source / "ciphers" / "cores.def"]
        if folder:
            tables += [source / "arch" / folder / table for table in ("cores.def", "ciphers.def", "gf256.def")]
        named = {name for table in tables for name in re.findall(r"(?m)^CORE\((\w+)", table.read_text())}
        self.assertGreater(len(named), 5)
        self.assertFalse(named - {core["name"] for group in self.groups() for core in group["cores"]})


class FeaturesTakenAway(CoresTest):
    def test_all(self):
        everything = ",".join("-" + name for name in self.features())
        for group in self.groups(everything):
            used = [core["name"] for core in group["cores"] if core["used_for_one"] or core["used_for_many"]]
            self.assertEqual(len(used), 0 if group["name"] == "adiantum" else 1)
            self.assertFalse([core for core in group["cores"] if core["needs"] and core["usable"]])

    def test_one(self):
        for name in self.features():
            for group in self.groups("-" + name):
                for core in group["cores"]:
                    self.assertFalse(core["usable"] and name in core["needs"], (name, core))
