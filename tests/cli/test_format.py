"""What `format` prints, its defaults, and where its data may come from."""

import os
import re
import threading

import reference
from harness import UUID, CliTest, emulated
from reference import HASHES, Parameters


def header(p, blocks, root=None, name="a.hash"):
    """What veritysetup prints of such a tree."""
    hash_blocks = sum(count for _, count in p.levels(blocks))
    return (
        f"VERITY header information for {name}\n"
        f"UUID:            \t{p.uuid or ''}\n"
        f"Hash type:       \t{p.format}\n"
        f"Data blocks:     \t{blocks}\n"
        f"Data block size: \t{p.data_block_size}\n"
        f"Hash blocks:     \t{hash_blocks}\n"
        f"Hash block size: \t{p.hash_block_size}\n"
        f"Hash algorithm:  \t{p.hash}\n"
        f"Salt:            \t{p.salt.hex() or '-'}\n"
        + (f"Root hash:      \t{root}\n" if root else "")
        + (f"Hash device size: \t{p.tree_end(blocks)} [bytes]\n" if p.hash_offset == 0 else "")
    )


class Output(CliTest):
    def test_header(self):
        for p, blocks in (
            (Parameters("sha256", salt=b"\xd0\x0d"), 200),
            (Parameters("sha1", 0, 512, 1024), 200),
            (Parameters("blake2b-512", uuid=None), 129),
            (Parameters(hash_offset=8192), 2),
            (Parameters(), 1),
            (Parameters(uuid=None), 1),
        ):
            with self.subTest(p=p):
                tree = reference.build(self.random_file("a.img", blocks * p.data_block_size), p)
                result = self.tool("format", *p.format_options, "a.img", "a.hash")
                self.assertEqual(result.out, header(p, blocks, tree.root.hex()))
                os.unlink(self.path("a.hash"))

    def test_json(self):
        for p, blocks in ((Parameters("sha1", 1, 512, 512, b"\0\xff"), 300), (Parameters(uuid=None, salt=b"s"), 1)):
            tree = reference.build(self.random_file("a.img", blocks * p.data_block_size), p)
            report = self.tool("format", "--json", *p.format_options, "a.img", "a.hash").json()
            expected = {
                "hash_file": "a.hash",
                "uuid": p.uuid,
                "hash_type": p.format,
                "data_blocks": blocks,
                "data_block_size": p.data_block_size,
                "hash_blocks": sum(count for _, count in p.levels(blocks)),
                "hash_block_size": p.hash_block_size,
                "hash_algorithm": p.hash,
                "salt": p.salt.hex(),
                "root_hash": tree.root.hex(),
                "hash_offset": 0,
                "tree_offset": p.tree_offset,
                "hash_file_size": p.tree_end(blocks),
            }
            self.assertEqual({key: report.get(key) for key in expected}, expected)

    def test_verbose_and_debug(self):
        self.random_file("a.img", 4096)
        for option in ("-v", "--verbose", "--debug"):
            result = self.tool("format", option, "a.img", "a.hash")
            self.assertIn("Root hash:", result.out)

    def test_no_progress_where_no_terminal_is(self):
        self.sparse_file("a.img", (20 if emulated() else 400) << 20)
        for options in ([], ["--no-progress"]):
            self.assertEqual(self.tool("format", *options, "a.img", "a.hash").err, "")

    def test_names_that_are_not_text(self):
        """A newline in a name keeps messages on their line; bytes that are not UTF-8 do not break the JSON."""
        self.random_file("new\nline", 4096)
        result = self.tool("format", "new\nline", "a\nhash")
        self.assertEqual(result.out.count("\n"), header(Parameters(), 1, "00").count("\n"))
        self.fails("dump", "new\nline", status=4, message="new?line: ")
        name = os.fsdecode(b"caf\xe9")
        with open(self.path(name), "wb") as file:
            file.write(bytes(4096))
        self.assertIn("root_hash", self.tool("format", "--json", name, name + ".hash").json())


