"""Input that cannot be used: one line that names the file and the figure, status 1, and nothing has changed."""

import os
import resource
import socket

import reference
from harness import UUID, CliTest, thinned
from reference import HASHES, Parameters


class Data(CliTest):
    """What `format` says of DATA."""

    def check(self, *arguments, message, **options):
        self.fails("format", *arguments, message=message, **options)
        # Nor does it look at HASH or spoil it.
        self.random_file("old.hash", 3000)
        arguments = [argument if argument != "a.hash" else "old.hash" for argument in arguments]
        self.fails("format", *arguments, message=message, **options)

    def test_missing(self):
        self.check("no.img", "a.hash", message="no.img: No such file or directory")
        self.check("no/a.img", "a.hash", message="no/a.img: No such file or directory")
        self.write("file", b"x")
        self.check("file/a.img", "a.hash", message="file/a.img: Not a directory")

    def test_directory(self):
        os.mkdir(self.path("images"))
        self.check("images", "a.hash", message="images: is a directory")
        self.check(".", "a.hash", message=".: is a directory")

    def test_empty(self):
        self.write("a.img", b"")
        self.check("a.img", "a.hash", message="a.img: is empty")
        self.check("--data-blocks=1", "a.img", "a.hash", message="a.img: is empty")
        self.check("/dev/null", "a.hash", message="/dev/null: is empty")

    def test_less_than_a_block(self):
        self.write("a.img", bytes(4095))
        self.check("a.img", "a.hash", message="a.img: 4095 bytes is less than one block of 4096 bytes")
        self.write("a.img", b"x")
        self.check(
            "--data-block-size=512", "a.img", "a.hash", message="a.img: 1 byte is less than one block of 512 bytes"
        )

    def test_not_whole_blocks(self):
        self.write("system.img", bytes(5000))
        self.check(
            "system.img",
            "a.hash",
            message="system.img: 5000 bytes is not a multiple of the 4096-byte block (904 left over)",
        )
        self.write("a.img", bytes(1024 * 9 + 1))
        self.check(
            "--data-block-size=1024",
            "a.img",
            "a.hash",
            message="a.img: 9217 bytes is not a multiple of the 1024-byte block (1 left over)",
        )

    def test_whole_blocks_asked_for_of_a_file_with_a_rest(self):
        data = self.random_file("a.img", 5000)
        p = Parameters()
        result = self.tool("format", *p.format_options, "--data-blocks=1", "a.img", "a.hash")
        self.assertEqual(result.root, p.digest(data[:4096]).hex())

    def test_data_blocks_beyond_the_file(self):
        self.write("a.img", bytes(10 * 4096))
        self.check("--data-blocks=11", "a.img", "a.hash", message="a.img: 11 data blocks", names=[40960, 10])
        self.check(f"--data-blocks={2**40}", "a.img", "a.hash", message="a.img: ", names=[2**40, 10])
        self.write("a.img", bytes(10 * 4096 + 4095))
        self.check("--data-blocks=11", "a.img", "a.hash", message="a.img: 11 data blocks", names=[10])

    def test_data_blocks_past_the_largest_file(self):
        self.write("a.img", bytes(4096))
        for blocks in (2**51, 2**52, 2**60, 2**64 - 1):
            self.check(f"--data-blocks={blocks}", "a.img", "a.hash", message="", names=[blocks])

    def test_unreadable(self):
        self.write("a.img", bytes(4096))
        os.chmod(self.path("a.img"), 0)
        user = self.without_rights(0o777)
        self.fails("format", "a.img", "a.hash", message="a.img: Permission denied", unchanged=False, **user)
        self.assertEqual(os.listdir(self.directory), ["a.img"])

    def test_socket(self):
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(self.path("socket"))
            self.fails("format", "socket", "a.hash", message="socket: ")


