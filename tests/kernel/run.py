#!/usr/bin/env python3
"""Has a Linux kernel, in a virtual machine, judge what the program makes.

    tests/kernel/run.py --arch amd64|armhf|arm64 --program build/release/bin/veritytool [-k PATTERN] [--keep DIR]

The program runs here; only the kernel, and the programs that open its devices, are of that architecture. One boot
serves all cases. The last line counts them: "N passed, N failed, N skipped". The status is 0 only when nothing failed
and something passed.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from bench import CASES, Bench  # noqa: E402
from machine import ARCHITECTURES, Machine, MachineError  # noqa: E402
import verity_cases  # noqa: E402,F401
import fec_cases  # noqa: E402,F401
import crypt_cases  # noqa: E402,F401
import driver_cases  # noqa: E402,F401


class Run:
    def __init__(self):
        self.passed = self.failed = 0

    def report(self, name, failure, note=""):
        if failure is None:
            self.passed += 1
        else:
            self.failed += 1
        print(f"{'ok' if failure is None else 'FAIL':4}  {name}{'  ' + note if note else ''}", flush=True)
        if failure is not None:
            print("      " + str(failure).strip().replace("\n", "\n      "), flush=True)


def attempt(step):
    """What a step returns, and the failure if it failed."""
    try:
        return step(), None
    except (AssertionError, OSError, ValueError, KeyError, subprocess.SubprocessError) as failure:
        return None, f"{type(failure).__name__}: {failure}"


def prepare(run, cases, machine, program, directory):
    """Starts the cases; returns those whose images are made, with the script for the guest."""
    started, script = [], ""
    for number, (name, function) in enumerate(cases):
        bench = Bench(machine, program, directory, f"t{number}")
        body = function(bench)
        commands, failure = attempt(lambda: next(body))
        if failure is not None:
            run.report(name, failure)
            continue
        script += f"echo '== {bench.prefix}'\n{commands}"
        started.append((name, bench, body))
    return started, script


def judge(run, started, parts):
    everything = "\n".join(parts.values())
    for name, bench, body in started:
        if bench.prefix not in parts:
            run.report(name, "the guest did not come to it")
            continue
        bench.parts, bench.everything = parts, everything
        try:
            _, failure = attempt(lambda: body.send(parts[bench.prefix]))
            run.report(name, failure or "the case asked for a second boot", bench.note)
        except StopIteration:
            run.report(name, None, bench.note)


def boot(run, cases, machine, arguments, scratch):
    clock = time.monotonic()
    machine.make()
    directory = os.path.join(scratch, "files")
    os.mkdir(directory)
    started, script = prepare(run, cases, machine, os.path.abspath(arguments.program), directory)
    prepared = time.monotonic() - clock
    parts = machine.boot(script)
    judge(run, started, parts)
    print(f"Linux {parts['kernel'].strip()} on {arguments.arch} ({' '.join(machine.qemu)})")
    for line in driver_cases.implementations(parts):
        print(f"  {line}")
    print(f"prepared in {prepared:.0f} s, ran in {machine.seconds:.0f} s")


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--arch", required=True, choices=ARCHITECTURES)
    parser.add_argument("--program", required=True)
    parser.add_argument("-k", metavar="PATTERN", action="append", help="only cases with this in their names")
    parser.add_argument("--keep", metavar="DIR", help="leave the files of the run there")
    arguments = parser.parse_args()
    if not os.access(arguments.program, os.X_OK):
        parser.error(f"{arguments.program} is not a program")
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    os.environ["LC_ALL"] = "C"

    def stop(*_):
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)

    cases = [c for c in CASES if not arguments.k or any(pattern in c[0] for pattern in arguments.k)]
    run = Run()
    with tempfile.TemporaryDirectory(prefix="veritytool-kernel.") as scratch:
        if arguments.keep:
            scratch = arguments.keep
            os.makedirs(scratch)
        try:
            boot(run, cases, Machine(arguments.arch, scratch), arguments, scratch)
        except MachineError as failure:
            run.report("boot", failure)
    print(f"{run.passed} passed, {run.failed} failed, 0 skipped")
    return 0 if run.passed and not run.failed else 1


if __name__ == "__main__":
    sys.exit(main())