class Defaults(CliTest):
    def setUp(self):
        super().setUp()
        self.data = self.random_file("a.img", 10 * 4096)

    def stored(self, field, name="a.hash"):
        offset, size = reference.FIELDS[field]
        return self.read(name)[offset : offset + size]

    def test_defaults(self):
        result = self.tool("format", "a.img", "a.hash")
        salt = self.stored("salt")[:32]
        uuid = self.stored("uuid").hex()
        uuid = "-".join([uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]])
        p = Parameters("blake2b-256", 1, 4096, 4096, salt, uuid)
        tree = reference.build(self.data, p)
        self.assertEqual(self.read("a.hash"), tree.hash_file)
        self.assertEqual(result.out, header(p, 10, tree.root.hex()))

    def test_salt_and_uuid_are_random(self):
        salts, uuids = set(), set()
        for _ in range(8):
            self.tool("format", "a.img", "a.hash")
            salts.add(self.stored("salt"))
            uuids.add(self.stored("uuid"))
            self.assertRegex(self.stored("uuid").hex(), "^.{12}4.{3}[89ab]")  # RFC 4122, version 4
        self.assertEqual((len(salts), len(uuids)), (8, 8))
        # No byte of a 32-byte salt is always the same.
        for position in range(32):
            self.assertGreater(len({salt[position] for salt in salts}), 1)

    def test_no_salt(self):
        for option in (["--salt=-"], ["--salt", "-"], ["-s", "-"], ["-s-"]):
            self.tool("format", *option, "a.img", "a.hash")
            self.assertEqual(self.stored("salt_size"), b"\0\0")

    def test_salt_of_a_tree_without_superblock_is_printed(self):
        result = self.tool("format", "--no-superblock", "a.img", "a.hash")
        salt = re.search(r"^Salt:\s*([0-9a-f]{64})$", result.out, re.MULTILINE)[1]
        p = Parameters(salt=bytes.fromhex(salt), uuid=None)
        self.assertEqual(result.root, reference.build(self.data, p).root.hex())

    def test_hash_names_in_any_case(self):
        for name in ("BLAKE2B-256", "Sha256", "SHA1", "bLaKe2B-512"):
            result = self.tool("format", "--hash", name, "a.img", "a.hash")
            self.assertEqual(self.stored("algorithm"), name.lower().encode().ljust(32, b"\0"))
            self.assertIn(f"Hash algorithm:  \t{name.lower()}\n", result.out)
            self.tool("verify", "a.img", "a.hash", result.root)

    def test_uuid_in_any_case(self):
        self.tool("format", f"--uuid={UUID.upper()}", "a.img", "a.hash")
        self.assertEqual(self.stored("uuid").hex(), UUID.replace("-", ""))

    def test_salt_in_any_case(self):
        self.tool("format", "--salt=D00dF00D", "a.img", "a.hash")
        self.assertEqual(self.stored("salt")[:5], b"\xd0\x0d\xf0\x0d\0")

    def test_note_on_blake2s(self):
        result = self.tool("format", "--hash=blake2s-256", "a.img", "a.hash")
        self.assertRegex(result.err, r"\Averitytool: note: [^\n]*Linux[^\n]*blake2s-256[^\n]*\n\Z")

    def test_note_on_large_data_blocks(self):
        self.random_file("a.img", 65536)
        result = self.tool("format", "--data-block-size=8192", "a.img", "a.hash")
        self.assertRegex(result.err, r"\Averitytool: note: [^\n]*8192[^\n]*\n\Z")
        self.assertEqual(self.tool("format", "--data-block-size=512", "a.img", "a.hash").err, "")