class HashFile(CliTest):
    """What `format` says of HASH."""

    def setUp(self):
        super().setUp()
        self.data = self.random_file("a.img", 100 * 4096)

    def test_directory(self):
        os.mkdir(self.path("hashes"))
        self.fails("format", "a.img", "hashes", message="hashes: ")

    def test_directory_missing(self):
        self.fails("format", "a.img", "no/a.hash", message="no/a.hash: No such file or directory")

    def test_unwritable(self):
        self.write("old.hash", b"old")
        os.chmod(self.path("old.hash"), 0o444)
        user = self.without_rights(0o555)
        self.fails("format", "a.img", "a.hash", message="a.hash: Permission denied", **user)
        self.fails("format", "a.img", "old.hash", message="old.hash: Permission denied", **user)

    def test_neither_file_nor_block_device(self):
        os.mkfifo(self.path("pipe"))
        for name in ("pipe", "/dev/null", "/dev/full"):
            self.fails("format", "a.img", name, message=f"{name}: neither a regular file nor a block device")

    def test_standard_output(self):
        self.fails("format", "a.img", "-", message="")

    def test_link_to_nothing(self):
        """Either it is followed, or the message says what is wrong with it."""
        os.symlink("elsewhere", self.path("a.hash"))
        result = self.finish(self.start("format", "a.img", "a.hash"))
        if result.status == 0:
            self.assertTrue(self.size("elsewhere") > 0)
        else:
            self.assert_one_line(result)
            self.assertNotIn("File exists", result.err)

    def test_same_file_as_data(self):
        os.symlink("a.img", self.path("link"))
        os.link(self.path("a.img"), self.path("hard"))
        for name in ("a.img", "./a.img", self.path("a.img"), "link", "hard"):
            for options in (
                [],
                ["--no-superblock"],
                ["--hash-offset=4096"],
                [f"--hash-offset={99 * 4096}"],
                ["--data-blocks=50", f"--hash-offset={49 * 4096}"],
            ):
                with self.subTest(name=name, options=options):
                    self.fails(
                        "format", *options, "a.img", name, message=f"{name}: the hash area", names=["overlaps the data"]
                    )

    def test_overlap_names_both_places(self):
        self.fails(
            "format",
            "--hash-offset=8192",
            "a.img",
            "a.img",
            message="a.img: the hash area at byte 8192",
            names=[100 * 4096],
        )

    def test_same_file_as_standard_input(self):
        """The data must not be overwritten, whatever way it comes in."""
        for name in ("-", "/dev/stdin", "/dev/fd/0"):
            for options in ([], ["--data-blocks=50"]):
                with self.subTest(name=name, options=options), open(self.path("a.img"), "rb") as stdin:
                    self.fails("format", *options, name, "a.img", message="", stdin=stdin)
        with self.subTest("seeked"), open(self.path("a.img"), "rb") as stdin:
            os.lseek(stdin.fileno(), 4096, os.SEEK_SET)
            self.fails("format", "-", "a.img", message="", stdin=stdin)

    def test_larger_than_files_may_be(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

        self.random_file("b.img", 1000 * 4096)
        self.fails("format", "b.img", "b.hash", message="b.hash: ", names=["File too large"], preexec_fn=limit)
        self.random_file("a.hash", 5000)
        self.fails(
            "format", "b.img", "a.hash", message="a.hash: ", names=["File too large"], preexec_fn=limit, unchanged=False
        )
        self.assertEqual(self.size("a.hash"), 5000)
        self.fails("format", f"--hash-offset={100 * 4096}", "a.img", "a.img", message="a.img: ", preexec_fn=limit)

    def test_no_name(self):
        self.fails("format", "a.img", "", message="")
        self.fails("format", "", "a.hash", message="")


class Verify(CliTest):
    """What verify says before it verifies anything."""

    def setUp(self):
        super().setUp()
        self.p = Parameters("sha256", 1, 512, 512)
        self.data = self.random_file("a.img", 300 * 512)
        self.tree = reference.build(self.data, self.p)
        self.root = self.tree.root.hex()
        self.write("a.hash", self.tree.hash_file)

    def test_missing(self):
        self.fails("verify", "no.img", "a.hash", self.root, message="no.img: No such file or directory")
        self.fails("verify", "a.img", "no.hash", self.root, message="no.hash: No such file or directory")

    def test_directories(self):
        os.mkdir(self.path("d"))
        self.fails("verify", "d", "a.hash", self.root, message="d: is a directory")
        self.fails("verify", "a.img", "d", self.root, message="d: is a directory")

    def test_data_truncated(self):
        for size in (0, 511, 299 * 512, 300 * 512 - 1):
            self.write("a.img", self.data[:size])
            self.fails("verify", "a.img", "a.hash", self.root, message="a.img: ", names=[size, 300])

    def test_data_longer(self):
        """As to the kernel, what lies behind the last data block is no concern of the tree's."""
        self.write("a.img", self.data + b"more")
        self.tool("verify", "a.img", "a.hash", self.root)

    def test_hash_file_truncated(self):
        end = len(self.tree.hash_file)
        for size in (512, 1024, end - 512, end - 1):
            self.write("a.hash", self.tree.hash_file[:size])
            self.fails("verify", "a.img", "a.hash", self.root, message="a.hash: ", names=[size, end])

    def test_hash_file_longer(self):
        self.write("a.hash", self.tree.hash_file + b"more")
        self.tool("verify", "a.img", "a.hash", self.root)

    def test_hash_file_truncated_without_superblock(self):
        p = self.p.but(uuid=None)
        tree = reference.build(self.data, p)
        for size in (0, 511, len(tree.hash_file) - 1):
            self.write("b.hash", tree.hash_file[:size])
            self.fails(
                "verify",
                *p.verify_options,
                "a.img",
                "b.hash",
                self.root,
                message="b.hash: ",
                names=[size, len(tree.hash_file)],
            )

    def test_data_sizes_without_superblock(self):
        p = self.p.but(uuid=None)
        options = p.verify_options
        self.write("b.hash", reference.build(self.data, p).hash_file)
        self.tool("verify", *options, "a.img", "b.hash", self.root)
        self.write("a.img", self.data + b"x")
        self.fails(
            "verify",
            *options,
            "a.img",
            "b.hash",
            self.root,
            message="a.img: 153601 bytes is not a multiple of the 512-byte block (1 left over)",
        )
        self.tool("verify", *options, "--data-blocks=300", "a.img", "b.hash", self.root)
        self.fails(
            "verify", *options, "--data-blocks=301", "a.img", "b.hash", self.root, message="a.img: ", names=[301]
        )
        self.write("a.img", b"")
        self.fails("verify", *options, "a.img", "b.hash", self.root, message="a.img: is empty")

    def test_streams(self):
        for data, hash_file in (("-", "a.hash"), ("a.img", "-"), ("/dev/zero", "a.hash"), ("a.img", "/dev/zero")):
            bad = "standard input" if "-" in (data, hash_file) else "/dev/zero"
            self.fails(
                "verify",
                data,
                hash_file,
                self.root,
                message="",
                names=[] if bad != "/dev/zero" else [bad],
                input=self.data,
            )

    def test_bad_roots(self):
        for root, names in (
            (self.root[:-1], [63, 64]),
            (self.root[:-2], [62, 64]),
            (self.root + "00", [66, 64]),
            ("zz" * 32, ["zz"]),
            (self.root[:-1] + "g", [self.root[:-1] + "g"]),
            ("ab", [2, 64]),
            ("00" * 20, [40, 64]),
            (self.root[:-1] + "\n", []),
            (" " + self.root[1:], []),
            ("0x" + self.root[2:], []),
        ):
            with self.subTest(root=root):
                self.fails("verify", "a.img", "a.hash", root, message="root hash '", names=names)
        self.fails("verify", "a.img", "a.hash", "", message="")

    def test_long_bad_root_does_not_flood_the_terminal(self):
        result = self.fails("verify", "a.img", "a.hash", "ab" * 50_000, message="root hash '")
        self.assertLess(len(result.err), 1000)

    def test_root_in_any_case(self):
        self.tool("verify", "a.img", "a.hash", self.root.upper())

    def test_root_of_another_hash(self):
        for name in HASHES:
            size = Parameters(name).digest_size
            self.finish(self.start("verify", "a.img", "a.hash", "00" * size))
            expected = 2 if size == 32 else 1
            self.assertEqual(self.finish(self.start("verify", "a.img", "a.hash", "00" * size)).status, expected)

    def test_contradicting_options_are_ignored(self):
        """As by veritysetup: the superblock is what counts."""
        self.tool(
            "verify", "--hash=sha1", "--salt=00", "--data-block-size=4096", "--format=0", "a.img", "a.hash", self.root
        )


class Values(CliTest):
    """Options whose values make no sense."""

    def setUp(self):
        super().setUp()
        self.random_file("a.img", 10 * 4096)

    def check(self, *options, message, names=()):
        self.fails("format", *options, "a.img", "a.hash", message=message, names=names)
        self.random_file("old.hash", 2000)
        self.fails("format", *options, "a.img", "old.hash", message=message, names=names)

    def test_numbers(self):
        for option in (
            "--data-blocks",
            "--data-block-size",
            "--hash-block-size",
            "--hash-offset",
            "--format",
            "--threads",
        ):
            values = ("x", "-1", "1x", "1.5", "0x10", "+1", " 1", "1 ", "1e3", "4k", "1,000", "-", "٣", "--")
            for value in thinned(values, 5):
                with self.subTest(option=option, value=value):
                    self.check(f"{option}={value}", message=f"{option}: '{value}' is not")
            for value in ("18446744073709551616", "99999999999999999999999", "9" * 400):
                with self.subTest(option=option, value=value):
                    self.check(f"{option}={value}", message=f"{option}: '{value[:100]}")
            with self.subTest(option=option, value=""):
                self.check(f"{option}=", message=option)

    def test_unknown_hash(self):
        for name in ("md5", "sha3-256", "blake2b", "sha-256", "sha2560", "sha25", " sha256", "blake3"):
            with self.subTest(name=name):
                self.check(f"--hash={name}", message="--hash: ", names=[f"'{name}'", *HASHES])
        self.check("--hash=", message="--hash: ")

    def test_salts(self):
        for salt, names in (
            ("0", ["'0'"]),
            ("abc", ["'abc'"]),
            ("zz", ["'zz'"]),
            ("0x00", ["'0x00'"]),
            ("00 11", ["'00 11'"]),
            ("-00", ["'-00'"]),
            ("--", ["'--'"]),
            ("00" * 257, [257, 256]),
            ("00" * 60_000, [60_000, 256]),
        ):
            with self.subTest(salt=salt[:10]):
                self.check(f"--salt={salt}", message="--salt: ", names=names)

    def test_block_sizes(self):
        for option, what in (("--data-block-size", "data block size"), ("--hash-block-size", "hash block size")):
            for value in thinned((0, 1, 256, 511, 513, 1000, 4095, 6144, 524289, 1048576, 2**31, 2**32 - 1), 3):
                with self.subTest(option=option, value=value):
                    self.check(f"{option}={value}", message="", names=[what, value])

    def test_formats(self):
        for value in (2, 3, 255, 2**32, 2**32 + 1):
            self.check(f"--format={value}", message="--format: ", names=[value])

    def test_hash_offsets(self):
        self.check("--hash-offset=100", message="--hash-offset: ", names=[100, 512])
        self.check("--hash-offset=513", message="--hash-offset: ", names=[513, 512, 1])
        self.check("--hash-offset=512", "--no-superblock", message="", names=["hash offset 512", 4096])
        self.check("--hash-offset=6144", "--no-superblock", message="", names=["6144", 4096, 2048])
        self.check(f"--hash-offset={2**63}", message="", names=[2**63])
        self.check(f"--hash-offset={2**64 - 512}", message="", names=[2**64 - 512])

    def test_uuids(self):
        for value in (
            "",
            "x",
            UUID[:-1],
            UUID + "0",
            UUID.replace("-", ""),
            UUID.replace("0", "g", 1),
            "{" + UUID + "}",
            UUID.replace("-", ":"),
            "0123456-789ab-cdef-0123-456789abcdef",
        ):
            with self.subTest(value=value):
                self.check(f"--uuid={value}", message="--uuid: ", names=[value])

    def test_data_blocks(self):
        self.check("--data-blocks=0", message="--data-blocks: ", names=["0"])

    def test_threads(self):
        for value in (0, 4097, 100_000, 2**32, 2**32 + 1, 2**64):
            with self.subTest(value=value):
                self.check(f"--threads={value}", message="--threads: ", names=[value])

    def test_cpu_features(self):
        for value, item in (
            ("-xyz", "xyz"),
            ("xyz", "xyz"),
            ("avx2", "avx2"),
            ("-avx2,-nonsense", "nonsense"),
            ("-neon,+sha", "+sha"),
            ("-AVX2", "AVX2"),
        ):
            with self.subTest(value=value):
                self.fails(
                    "format",
                    "a.img",
                    "a.hash",
                    message="VERITYTOOL_CPU: unknown item",
                    names=[item],
                    env={"VERITYTOOL_CPU": value},
                )

    def test_control_characters_stay_out_of_messages(self):
        for arguments in (["--salt=a\nb\nc"], ["--hash=x\x1b[31mred"], ["--uuid=\t\x07"]):
            result = self.fails("format", *arguments, "a.img", "a.hash", message=arguments[0].split("=")[0])
            self.assertNotRegex(result.err[:-1], "[\x00-\x1f\x7f]")
