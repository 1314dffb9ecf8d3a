"""What the cases share. A case is a generator: it makes its images, yields the commands for the guest, gets what they
printed, and asserts. All cases are prepared before the one boot that serves them all, and judged after it."""

import json
import os
import random
import re
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(os.path.dirname(HERE), "cli"))
import reference  # noqa: E402,F401  (for the cases)

UUID = "01234567-89ab-cdef-0123-456789abcdef"
CASES = []  # (name, generator function of a Bench)


def case(function):
    """Registers a case by its function's name."""
    CASES.append((function.__name__, function))
    return function


def add_case(name, function, *arguments):
    CASES.append((name, lambda bench: function(bench, *arguments)))


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def shortened(text):
    return text if len(text) <= 400 else f"{text[:400]}... ({len(text)} characters)"


def check_equal(actual, expected, what):
    """Of bytes only the length and the first difference are named."""
    if actual == expected:
        return
    if isinstance(actual, (bytes, bytearray)):
        first = next((i for i, (a, b) in enumerate(zip(actual, expected)) if a != b), min(len(actual), len(expected)))
        raise AssertionError(f"{what}: {len(actual)} bytes, expected {len(expected)}; differs from byte {first} on")
    raise AssertionError(f"{what}: {shortened(repr(actual))}, expected {shortened(repr(expected))}")


def flipped(content, *bits):
    """A copy with these bits, counted from the start, inverted."""
    changed = bytearray(content)
    for bit in bits:
        changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


class Bench:
    """One case's view of the machine: every file and device that it names gets the case's own prefix."""

    def __init__(self, machine, program, directory, prefix):
        self.machine = machine
        self.program = program
        self.directory = directory
        self.prefix = prefix
        self.random = random.Random(prefix)
        self.captures = []  # (device, its name on the second disk, block size)
        self.parts, self.everything = {}, ""  # what the guest printed, once it has
        self.note = ""  # printed on the case's line

    # --- files and images --------------------------------------------------------------------------------------------

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, suffix, content):
        """Makes a file of the host; returns its name, which is also that of its device in the guest."""
        name = self.prefix + suffix
        with open(self.path(name), "wb") as file:
            file.write(content)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def image(self, *names):
        """Puts files on the first disk, as devices of the same names."""
        for name in names:
            self.machine.images.add(name, self.path(name))

    def guest_file(self, name):
        """Puts a file beside the devices."""
        self.machine.files["images/" + name] = 0o600, self.read(name)

    # --- programs of the host ----------------------------------------------------------------------------------------

    def run(self, *command, status=0):
        command = [str(word) for word in command]
        made = subprocess.run(command, cwd=self.directory, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        check(made.returncode == status, f"{shlex.join(command)}: status {made.returncode}\n{made.stdout}{made.stderr}")
        return made.stdout

    def tool(self, *arguments, status=0):
        return self.run(self.program, *arguments, status=status)

    def tool_json(self, *arguments, status=0):
        return json.loads(self.tool(*arguments, "--json", status=status))

    # --- commands of the guest ---------------------------------------------------------------------------------------

    def capture(self, device, block_size, size):
        """Reads a device of the guest, of `size` bytes, block by block onto the second disk."""
        return f"capture /dev/vdb {self.capture_words(device, block_size, size)}\n"

    def capture_words(self, device, block_size, size):
        name = f"{device}.captured"
        self.captures.append((device, name, block_size))
        return f"/dev/mapper/{device} {block_size} {self.machine.captured.reserve(name, size)}"

    def mapped(self, table, block_size, size):
        """Has the guest open a device-mapper table as it is printed, capture it and close it, before the cases'
        commands and together with those of other cases: starting a program is what costs most there."""
        device = f"{self.prefix}.m{len(self.captures)}"
        self.machine.map(device, table.strip(), self.capture_words(device, block_size, size))

    def check_captures(self, output, *expected):
        """That each capture has these bytes, but for the blocks, a set, that the kernel must have refused."""
        check_equal(len(self.captures), len(expected), "number of captures")
        for (device, name, block_size), (content, refused) in zip(self.captures, expected):
            line = re.search(rf"^{re.escape(device)} blocks (\d+) unreadable (\S+)$", self.everything, re.MULTILINE)
            if line is None:
                about = [text for text in self.everything.splitlines() if device in text]
                raise AssertionError("\n".join([f"{device} was not read", *about, output]))
            blocks, ranges = line.groups()
            check_equal(int(blocks) * block_size, len(content), f"size of {name}")
            unreadable = set()
            for part in ranges.split(",") if ranges != "-" else []:
                first, _, last = part.partition("-")
                unreadable |= set(range(int(first), int(last or first) + 1))
            check_equal(sorted(unreadable), sorted(refused), f"unreadable blocks of {name}")
            content = bytearray(content)
            for block in unreadable:
                content[block * block_size : (block + 1) * block_size] = bytes(block_size)
            check_equal(self.machine.captured.read(name), bytes(content), f"content of {name}")

    # --- trees -------------------------------------------------------------------------------------------------------

    def format(self, p, data, hash_file, *options):
        """Makes the tree; returns the root hash in hexadecimal."""
        return self.tool_json("format", *p.format_options, *options, data, hash_file)["root_hash"]

    def table(self, p, data, hash_file, root, *options):
        return self.tool("table", *p.verify_options, *options, data, hash_file, root)
