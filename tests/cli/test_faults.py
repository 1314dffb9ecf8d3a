"""Reading and writing that fail half-way, made by the preloaded library of tests/shim."""

import errno
import os
import signal

import reference
from harness import CliTest, emulated, thinned
from reference import Parameters

EIO, ENOSPC = errno.EIO, errno.ENOSPC


class FaultTest(CliTest):
    def setUp(self):
        super().setUp()
        self.p = Parameters("blake2b-256", 1, 4096, 4096, b"salt")
        self.blocks = 300 if emulated() else 1000
        self.data = self.random_file("a.img", self.blocks * 4096)
        self.tree = reference.build(self.data, self.p)
        self.root = self.tree.root.hex()
        self.format = ["format", *self.p.format_options]

    def faults(self, file, calls, **more):
        """The variables of the library; `happened` says whether it did anything."""
        self.trace = self.path("faults-happened")
        name = file if file == "-" else self.path(file)
        return {"file": name, "calls": calls, "trace": self.trace, **more}

    def happened(self):
        try:
            os.unlink(self.trace)
            return True
        except FileNotFoundError:
            return False

    def breaks(self, *arguments, faults, message, names=()):
        """A run that the fault must break: status 1, with a message that begins so."""
        result = self.tool(*arguments, status=1, faults=faults)
        self.assertTrue(self.happened(), f"no fault happened: {result}")
        self.assertTrue(result.err.startswith("veritytool: " + message), result)
        for name in names:
            self.assertIn(str(name), result.err)
        self.assertEqual(result.out, "", result)
        return result


class Reads(FaultTest):
    def test_short_reads_and_interrupted_calls_do_not_matter(self):
        for variables in ({"short": 5000}, {"short": 100_000}, {"eintr": 2}, {"eintr": 3, "short": 9999}):
            for name in ("a.img", "-"):
                with self.subTest(variables=variables, name=name):
                    with open(self.path("a.img"), "rb") as stdin:
                        result = self.tool(
                            *self.format, name, "a.hash", stdin=stdin, faults=self.faults(name, "read", **variables)
                        )
                    self.assertTrue(self.happened())
                    self.assertEqual(result.root, self.root)
                    self.assertEqual(self.read("a.hash"), self.tree.hash_file)
            with self.subTest(variables=variables, command="verify"):
                for name in ("a.img", "a.hash"):
                    self.tool("verify", "a.img", "a.hash", self.root, faults=self.faults(name, "read", **variables))
                    self.assertTrue(self.happened())

    def test_bad_sector_of_the_data(self):
        for at in (0, 4095, 500_000, len(self.data) - 1):
            for threads in (1, 2):
                with self.subTest(at=at, threads=threads):
                    faults = self.faults("a.img", "read", errno=EIO, at=at, until=at + 1)
                    before = self.snapshot()
                    self.breaks(
                        *self.format,
                        f"--threads={threads}",
                        "a.img",
                        "a.hash",
                        faults=faults,
                        message="a.img: ",
                        names=["Input/output error", at],
                    )
                    self.assertEqual(self.snapshot(), before)

    def test_bad_sector_of_standard_input(self):
        for at in (0, 500_000):
            with open(self.path("a.img"), "rb") as stdin:
                result = self.tool(
                    *self.format,
                    "-",
                    "a.hash",
                    stdin=stdin,
                    status=1,
                    faults=self.faults("-", "read", errno=EIO, at=at),
                )
            self.assertTrue(self.happened())
            self.assertIn("standard input: ", result.err)
            self.assertIn("Input/output error", result.err)
            self.assertEqual(list(self.snapshot()), ["a.img"])

    def test_bad_sector_over_an_existing_hash_file(self):
        self.write("a.hash", self.tree.hash_file + b"tail")
        faults = self.faults("a.img", "read", errno=EIO, at=500_000)
        self.breaks(*self.format, "a.img", "a.hash", faults=faults, message="a.img: ")
        self.assertEqual(self.size("a.hash"), len(self.tree.hash_file) + 4)
        self.assert_no_tree("a.img", "a.hash", self.root)

    def test_bad_sector_of_the_tree_being_made(self):
        """The levels above the lowest are made from what was written."""
        faults = self.faults("a.hash", "read", errno=EIO)
        before = self.snapshot()
        self.breaks(*self.format, "a.img", "a.hash", faults=faults, message="a.hash: ", names=["Input/output error"])
        self.assertEqual(self.snapshot(), before)

    def test_bad_sector_in_verify(self):
        self.write("a.hash", self.tree.hash_file)
        for name, at in (("a.img", 0), ("a.img", 700_000), ("a.hash", 0), ("a.hash", 4096), ("a.hash", 8192 + 5)):
            with self.subTest(name=name, at=at):
                before = self.snapshot()
                faults = self.faults(name, "read", errno=EIO, at=at, until=at + 1)
                self.breaks(
                    "verify",
                    "a.img",
                    "a.hash",
                    self.root,
                    faults=faults,
                    message=f"{name}: ",
                    names=["Input/output error"],
                )
                self.assertEqual(self.snapshot(), before)

    def test_bad_sector_in_dump(self):
        self.write("a.hash", self.tree.hash_file)
        self.breaks(
            "dump",
            "a.hash",
            faults=self.faults("a.hash", "read", errno=EIO),
            message="a.hash: ",
            names=["Input/output error"],
        )

    def test_bad_sector_of_a_root_hash_file(self):
        self.write("a.hash", self.tree.hash_file)
        self.write("a.root", self.root.encode())
        self.breaks(
            "verify",
            "--root-hash-file=a.root",
            "a.img",
            "a.hash",
            faults=self.faults("a.root", "read", errno=EIO),
            message="a.root: ",
            names=["Input/output error"],
        )


