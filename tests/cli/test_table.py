"""The kernel's device-mapper line, against the format that its documentation gives."""

import reference
from harness import CliTest
from reference import Parameters

FLAGS = {
    "--ignore-corruption": ["ignore_corruption"],
    "--restart-on-corruption": ["restart_on_corruption"],
    "--panic-on-corruption": ["panic_on_corruption"],
    "--restart-on-error": ["restart_on_error"],
    "--panic-on-error": ["panic_on_error"],
    "--ignore-zero-blocks": ["ignore_zero_blocks"],
    "--check-at-most-once": ["check_at_most_once"],
    "--use-tasklets": ["try_verify_in_tasklet"],
    "--root-hash-sig-key-desc=key": ["root_hash_sig_key_desc", "key"],
}


class Tables(CliTest):
    def make(self, p, blocks):
        tree = reference.build(self.random_file("a.img", blocks * p.data_block_size), p)
        self.write("a.hash", tree.hash_file)
        return tree.root.hex()

    def line(self, p, blocks, root, data="a.img", hash_file="a.hash", options=()):
        words = [
            0,
            blocks * p.data_block_size // 512,
            "verity",
            p.format,
            data,
            hash_file,
            p.data_block_size,
            p.hash_block_size,
            blocks,
            p.tree_offset // p.hash_block_size,
            p.hash,
            root,
            p.salt.hex() or "-",
        ]
        if options:
            words += [len(options), *options]
        return " ".join(map(str, words)) + "\n"

    def table(self, p, blocks, root, *options, **expected):
        result = self.tool("table", *p.verify_options, *options, "a.img", "a.hash", root)
        self.assertEqual(result.out, self.line(p, blocks, root, **expected))

    def test_kernel_command_line(self):
        p = Parameters("sha256", 1, 4096, 4096, b"\xd0\x0d")
        root = self.make(p, 20)
        table = self.line(p, 20, root, options=["ignore_zero_blocks"]).strip()
        for options in ([], ["--json"]):
            options = ["--kernel-cmdline=sys-a.1", "--ignore-zero-blocks", *options]
            result = self.tool("table", *options, "a.img", "a.hash", root)
            wanted = f'dm-mod.create="sys-a.1,,,ro,{table}"'
            if "--json" in options:
                self.assertEqual(result.json(), {"table": table, "sectors": 160, "kernel_cmdline": wanted})
            else:
                self.assertEqual(result.out, wanted + "\n")

    def test_kernel_command_line_refused(self):
        root = self.make(Parameters(), 20)
        for name in ("", "a,b", "a b", "a/b", "..", "x" * 128):
            self.fails("table", f"--kernel-cmdline={name}", "a.img", "a.hash", root, message="--kernel-cmdline: ")
        for character in ",;\"":
            name = f"a{character}.img"
            self.write(name, self.read("a.img"))
            message = f"the kernel's command line cannot have a {character} in a path"
            self.fails("table", "--kernel-cmdline=x", name, "a.hash", root, message=message)
            self.tool("table", name, "a.hash", root)

    def test_parameters(self):
        for p, blocks in (
            (Parameters(), 300),
            (Parameters("sha256", 1, 4096, 4096, b"\xd0\x0d"), 1),
            (Parameters("sha1", 0, 512, 1024, b"x"), 77),
            (Parameters("sha512", 1, 1024, 512, bytes(256)), 40),
            (Parameters("blake2b-512", hash_offset=8192), 10),
            (Parameters("blake2s-256", 1, 512, 4096, hash_offset=1024), 10),
            (Parameters("sha256", uuid=None), 300),
            (Parameters("sha256", uuid=None, hash_offset=40960), 10),
        ):
            with self.subTest(p=p):
                root = self.make(p, blocks)
                self.table(p, blocks, root)

    def test_root_in_lower_case(self):
        root = self.make(Parameters(), 10)
        result = self.tool("table", "a.img", "a.hash", root.upper())
        self.assertEqual(result.out, self.line(Parameters(), 10, root))

    def test_documented_example(self):
        """Of the kernel's documentation, but for the number of data blocks, for which it needs a large file."""
        self.make(Parameters(), 1)
        root = "4392712ba01368efdf14b05c76f9e4df0d53664630b5d48632ed17a137f39076"
        salt = "1234000000000000000000000000000000000000000000000000000000000000"
        self.sparse_file("a.img", 262144 * 4096)
        self.sparse_file("a.hash", 4096 * 3000)
        options = ["--no-superblock", "--hash=sha256", f"--salt={salt}", "--hash-offset=4096"]
        result = self.tool("table", *options, "a.img", "a.hash", root)
        self.assertEqual(result.out, f"0 2097152 verity 1 a.img a.hash 4096 4096 262144 1 sha256 {root} {salt}\n")

    def test_paths_as_given(self):
        p = Parameters()
        root = self.make(p, 10)
        for data, hash_file in (("./a.img", "./a.hash"), (self.path("a.img"), self.path("a.hash"))):
            result = self.tool("table", data, hash_file, root)
            self.assertEqual(result.out, self.line(p, 10, root, data, hash_file))

    def test_tree_in_the_data(self):
        p = Parameters(hash_offset=10 * 4096)
        data = self.random_file("a.img", 10 * 4096)
        tree = reference.build(data, p)
        self.write("a.img", data + tree.hash_area)
        result = self.tool("table", f"--hash-offset={p.hash_offset}", "a.img", "a.img", tree.root.hex())
        self.assertEqual(result.out, self.line(p, 10, tree.root.hex(), "a.img", "a.img"))

    def test_data_blocks_from_the_option(self):
        p = Parameters("sha256", uuid=None)
        root = self.make(p, 300)
        result = self.tool("table", *p.verify_options, "--data-blocks=123", "a.img", "a.hash", root)
        self.assertEqual(result.out, self.line(p, 123, root))

    def test_each_option(self):
        p = Parameters("sha256")
        root = self.make(p, 300)
        for flag, words in FLAGS.items():
            with self.subTest(flag=flag):
                self.table(p, 300, root, flag, options=words)

    def test_several_options(self):
        p = Parameters("sha256")
        root = self.make(p, 300)
        flags = ["--ignore-zero-blocks", "--check-at-most-once", "--ignore-corruption"]
        line = self.tool("table", *flags, "a.img", "a.hash", root).out
        mandatory, options = line.split()[:13], line.split()[13:]
        self.assertEqual(" ".join(mandatory) + "\n", self.line(p, 300, root))
        self.assertEqual(options[0], "3")
        self.assertEqual(sorted(options[1:]), ["check_at_most_once", "ignore_corruption", "ignore_zero_blocks"])

    def test_error_correction(self):
        p = Parameters("sha256")
        root = self.make(p, 300)
        options = ["--fec-device=a.fec", "--fec-roots=24", "--fec-blocks=302", "--fec-start=7"]
        line = self.tool("table", *options, "a.img", "a.hash", root).out
        words = line.split()[13:]
        self.assertEqual(words[0], "8")
        pairs = dict(zip(words[1::2], words[2::2]))
        self.assertEqual(
            pairs, {"use_fec_from_device": "a.fec", "fec_roots": "24", "fec_blocks": "302", "fec_start": "7"}
        )

    def test_options_that_exclude_each_other(self):
        root = self.make(Parameters(), 10)
        for flags in (
            ["--ignore-corruption", "--restart-on-corruption"],
            ["--ignore-corruption", "--panic-on-corruption"],
            ["--restart-on-corruption", "--panic-on-corruption"],
            ["--restart-on-error", "--panic-on-error"],
        ):
            with self.subTest(flags=flags):
                self.fails("table", *flags, "a.img", "a.hash", root, message="", names=flags)

    def test_json(self):
        p = Parameters("sha256", salt=b"\1")
        root = self.make(p, 300)
        report = self.tool("table", "--json", "--ignore-corruption", "a.img", "a.hash", root).json()
        line = self.line(p, 300, root, options=["ignore_corruption"]).strip()
        self.assertIn(line, report.values())

    def test_bad_input(self):
        root = self.make(Parameters(), 10)
        self.fails("table", "a.img", "no.hash", root, message="no.hash: No such file or directory")
        self.fails("table", "a.img", "a.img", root, status=4, message="a.img: no verity superblock")
        self.fails("table", "a.img", "a.hash", root[2:], message="root hash '")
        self.fails("table", "a.img", "a.hash", message="")
        self.fails("table", "--root-hash-sig-key-desc=", "a.img", "a.hash", root, message="--root-hash-sig-key-desc")

    def test_paths_that_the_line_cannot_hold(self):
        """The kernel splits the line at white space."""
        root = self.make(Parameters(), 10)
        self.write("b c.img", self.read("a.img"))
        result = self.finish(self.start("table", "b c.img", "a.hash", root))
        if result.status == 0:
            self.assertIn("b\\ c.img", result.out, "dm splits at blanks that no backslash is before")
        else:
            self.assert_one_line(result)
