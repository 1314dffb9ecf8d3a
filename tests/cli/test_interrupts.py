"""Signals from outside, at whatever time they come. (test_faults.py sends them at known places.)"""

import os
import signal
import subprocess
import time

import reference
from harness import GIB, CliTest
from reference import Parameters

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Interrupts(CliTest):
    def large_image(self):
        """One that takes seconds."""
        return self.sparse_file("big.img", 256 * GIB)

    def exists(self, name):
        return os.path.exists(self.path(name))

    def test_format(self):
        self.large_image()
        for number in SIGNALS:
            with self.subTest(signal=number.name):
                process = self.start("format", "--root-hash-file=a.root", "big.img", "a.hash")
                self.wait_until(lambda: self.exists("a.hash") and self.size("a.hash") > 100_000, "a.hash")
                self.interrupt(process, number)
                self.assertEqual(os.listdir(self.directory), ["big.img"])

    def test_format_over_an_existing_file(self):
        self.large_image()
        p = Parameters()
        data = self.random_file("a.img", 20 * 4096)
        tree = reference.build(data, p)
        self.write("a.hash", tree.hash_file)
        process = self.start("format", *p.format_options, "big.img", "a.hash")
        self.wait_until(lambda: self.size("a.hash") > 100_000, "a growing a.hash")
        self.interrupt(process)
        self.assertEqual(self.size("a.hash"), len(tree.hash_file))
        self.assert_no_tree("a.img", "a.hash", tree.root.hex())

    def test_format_into_the_data(self):
        self.large_image()
        process = self.start("format", f"--hash-offset={256 * GIB}", "big.img", "big.img")
        self.wait_until(lambda: self.size("big.img") > 256 * GIB + 100_000, "a growing big.img")
        self.interrupt(process)
        self.assertEqual(self.size("big.img"), 256 * GIB)

    def test_another_file_of_that_name_stays(self):
        self.large_image()
        process = self.start("format", "big.img", "a.hash")
        self.wait_until(lambda: self.exists("a.hash") and self.size("a.hash") > 100_000, "a.hash")
        os.rename(self.path("a.hash"), self.path("moved"))
        self.write("a.hash", b"somebody else's")
        self.interrupt(process)
        self.assertEqual(self.read("a.hash"), b"somebody else's")

    def test_killed(self):
        """Nothing can be cleaned up then, but there is no superblock yet."""
        self.large_image()
        process = self.start("format", "big.img", "a.hash")
        self.wait_until(lambda: self.exists("a.hash") and self.size("a.hash") > 100_000, "a.hash")
        self.interrupt(process, signal.SIGKILL)
        self.fails("dump", "a.hash", status=4, message="a.hash: no verity superblock", unchanged=False)

    def test_twice(self):
        """An impatient user."""
        self.large_image()
        process = self.start("format", "big.img", "a.hash")
        self.wait_until(lambda: self.exists("a.hash") and self.size("a.hash") > 100_000, "a.hash")
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        result = self.finish(process)
        self.assertEqual(result.status, -signal.SIGINT, result)
        self.assertFalse(self.exists("a.hash"))

    def test_pipe_on_which_nothing_comes(self):
        for first in (b"", bytes(5000), bytes(3_000_000)):
            for number in SIGNALS:
                with self.subTest(sent=len(first), signal=number.name):
                    process = self.start("format", "-", "a.hash", stdin=subprocess.PIPE)
                    process.stdin.write(first)
                    process.stdin.flush()
                    self.wait_until(lambda: self.exists("a.hash"), "a.hash")
                    time.sleep(0.1)
                    self.interrupt(process, number)
                    process.stdin.close()
                    self.assertEqual(os.listdir(self.directory), [])

    def test_pipe_that_nobody_opens(self):
        os.mkfifo(self.path("pipe"))
        p = Parameters()
        self.write("old.hash", p.superblock(1).ljust(4096, b"\0"))
        before = self.snapshot()
        for arguments in (["format", "pipe", "a.hash"], ["verify", "pipe", "old.hash", "00" * 32], ["dump", "pipe"]):
            with self.subTest(arguments=arguments):
                process = self.start(*arguments)
                self.wait_until(lambda: is_asleep(process), "waiting for the pipe")
                self.interrupt(process)
                self.assertEqual(self.snapshot(), before)

    def test_while_the_output_is_not_read(self):
        """A report that a full pipe holds up."""
        p = Parameters("sha1", 1, 512, 512)
        data = bytearray(40_000 * 512)
        tree = reference.build(bytes(data), p)
        for block in range(0, 40_000, 2):
            data[block * 512] = 1
        self.write("a.img", data)
        self.write("a.hash", tree.hash_file)
        for options in ([], ["--json"]):
            with self.subTest(options=options):
                process = self.start("verify", *options, "a.img", "a.hash", tree.root.hex(), stdout=subprocess.PIPE)
                self.wait_until(lambda: is_asleep(process), "a full pipe")
                self.interrupt(process)
                process.stdout.close()

    def test_ignored_signals_stay_ignored(self):
        """As nohup and shells without job control have it."""

        def ignore():
            for number in SIGNALS:
                signal.signal(number, signal.SIG_IGN)

        process = self.start("format", "-", "a.hash", stdin=subprocess.PIPE, preexec_fn=ignore)
        self.wait_until(lambda: self.exists("a.hash"), "a.hash")
        for number in SIGNALS:
            process.send_signal(number)
        process.stdin.write(bytes(8192))
        process.stdin.close()
        result = self.finish(process)
        self.assertEqual(result.status, 0, result)
        self.write("a.img", bytes(8192))
        self.tool("verify", "a.img", "a.hash", result.root)


def is_asleep(process):
    """Whether all its threads wait, and have done nothing for a while."""

    def state():
        found = []
        for task in os.listdir(f"/proc/{process.pid}/task"):
            with open(f"/proc/{process.pid}/task/{task}/stat") as file:
                fields = file.read().rpartition(")")[2].split()
            found.append((task, fields[0], fields[11], fields[12]))
        return found

    try:
        before = state()
        time.sleep(0.1)
        return before == state() and all(status == "S" for _, status, _, _ in before)
    except FileNotFoundError:
        return False