class ChangingFiles(FaultTest):
    """The image gets another length while it is read."""

    def change(self, length, at, *arguments, name="a.img"):
        faults = self.faults(name, "read", resize=length, at=at)
        return self.breaks(*arguments, faults=faults, message=f"{name}: ")

    def test_truncated_in_format(self):
        for length, at in (
            (4096, 0),
            (600_000, 100_000),
            (len(self.data) - 1, 0),
            (0, 0),
            (len(self.data) - 4096, len(self.data) - 4096),
        ):
            with self.subTest(length=length, at=at):
                self.write("a.img", self.data)
                self.change(length, at, *self.format, "a.img", "a.hash")
                self.assertEqual(list(self.snapshot()), ["a.img"])

    def test_grows_in_format(self):
        for at in (0, 500_000, len(self.data) - 1):
            with self.subTest(at=at):
                self.write("a.img", self.data)
                self.change(len(self.data) + 4096, at, *self.format, "a.img", "a.hash")
                self.assertEqual(list(self.snapshot()), ["a.img"])

    def test_truncated_in_verify(self):
        for name, content in (("a.img", self.data), ("a.hash", self.tree.hash_file)):
            with self.subTest(name=name):
                self.write("a.img", self.data)
                self.write("a.hash", self.tree.hash_file)
                self.change(len(content) // 2, len(content) // 4, "verify", "a.img", "a.hash", self.root, name=name)

    def test_truncated_hash_file_in_format(self):
        """Somebody else cuts the file that is being written."""
        self.change(0, 0, *self.format, "a.img", "a.hash", name="a.hash")
        self.assertEqual(list(self.snapshot()), ["a.img"])


class Writes(FaultTest):
    def test_short_writes_and_interrupted_calls_do_not_matter(self):
        for variables in ({"short": 100}, {"short": 4097}, {"eintr": 2}, {"eintr": 3, "short": 999}):
            for options in ([], ["--threads=1"]):
                with self.subTest(variables=variables):
                    self.write("a.hash", b"")
                    result = self.tool(
                        *self.format, *options, "a.img", "a.hash", faults=self.faults("a.hash", "write", **variables)
                    )
                    self.assertTrue(self.happened())
                    self.assertEqual(result.root, self.root)
                    self.assertEqual(self.read("a.hash"), self.tree.hash_file)

    def places(self):
        """Bytes of the hash file: superblock, behind it, each level's first, and the end."""
        offsets = [offset for offset, _ in self.p.levels(self.blocks)]
        return thinned([0, 100, 4095, *offsets, len(self.tree.hash_file) - 1], 2)

    def test_full_disk_in_a_new_file(self):
        # The library finds the file by its name, so it must be there: empty, as a new one is.
        for number in (ENOSPC, EIO, errno.EDQUOT):
            for at in self.places():
                with self.subTest(errno=number, at=at):
                    before = self.snapshot()
                    faults = self.faults("a.hash", "write", errno=number, at=at)
                    self.breaks(
                        *self.format, "a.img", "a.hash", faults=faults, message="a.hash: ", names=[os.strerror(number)]
                    )
                    self.assertEqual(self.snapshot(), before)

    def test_full_disk_in_an_existing_file(self):
        for at in self.places():
            for old in (self.tree.hash_file + b"tail", self.tree.hash_file[:9000], b"x"):
                with self.subTest(at=at, old=len(old)):
                    self.write("a.hash", old)
                    faults = self.faults("a.hash", "write", errno=ENOSPC, at=at)
                    self.breaks(*self.format, "a.img", "a.hash", faults=faults, message="a.hash: ")
                    self.assertEqual(self.size("a.hash"), len(old))

    def test_full_disk_in_the_data_file(self):
        end = len(self.data)
        p = self.p.but(hash_offset=end)
        for at in self.places():
            with self.subTest(at=at):
                faults = self.faults("a.img", "write", errno=ENOSPC, at=end + at)
                self.breaks("format", *p.format_options, "a.img", "a.img", faults=faults, message="a.img: ")
                self.assertEqual(self.read("a.img"), self.data)

    def test_what_does_not_reach_the_disk(self):
        """Devices and network file systems tell only then that a write has failed."""
        for call, skip in (("sync", 0), ("sync", 1), ("close", 0)):
            with self.subTest(call=call, skip=skip):
                before = self.snapshot()
                faults = self.faults("a.hash", call, errno=EIO, skip=skip)
                self.breaks_late(*self.format, "a.img", "a.hash", faults=faults)
                self.assertEqual(self.snapshot(), before)

                self.write("old.hash", self.tree.hash_file + b"tail")
                faults = self.faults("old.hash", call, errno=EIO, skip=skip)
                self.breaks_late(*self.format, "a.img", "old.hash", faults=faults)
                self.assertEqual(self.size("old.hash"), len(self.tree.hash_file) + 4)
                self.assert_no_tree("a.img", "old.hash", self.root)
                os.unlink(self.path("old.hash"))

    def breaks_late(self, *arguments, faults):
        """As breaks(), but the root hash may have been printed."""
        result = self.tool(*arguments, status=1, faults=faults)
        self.assertTrue(self.happened(), f"no fault happened: {result}")
        self.assertIn("Input/output error", result.err)

    def test_length_cannot_be_set(self):
        """A longer old file must not keep its tail."""
        self.write("a.hash", self.tree.hash_file + bytes(100))
        faults = self.faults("a.hash", "resize", errno=errno.EPERM)
        self.breaks(
            *self.format, "a.img", "a.hash", faults=faults, message="a.hash: ", names=["Operation not permitted"]
        )
        self.assert_no_tree("a.img", "a.hash", self.root)

    def test_full_disk_for_the_root_hash_file(self):
        for call, message in (("write", "No space left on device"), ("close", "No space left on device")):
            with self.subTest(call=call):
                before = self.snapshot()
                faults = self.faults("a.root", call, errno=ENOSPC)
                self.breaks(
                    *self.format,
                    "--root-hash-file=a.root",
                    "a.img",
                    "a.hash",
                    faults=faults,
                    message="a.root: ",
                    names=[message],
                )
                self.assertEqual(self.snapshot(), before)


class Signals(FaultTest):
    """A signal at a known place, so that it always comes in the middle."""

    def ends(self, *arguments, faults, number, **options):
        result = self.finish(self.start(*arguments, faults=faults, **options))
        self.assertTrue(self.happened(), f"no signal was sent: {result}")
        self.assertEqual(result.status, -number, result)
        self.assertEqual((result.out, result.err), ("", ""), result)

    def test_while_data_is_read(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            for at in (0, len(self.data) // 2, len(self.data) - 1):
                with self.subTest(signal=number.name, at=at):
                    before = self.snapshot()
                    faults = self.faults("a.img", "read", signal=int(number), at=at)
                    self.ends(*self.format, "--root-hash-file=a.root", "a.img", "a.hash", faults=faults, number=number)
                    self.assertEqual(self.snapshot(), before)

    def test_while_a_stream_is_read(self):
        for at in (0, len(self.data) // 2):
            before = self.snapshot()
            with open(self.path("a.img"), "rb") as stdin:
                self.ends(
                    *self.format, "-", "a.hash", faults=self.faults("-", "read", signal=2, at=at), number=2, stdin=stdin
                )
            self.assertEqual(self.snapshot(), before)

    def test_while_the_tree_is_written(self):
        for at in (0, 4096, len(self.tree.hash_file) - 1):
            for old in (None, self.tree.hash_file + b"tail"):
                with self.subTest(at=at, old=old is not None):
                    if old:
                        self.write("a.hash", old)
                    faults = self.faults("a.hash", "write", signal=15, at=at)
                    self.ends(*self.format, "a.img", "a.hash", faults=faults, number=signal.SIGTERM)
                    if old:
                        self.assertEqual(self.size("a.hash"), len(old))
                        self.assert_no_tree("a.img", "a.hash", self.root)
                        os.unlink(self.path("a.hash"))
                    else:
                        self.assertEqual(list(self.snapshot()), ["a.img"])

    def test_at_the_very_end(self):
        """All is written and perhaps reported, but not yet declared good."""
        before = self.snapshot()
        for options in ([], ["--root-hash-file=a.root"]):
            faults = self.faults("a.hash", "sync", signal=2)
            result = self.finish(self.start(*self.format, *options, "a.img", "a.hash", faults=faults))
            self.assertTrue(self.happened(), f"no signal was sent: {result}")
            self.assertEqual((result.status, result.err), (-signal.SIGINT, ""), result)
            self.assertEqual(self.snapshot(), before)

    def test_while_the_data_file_is_written(self):
        end = len(self.data)
        for at in (end, end + 4096, end + len(self.tree.hash_file) - 1):
            with self.subTest(at=at):
                faults = self.faults("a.img", "write", signal=2, at=at)
                self.ends(*self.format, f"--hash-offset={end}", "a.img", "a.img", faults=faults, number=signal.SIGINT)
                self.assertEqual(self.read("a.img"), self.data)

    def test_while_verifying(self):
        self.write("a.hash", self.tree.hash_file)
        for name, at in (("a.img", 0), ("a.img", len(self.data) - 1), ("a.hash", 4096)):
            with self.subTest(name=name, at=at):
                before = self.snapshot()
                faults = self.faults(name, "read", signal=2, at=at)
                self.ends("verify", "a.img", "a.hash", self.root, faults=faults, number=signal.SIGINT)
                self.assertEqual(self.snapshot(), before)


class Memory(FaultTest):
    """Each large allocation fails once, one a run."""

    def each_allocation(self, *arguments, **options):
        refused = 0
        for number in range(200):
            result = self.finish(self.start(*arguments, faults=self.faults("", "", no_memory=number), **options))
            if not self.happened():
                self.assertEqual(result.status, 0, result)
                break
            if result.status != 0:  # not all are needed
                refused += 1
                self.assertEqual(result.status, 3, result)
                self.assertEqual((result.out, result.err), ("", "veritytool: out of memory\n"), result)
            yield result
        else:
            self.fail("there is no end of allocations")
        self.assertGreater(refused, 0, "no allocation was refused")

    def test_format(self):
        for result in self.each_allocation(*self.format, "--threads=2", "a.img", "a.hash"):
            if result.status == 0:
                os.unlink(self.path("a.hash"))
            self.assertEqual(list(self.snapshot()), ["a.img"])

    def test_format_of_a_stream_over_an_existing_file(self):
        for name in ("a.img", "/dev/zero"):
            self.write("a.hash", self.tree.hash_file + b"tail")
            for result in self.each_allocation(
                *self.format, "--threads=2", f"--data-blocks={self.blocks}", name, "a.hash"
            ):
                if result.status == 0:
                    self.write("a.hash", self.tree.hash_file + b"tail")
                else:
                    self.assertEqual(self.size("a.hash"), len(self.tree.hash_file) + 4)

    def test_verify(self):
        self.write("a.hash", self.tree.hash_file)
        before = self.snapshot()
        for _ in self.each_allocation("verify", "--threads=2", "a.img", "a.hash", self.root):
            self.assertEqual(self.snapshot(), before)
