"""The progress line: on a terminal only, after a second, and gone at the end."""

import fcntl
import os
import pty
import select
import struct
import termios
import threading
import time

from harness import GIB, CliTest


class Progress(CliTest):
    def on_a_terminal(self, *arguments, columns=80, seconds=2.5, **options):
        """What a terminal as standard error got, of a run that may take so long before it is interrupted."""
        ours, theirs = pty.openpty()
        self.addCleanup(os.close, ours)
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        process = self.start(*arguments, stderr=theirs, **options)
        os.close(theirs)
        seen = b""
        end = time.monotonic() + seconds
        while time.monotonic() < end and process.poll() is None:
            if select.select([ours], [], [], 0.1)[0]:
                try:
                    seen += os.read(ours, 65536)
                except OSError:  # the other side is closed
                    break
        if process.poll() is None:
            process.send_signal(2)
        process.wait()
        self.running = None
        while select.select([ours], [], [], 0.2)[0]:
            try:
                seen += os.read(ours, 65536)
            except OSError:
                break
        return seen.decode()

    def last_line(self, text):
        """What the terminal shows at the end, by carriage returns alone."""
        shown = ""
        for part in text.split("\r"):
            shown = part + shown[len(part) :]
        return shown.rstrip(" ")

    def setUp(self):
        super().setUp()
        self.sparse_file("big.img", 256 * GIB)

    def test_of_a_file(self):
        text = self.on_a_terminal("format", "big.img", "a.hash")
        self.assertRegex(text, r"\d+%")
        self.assertRegex(text, r"\d [kMG]?B/s")
        self.assertRegex(text, r"\d+:\d\d left")
        self.assertEqual(self.last_line(text), "")
        self.assertNotIn("\n", text)

    def test_of_a_stream(self):
        text = self.on_a_terminal("format", "/dev/zero", "a.hash")
        self.assertRegex(text, r"\d [kMG]?B/s")
        self.assertNotIn("%", text)
        self.assertEqual(self.last_line(text), "")

    def test_narrow_terminals(self):
        for columns in (1, 10, 40):
            text = self.on_a_terminal("format", "big.img", "a.hash", columns=columns, seconds=1.8)
            for part in text.split("\r"):
                self.assertLess(len(part), max(columns, 2))
            self.assertEqual(self.last_line(text), "")

    def test_not_wanted(self):
        self.assertEqual(self.on_a_terminal("format", "--no-progress", "big.img", "a.hash", seconds=2), "")

    def test_short_work_shows_none(self):
        self.sparse_file("a.img", 4096 * 100)
        self.assertEqual(self.on_a_terminal("format", "a.img", "a.hash"), "")

    def test_gone_before_a_message(self):
        """Here the data ends too early, after two seconds."""
        reader, writer = os.pipe()

        def write():
            end = time.monotonic() + 2
            with os.fdopen(writer, "wb", buffering=0) as pipe:
                while time.monotonic() < end:
                    pipe.write(bytes(65536))

        thread = threading.Thread(target=write)
        thread.start()
        with os.fdopen(reader, "rb") as stdin:
            text = self.on_a_terminal("format", f"--data-blocks={2**40}", "-", "a.hash", stdin=stdin, seconds=10)
        thread.join()
        self.assertRegex(text, r"\d+%")
        self.assertRegex(self.last_line(text.partition("\r\n")[0]), r"\Averitytool: standard input: ")
