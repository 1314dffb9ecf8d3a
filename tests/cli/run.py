#!/usr/bin/env python3
"""Runs the command-line tests.

    tests/cli/run.py --program build/release/bin/veritytool [--emulator "qemu-arm -L DIR -cpu CPU"] [-k PATTERN] [-v]

The last line counts tests: "N passed, N failed, N skipped". The status is 0 only when nothing failed and something
passed. Needs Python 3.10 or newer and its standard library.
"""

import argparse
import os
import pathlib
import shlex
import signal
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
from harness import Config  # noqa: E402


class Report(unittest.TestResult):
    """Counts tests by their methods: one with several failed subtests has failed once."""

    def __init__(self, verbose):
        super().__init__()
        self.verbose = verbose
        self.passed, self.failed, self.skipped_tests = set(), set(), set()
        self.slowest = []

    def startTest(self, test):
        super().startTest(test)
        self.started = time.monotonic()

    def stopTest(self, test):
        super().stopTest(test)
        seconds = time.monotonic() - self.started
        self.slowest = sorted([*self.slowest, (seconds, test.id())])[-10:]
        if self.verbose:
            outcome = next(
                (w for w, s in (("FAIL", self.failed), ("skip", self.skipped_tests)) if test.id() in s), "ok"
            )
            print(f"{outcome:4}  {seconds:6.2f} s  {test.id()}", flush=True)

    def addSuccess(self, test):
        if test.id() not in self.failed | self.skipped_tests:
            self.passed.add(test.id())

    def failure(self, test, error):
        self.failed.add(test.id())
        self.passed.discard(test.id())
        print(f"FAILED {test.id()}\n{self._exc_info_to_string(error, test)}", flush=True)

    addError = addFailure = failure

    def addSubTest(self, test, subtest, error):
        if error is not None:
            print(subtest._subDescription())
            self.failure(test, error)

    def addSkip(self, test, reason):
        name = getattr(test, "test_case", test).id()  # a subtest skips its test
        if name not in self.skipped_tests:
            print(f"skipped {name}: {reason}", flush=True)
        self.skipped_tests.add(name)


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--program", required=True)
    parser.add_argument("--emulator", default="")
    parser.add_argument("-k", metavar="PATTERN", action="append", help="only tests with this in their names")
    parser.add_argument("-v", action="store_true", help="a line for each test, and the slowest")
    arguments = parser.parse_args()
    if not os.access(arguments.program, os.X_OK):
        parser.error(f"{arguments.program} is not a program")

    # So that the scratch directory goes, and what still runs, when the run is stopped. Unittest lets this one through.
    def stop(*_):
        raise KeyboardInterrupt

    # Also where they were ignored, as a shell without job control has it in the background: the program would inherit
    # that, and the tests send it these.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)

    here = pathlib.Path(__file__).resolve().parent
    # Thousands of small files: on a disk most of the time would go into them.
    shared_memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="veritytool-cli.", dir=shared_memory) as scratch:
        Config.program = os.path.abspath(arguments.program)
        Config.emulator = shlex.split(arguments.emulator)
        Config.scratch = scratch
        loader = unittest.TestLoader()
        if arguments.k:
            loader.testNamePatterns = [f"*{pattern}*" for pattern in arguments.k]
        report = Report(arguments.v)
        loader.discover(str(here), top_level_dir=str(here)).run(report)

    if arguments.v:
        for seconds, name in reversed(report.slowest):
            print(f"{seconds:8.2f} s  {name}")
    print(
        f"{len(report.passed)} passed, {len(report.failed)} failed, {len(report.skipped_tests - report.failed)} skipped"
    )
    return 0 if report.passed and not report.failed else 1


if __name__ == "__main__":
    sys.exit(main())
