#!/usr/bin/env python3
"""Times `veritytool encrypt` and `decrypt` on a file in the page cache, against one thread of `veritytool bench`, and
against `dd bs=1M` where the result goes to a file in memory.

    tests/bench/encryption.py [--program build/release/bin/veritytool] [--size-mib 4096] [--runs 5] [--dir /dev/shm]

Everything is run in turn in each round. Figures are medians over the rounds, ratios the medians of the ratios round by
round. "of N x bench": GB/s to /dev/null over N times the one-thread figure of `bench` for the same cipher, direction
and sector size, N being the processors at hand. "of dd": the time of dd copying the file over the time of the command,
both to a new file in --dir."""
import argparse
import json
import os
import statistics
import subprocess
import tempfile

from timing import fill, timed

CIPHERS = [  # as encrypt has it, as bench has it, bytes of a key
    ("xchacha12,aes-adiantum-plain64", "adiantum-xchacha12", 32),
    ("xchacha20,aes-adiantum-plain64", "adiantum-xchacha20", 32),
    ("aes-xts-plain64", "aes-256-xts", 64),
]


def bench(program, algorithm):
    """Bytes a second of one thread, by direction."""
    out = subprocess.run([program, "bench", algorithm, "--size=4096", "--json"], check=True, stdout=subprocess.PIPE)
    return {r["direction"]: r["bytes_per_second"] for r in json.loads(out.stdout)["results"] if r["selected"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bin/veritytool")
    parser.add_argument("--size-mib", type=int, default=4096)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dir", default="/dev/shm", help="where the files go; needs three times the size in free space")
    options = parser.parse_args()
    processors = len(os.sched_getaffinity(0))
    size = options.size_mib << 20

    with tempfile.TemporaryDirectory(dir=options.dir) as directory:
        data, crypt, copy = (directory + "/" + name for name in ("data", "crypt", "copy"))
        fill(data, options.size_mib)
        print("%-42s %8s %16s %10s %8s %9s" % (
            "", "GB/s", "of %d x bench" % processors, "to a file", "of dd", "peak MiB"))
        for cipher, algorithm, key_size in CIPHERS:
            with open(directory + "/key", "wb") as file:
                file.write(os.urandom(key_size))
            arguments = ["--cipher=" + cipher, "--key-file=" + directory + "/key"]
            rounds = {"encrypt": [], "decrypt": []}
            for _ in range(options.runs):
                one_thread = bench(options.program, algorithm)
                for command in rounds:
                    null, _, peak = timed([options.program, command, data, "/dev/null", *arguments])
                    file, _, _ = timed([options.program, command, data, crypt, *arguments])
                    os.unlink(crypt)
                    dd, _, _ = timed(["dd", "bs=1M", "status=none", "if=" + data, "of=" + copy])
                    os.unlink(copy)
                    rounds[command].append((null, size / null / (processors * one_thread[command]), file, dd / file, peak))
            for command, runs in rounds.items():
                column = [statistics.median(values) for values in zip(*runs)]
                print("%-42s %8.2f %16.2f %10.2f %8.2f %9.1f" % (
                    command + " " + cipher, size / column[0] / 1e9, column[1], size / column[2] / 1e9, column[3],
                    max(r[4] for r in runs) / 1024), flush=True)


if __name__ == "__main__":
    main()