class Streams(CliTest):
    """Standard input and pipes: one pass, of a length that nobody knows before."""

    def feed(self, data, chunks):
        """A descriptor from which the data can be read, in pieces of these sizes."""
        reader, writer = os.pipe()

        def write():
            with os.fdopen(writer, "wb", buffering=0) as pipe:
                try:
                    at = 0
                    for size in chunks:
                        if at >= len(data):
                            break
                        at += pipe.write(data[at : at + size])
                    pipe.write(data[at:]) if at < len(data) else None
                except BrokenPipeError:
                    pass

        thread = threading.Thread(target=write)
        thread.start()
        self.addCleanup(thread.join)
        return os.fdopen(reader, "rb")

    def check(self, p, data, *options, chunks=(), blocks=None):
        tree = reference.build(data[: blocks * p.data_block_size] if blocks else data, p)
        with self.feed(data, chunks) as stdin:
            result = self.tool("format", *p.format_options, *options, "-", "a.hash", stdin=stdin)
        self.assertEqual(result.root, tree.root.hex(), result)
        self.assertEqual(self.read("a.hash"), tree.hash_file)
        os.unlink(self.path("a.hash"))

    def test_sizes(self):
        p = Parameters(data_block_size=512, hash_block_size=512)
        for blocks in (1, 2, 15, 16, 17, 255, 256, 257, 300):
            for uuid in (UUID, None):
                with self.subTest(blocks=blocks, uuid=uuid):
                    self.check(p.but(uuid=uuid), self.random.randbytes(blocks * 512))

    def test_each_hash_and_format(self):
        for algorithm in HASHES:
            for format in (0, 1):
                with self.subTest(hash=algorithm, format=format):
                    p = Parameters(algorithm, format, 1024, 512, b"salt")
                    self.check(p, self.random.randbytes(333 * 1024))

    def test_odd_chunks(self):
        p = Parameters()
        data = self.random.randbytes(2_000_000 // 4096 * 4096)
        for sizes in (range(1, 3000, 7), [4095] * 600, [1] * 5000, [65536] * 50, [3, 5000, 1, 100_000] * 20):
            with self.subTest(sizes=list(sizes)[:4]):
                self.check(p, data, chunks=sizes)

    def test_threads(self):
        for threads in (1, 2, 7):
            self.check(Parameters("sha1"), self.random.randbytes(777 * 4096), f"--threads={threads}")

    def test_first_blocks_only(self):
        p = Parameters(data_block_size=512, hash_block_size=512)
        data = self.random.randbytes(100 * 512 + 77)
        for blocks in (1, 16, 99, 100):
            self.check(p, data, f"--data-blocks={blocks}", blocks=blocks)

    def test_first_blocks_of_an_endless_stream(self):
        p = Parameters()
        tree = reference.build(bytes(50 * 4096), p)
        result = self.tool("format", *p.format_options, "--data-blocks=50", "/dev/zero", "a.hash")
        self.assertEqual(result.root, tree.root.hex())

    def test_fifo(self):
        os.mkfifo(self.path("pipe"))
        data = self.random.randbytes(100 * 4096)

        def write():
            with open(self.path("pipe"), "wb") as pipe:
                pipe.write(data)

        thread = threading.Thread(target=write)
        thread.start()
        result = self.tool("format", *Parameters().format_options, "pipe", "a.hash")
        thread.join()
        self.assertEqual(result.root, reference.build(data, Parameters()).root.hex())

    def test_process_substitution(self):
        data = self.random_file("a.img", 300 * 4096)
        with self.feed(data, ()) as pipe:
            result = self.tool(
                "format",
                *Parameters().format_options,
                f"/dev/fd/{pipe.fileno()}",
                "a.hash",
                pass_fds=[pipe.fileno()],
            )
        self.assertEqual(result.root, reference.build(data, Parameters()).root.hex())

    def test_file_as_standard_input(self):
        data = self.random_file("a.img", 300 * 4096)
        for skipped in (0, 4096, 40 * 4096):
            with open(self.path("a.img"), "rb") as stdin:
                os.lseek(stdin.fileno(), skipped, os.SEEK_SET)
                result = self.tool("format", *Parameters().format_options, "-", "a.hash", stdin=stdin)
            self.assertEqual(result.root, reference.build(data[skipped:], Parameters()).root.hex())

    def test_empty(self):
        self.fails("format", "-", "a.hash", message="standard input: is empty", input=b"")

    def test_less_than_a_block(self):
        self.fails(
            "format",
            "-",
            "a.hash",
            message="standard input: 100 bytes is less than one block of 4096 bytes",
            input=bytes(100),
        )

    def test_not_whole_blocks(self):
        for size in (4097, 1_000_000):
            message = f"standard input: {size} bytes is not a multiple of the 4096-byte block ({size % 4096} left over)"
            self.fails("format", "-", "a.hash", message=message, input=bytes(size))

    def test_ends_before_the_blocks_asked_for(self):
        self.fails(
            "format",
            "--data-blocks=100",
            "-",
            "a.hash",
            message="standard input: ",
            names=[100, 99 * 4096],
            input=bytes(99 * 4096),
        )

    def test_closed(self):
        if emulated():
            self.skipTest("the emulator opens files in place of closed ones")
        self.fails("format", "-", "a.hash", message="standard input: ", stdin=None, preexec_fn=lambda: os.close(0))

    def test_directory(self):
        descriptor = os.open(self.directory, os.O_RDONLY)
        self.addCleanup(os.close, descriptor)
        self.fails("format", "-", "a.hash", message="standard input: is a directory", stdin=descriptor)

    def test_failure_over_an_existing_file(self):
        """What was there is kept, as long as nothing was written over it."""
        self.random_file("a.hash", 10_000)
        self.fails("format", "-", "a.hash", message="standard input: ", input=bytes(5000))


class DryRuns(CliTest):
    def test_sizes_without_reading_or_writing(self):
        p = Parameters(data_block_size=512, hash_block_size=512)
        self.sparse_file("a.img", 300 * 512)
        before = self.snapshot()
        options = ["--data-block-size=512", "--hash-block-size=512"]
        for command in (
            ["format", "--dry-run", *options, "a.img", "a.hash"],
            ["size", *options, "a.img"],
            ["size", *options, "--data-blocks=300"],
        ):
            with self.subTest(command=command):
                report = self.tool(*command, "--json").json()
                self.assertEqual(report["data_blocks"], 300)
                self.assertEqual(report["hash_blocks"], 19 + 2 + 1)
                self.assertEqual(report["tree_offset"], 512)
                self.assertEqual(report["tree_size"], 22 * 512)
                self.assertEqual(report["hash_file_size"], p.tree_end(300))
                self.assertEqual(
                    sorted(report["levels"], key=lambda level: level["level"]),
                    [
                        {"level": i, "blocks": blocks, "offset": offset}
                        for i, (offset, blocks) in enumerate(p.levels(300))
                    ],
                )
                text = self.tool(*command).out
                for number in (300, 22, 22 * 512, p.tree_end(300)):
                    self.assertRegex(text, rf"\b{number}\b")
                self.assertEqual(self.snapshot(), before)

    def test_beyond_2_to_the_32_blocks(self):
        for blocks in (2**32 - 1, 2**32, 2**32 + 1, 2**40 + 12345, 2**50):
            for p in (Parameters("sha256"), Parameters("sha1", 0, 512, 512), Parameters("sha512", uuid=None)):
                with self.subTest(blocks=blocks, p=p):
                    report = self.tool("size", "--json", *size_options(p), f"--data-blocks={blocks}").json()
                    self.assertEqual(report["data_size"], blocks * p.data_block_size)
                    self.assertEqual(report["hash_file_size"], p.tree_end(blocks))
                    levels = {level["level"]: (level["offset"], level["blocks"]) for level in report["levels"]}
                    self.assertEqual(levels, dict(enumerate(p.levels(blocks))))

    def test_past_the_largest_file(self):
        for blocks in (2**51, 2**63, 2**64 - 1):
            self.fails("size", f"--data-blocks={blocks}", message="", names=[blocks])
        self.fails("size", "--data-blocks=5", f"--hash-offset={2**63 - 512}", message="", names=[2**63 - 512])

    def test_one_block(self):
        report = self.tool("size", "--json", "--data-blocks=1").json()
        self.assertEqual((report["levels"], report["tree_size"], report["hash_file_size"]), ([], 0, 4096))
        report = self.tool("size", "--json", "--no-superblock", "--data-blocks=1").json()
        self.assertEqual(report["hash_file_size"], 0)

    def test_bad_data(self):
        self.random_file("a.img", 5000)
        for command in (["format", "--dry-run", "a.img", "a.hash"], ["size", "a.img"]):
            self.fails(*command, message="a.img: 5000 bytes is not a multiple of the 4096-byte block (904 left over)")

    def test_nothing_to_size(self):
        self.fails("size", message="")
        self.fails("format", "--dry-run", "-", "a.hash", message="standard input: ", names=["--data-blocks"])


def size_options(p):
    options = [
        f"--hash={p.hash}",
        f"--format={p.format}",
        f"--data-block-size={p.data_block_size}",
        f"--hash-block-size={p.hash_block_size}",
    ]
    return options if p.uuid else [*options, "--no-superblock"]
