"""What the benchmarks of whole commands share."""

import os
import subprocess
import sys
import time


def timed(command, environment=None):
    """Wall seconds, standard output and peak resident KiB of a command that must succeed. `environment`: what is added
    to the environment."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env={**os.environ, **(environment or {})})
    out = process.stdout.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit("%s: status %d" % (" ".join(command), process.returncode))
    return seconds, out, usage.ru_maxrss


def root_of(output):
    return next(line.split()[-1] for line in output.splitlines() if line.startswith("Root hash:"))


def fill(path, mebibytes):
    """Makes a file of random bytes, so that no page is shared."""
    with open(path, "wb") as file:
        for _ in range(mebibytes):
            file.write(os.urandom(1 << 20))
