"""Which of the kernel's implementations did the work: that the suite held us to the ones it says."""

import re

from bench import case, check

NEON = {"armhf", "arm64"}


def implementations(parts):
    """The kernel's own words on what dm-verity and dm-crypt used, each once; then what /proc/crypto has in use."""
    words = re.findall(r"(\S+) using implementation \"(\S+)\"", parts["dmesg"])
    lines = [f"{name} using implementation {driver}" for name, driver in sorted(set(words))]
    for algorithm in drivers(parts):
        lines.append(f"/proc/crypto: {algorithm['name']}: {algorithm['driver']}")
    return lines


WANTED = {"blake2b-256", "sha1", "sha256", "sha512", "nhpoly1305", "xchacha12", "xchacha20", "aes", "xts(aes)"}


def drivers(parts):
    """The best registered driver of each algorithm that the suite needs: the kernel takes that of highest priority."""
    best = {}
    for text in parts["crypto"].strip().split("\n\n"):
        algorithm = {k.strip(): v.strip() for k, _, v in (line.partition(":") for line in text.splitlines())}
        if algorithm["name"] not in WANTED:
            continue
        old = best.get(algorithm["name"])
        if old is None or int(algorithm["priority"]) > int(old["priority"]):
            best[algorithm["name"]] = algorithm
    return [best[name] for name in sorted(best)]


@case
def drivers_in_use(bench):
    yield ""
    said = dict(re.findall(r"(\S+) using implementation \"(\S+)\"", bench.parts["dmesg"]))
    for name in ("blake2b-256", "sha256", "sha1", "sha512"):
        check(name in said, f"dm-verity never said what it uses for {name}")
    for cipher in ("adiantum(xchacha12,aes)", "adiantum(xchacha20,aes)", "xts(aes)"):
        check(cipher in said, f"dm-crypt never said what it uses for {cipher}: {said}")
    if bench.machine.architecture == "armhf":
        check(said["blake2b-256"] == "blake2b-256-neon", f"blake2b-256 is {said['blake2b-256']}")
    if bench.machine.architecture in NEON:
        for cipher in ("adiantum(xchacha12,aes)", "adiantum(xchacha20,aes)"):
            check(re.search(r"xchacha\d+-neon.*nhpoly1305-neon", said[cipher]), f"{cipher} is {said[cipher]}")
