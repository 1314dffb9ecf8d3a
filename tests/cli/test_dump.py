"""What `dump` says of a superblock. (test_verify.py has the bad ones.)"""

import reference
from harness import CliTest
from reference import HASHES, Parameters
from test_format import header


class Dump(CliTest):
    def test_every_hash(self):
        data = self.random_file("a.img", 300 * 512)
        for algorithm in HASHES:
            for p in (Parameters(algorithm, 1, 512, 512, b"\x01\x02"), Parameters(algorithm, 0, 512, 4096)):
                with self.subTest(p=p):
                    self.write("a.hash", reference.build(data, p).hash_file)
                    self.assertEqual(self.tool("dump", "a.hash").out, header(p, 300))

    def test_hash_offset(self):
        p = Parameters(data_block_size=512, hash_offset=8192 + 512)
        self.write("a.hash", reference.build(self.random_file("a.img", 300 * 512), p).hash_file)
        result = self.tool("dump", f"--hash-offset={p.hash_offset}", "a.hash")
        self.assertEqual(result.out, header(p, 300))

    def test_superblock_alone(self):
        """The tree need not be there."""
        p = Parameters("sha256")
        self.write("a.hash", p.superblock(2**40))
        self.assertEqual(self.tool("dump", "a.hash").out, header(p, 2**40))

    def test_json(self):
        p = Parameters("sha256", 0, 512, 1024, b"\xff\x00")
        self.write("a.hash", p.superblock(300))
        report = self.tool("dump", "--json", "a.hash").json()
        expected = {
            "hash_file": "a.hash",
            "uuid": p.uuid,
            "hash_type": 0,
            "data_blocks": 300,
            "data_block_size": 512,
            "hash_block_size": 1024,
            "hash_algorithm": "sha256",
            "salt": "ff00",
            "hash_file_size": p.tree_end(300),
        }
        self.assertEqual({key: report.get(key) for key in expected}, expected)

    def test_missing(self):
        self.fails("dump", "no.hash", message="no.hash: No such file or directory")
        self.fails("dump", ".", message=".: is a directory")
        self.fails("dump", "/dev/null", message="/dev/null: ")
