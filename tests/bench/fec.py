#!/usr/bin/env python3
"""Times error correction on one file in the page cache, in turn, and prints ratios of wall time.

    tests/bench/fec.py [--program build/release/bin/veritytool] [--size-mib 1024] [--runs 5] [--no-peer] [--dir /dev/shm]

All with sha256: 'veritytool format' with parity of 2 and 24 roots against 'veritytool format' without and, once (it takes
half a minute a GiB), 'veritysetup format' with 2 roots; then 'veritytool repair' of an image with 1 % of its blocks zeroed
at random, by 24 roots, to another file and in place. Figures are medians over the runs, ratios medians of the ratios run
by run. Peak memory is the largest resident set."""
import argparse
import os
import random
import shutil
import statistics
import tempfile

from timing import fill, root_of, timed

BLOCK = 4096
ROOTS = (2, 24)


def zero_blocks(path, share):
    """Zeroes a share of a file's blocks, any."""
    blocks = os.path.getsize(path) // BLOCK
    with open(path, "r+b") as file:
        for block in random.Random(1).sample(range(blocks), int(blocks * share)):
            file.seek(block * BLOCK)
            file.write(bytes(BLOCK))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bin/veritytool")
    parser.add_argument("--size-mib", type=int, default=1024)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--no-peer", action="store_true", help="without veritysetup")
    parser.add_argument("--dir", default="/dev/shm", help="where the files go; needs 4 times the size in free space")
    options = parser.parse_args()
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    gigabytes = options.size_mib * 1.048576e-3

    def row(label, times, ratio_label, ratio, peak):
        print(
            "%-34s %8.3f s %7.2f GB/s  %-24s %7.2f  %6.1f MiB"
            % (label, times, gigabytes / times, ratio_label, ratio, peak / 1024),
            flush=True,
        )

    with tempfile.TemporaryDirectory(dir=options.dir) as directory:
        data, tree, fec = (directory + name for name in ("/data", "/tree", "/fec"))
        fill(data, options.size_mib)

        def form(*more):
            return timed([options.program, "format", "--hash=sha256", *more, data, tree])

        def parity(roots):
            return ["--fec-device=%s%d" % (fec, roots), "--fec-roots=%d" % roots]

        plain, with_parity, peaks = [], {roots: [] for roots in ROOTS}, dict.fromkeys(ROOTS, 0)
        for _ in range(options.runs + 1):
            plain.append(form())
            for roots in ROOTS:
                with_parity[roots].append(form(*parity(roots)))
        plain = plain[1:]  # the first is to warm up
        row("format", statistics.median(r[0] for r in plain), "", 1, max(r[2] for r in plain))
        for roots in ROOTS:
            runs = with_parity[roots][1:]
            ratio = statistics.median(r[0] / p[0] for r, p in zip(runs, plain))
            row(
                "format, %d roots" % roots, statistics.median(r[0] for r in runs), "to format without", ratio,
                max(r[2] for r in runs),
            )
        if not options.no_peer:
            theirs = timed(
                ["veritysetup", "format", "--hash=sha256", "--fec-roots=2", "--fec-device=" + fec, data, tree]
            )
            ours = statistics.median(r[0] for r in with_parity[2][1:])
            row("veritysetup format, 2 roots", theirs[0], "to ours", theirs[0] / ours, theirs[2])

        root = root_of(form(*parity(24))[1])
        bad, good = directory + "/bad", directory + "/good"
        results = {"--output": [], "--in-place": []}
        for _ in range(options.runs):
            for how in results:
                shutil.copyfile(data, bad)
                zero_blocks(bad, 0.01)
                where = ["--output=" + good] if how == "--output" else [how]
                results[how].append(timed([options.program, "repair", *where, *parity(24), bad, tree, root]))
                if how == "--output":
                    os.unlink(good)
        for how, runs in results.items():
            seconds = statistics.median(r[0] for r in runs)
            reference = statistics.median(r[0] for r in plain)
            row("repair " + how + ", 24 roots", seconds, "to format without", seconds / reference, max(r[2] for r in runs))


if __name__ == "__main__":
    main()
