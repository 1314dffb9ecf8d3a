#!/usr/bin/env python3
"""Times veritytool against veritysetup on one file in the page cache, in turn, and prints ratios of wall time.

    tests/bench/whole_tool.py [--program build/release/bin/veritytool] [--size-mib 4096] [--runs 5] [--dir /dev/shm]

Each row is one operation and hash; its figures are medians over the runs, the ratio the median of the ratios run by run.
veritysetup runs once in each round with its default hash (sha256), and once with each hash that it has. Peak memory is
the largest resident set of veritytool. The file is filled with random bytes once, so that no page is shared."""
import argparse
import os
import statistics
import subprocess
import tempfile

from timing import fill, root_of, timed

ROWS = [  # hash, VERITYTOOL_CPU, label, hash that veritysetup is given
    ("blake2b-256", "", "blake2b-256", "sha256"),
    ("blake2b-256", "-avx512", "blake2b-256 without AVX-512", "sha256"),
    ("sha256", "", "sha256", "sha256"),
    ("sha1", "", "sha1", "sha1"),
    ("sha512", "", "sha512", "sha512"),
    ("blake2s-256", "", "blake2s-256", "blake2s-256"),
]


def has(hash_name, directory):
    """Whether this build of veritysetup knows the hash."""
    data, tree = directory + "/probe", directory + "/probe.hash"
    with open(data, "wb") as file:
        file.write(bytes(8192))
    command = ["veritysetup", "format", "--hash=" + hash_name, data, tree]
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/bin/veritytool")
    parser.add_argument("--size-mib", type=int, default=4096)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--dir", default="/dev/shm", help="where the file goes; needs its size in free space")
    options = parser.parse_args()
    os.environ["PATH"] += ":/usr/sbin:/sbin"

    with tempfile.TemporaryDirectory(dir=options.dir) as directory:
        data, tree = directory + "/data", directory + "/tree"
        fill(data, options.size_mib)
        gigabytes = options.size_mib * 1.048576e-3
        print("%-30s %-22s %8s %8s %7s %9s" % ("", "against veritysetup", "GB/s", "theirs", "ratio", "peak MiB"))
        for name, mask, label, theirs in ROWS:
            if not has(theirs, directory):
                theirs = "sha256"
            environment = {"VERITYTOOL_CPU": mask} if mask else {}
            results = {"format": [], "verify": []}
            for _ in range(options.runs + 1):
                their_format, out, _ = timed(["veritysetup", "format", "--hash=" + theirs, data, tree])
                their_verify, _, _ = timed(["veritysetup", "verify", data, tree, root_of(out)])
                ours_format, out, peak = timed([options.program, "format", "--hash=" + name, data, tree], environment)
                results["format"].append((ours_format, their_format, peak))
                ours_verify, _, peak = timed([options.program, "verify", data, tree, root_of(out)], environment)
                results["verify"].append((ours_verify, their_verify, peak))
            for operation, runs in results.items():
                runs = runs[1:]  # the first is to warm up
                print("%-30s %-22s %8.2f %8.2f %7.2f %9.1f" % (
                    operation + " " + label, operation + " " + theirs,
                    gigabytes / statistics.median(r[0] for r in runs),
                    gigabytes / statistics.median(r[1] for r in runs),
                    statistics.median(r[1] / r[0] for r in runs), max(r[2] for r in runs) / 1024), flush=True)


if __name__ == "__main__":
    main()
