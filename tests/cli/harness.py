"""What the command-line tests share: running the program in a directory of its own, and holding it to its manners."""

import contextlib
import functools
import hashlib
import json
import os
import pathlib
import random
import re
import select
import shlex
import shutil
import signal
import stat
import subprocess
import tempfile
import time
import unittest

UUID = "01234567-89ab-cdef-0123-456789abcdef"
MIB = 1024 * 1024
GIB = 1024 * MIB
VERITYSETUP = shutil.which("veritysetup", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


class Config:
    """Set by run.py before any test runs."""

    program = ""  # absolute path
    emulator = []  # the command that runs it, if any
    scratch = ""  # directory for all that tests make


def emulated():
    return bool(Config.emulator)


def thinned(items, step):
    """All items; under an emulator every step-th, the last among them."""
    items = list(items)
    return items[::-1][::step][::-1] if emulated() else items


class Result:
    def __init__(self, arguments, status, out, err):
        self.arguments = arguments
        self.status = status  # negative: the signal that ended it
        self.out = out
        self.err = err

    @property
    def root(self):
        """The root hash that `format` printed."""
        found = re.search(r"^Root hash:\s*([0-9a-f]+)$", self.out, re.MULTILINE)
        assert found, f"no root hash: {self}"
        return found[1]

    def json(self):
        return json.loads(self.out)

    def __str__(self):
        return (
            f"veritytool {shlex.join(self.arguments)}\nstatus {self.status}\n"
            f"stdout: {self.out[:2000]!r}\nstderr: {self.err[:2000]!r}"
        )


@functools.cache
def fault_library():
    """The preloaded library for the program's architecture, and if there is none the reason."""
    compiler = "cc"
    if emulated():
        compilers = {"qemu-arm": "arm-linux-gnueabihf-gcc", "qemu-aarch64": "aarch64-linux-gnu-gcc"}
        compiler = compilers.get(pathlib.Path(Config.emulator[0]).name.removesuffix("-static"), "")
    if shutil.which(compiler) is None:
        return None, f"no compiler for the preloaded library: {compiler or Config.emulator[0]}"
    source = pathlib.Path(__file__).resolve().parent.parent / "shim" / "faults.c"
    library = os.path.join(Config.scratch, "faults.so")
    options = ["-Wall", "-Wextra", "-Wconversion", "-Werror", "-O1", "-fno-builtin-malloc", "-shared", "-fPIC"]
    subprocess.run([compiler, *options, "-o", library, source, "-ldl"], check=True)
    return library, ""


def kill_all(process):
    """Kills a process from start() and what it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


class CliTest(unittest.TestCase):
    maxDiff = 4000
    running = None  # the process that is not yet waited for

    def setUp(self):
        self.directory = tempfile.mkdtemp(dir=Config.scratch)
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.addCleanup(lambda: self.running and kill_all(self.running))
        self.random = random.Random(self.id())
        self.timeout = 240 if emulated() else 60  # seconds for one run of the program

    # --- files, by their names in the test's directory ---------------------------------------------------------------

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, content):
        with open(self.path(name), "wb") as file:
            file.write(content)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def size(self, name):
        return os.stat(self.path(name)).st_size

    def random_file(self, name, size):
        """Makes it and returns its content."""
        content = self.random.randbytes(size)
        self.write(name, content)
        return content

    def sparse_file(self, name, size):
        with open(self.path(name), "wb") as file:
            file.truncate(size)
        return name

    def snapshot(self):
        """Names, kinds and contents of all that is in the test's directory."""
        found = {}
        for root, directories, files in os.walk(self.directory):
            for name in directories + files:
                path = os.path.join(root, name)
                mode = os.lstat(path).st_mode
                content = None
                if stat.S_ISREG(mode):
                    with open(path, "rb") as file:
                        content = hashlib.sha256(file.read()).hexdigest(), os.fstat(file.fileno()).st_size
                found[os.path.relpath(path, self.directory)] = stat.S_IFMT(mode), content
        return found

    def without_rights(self, mode):
        """Options that start the program as a user to whom `mode` of the test's directory applies: root would pass."""
        os.chmod(self.directory, mode)
        self.addCleanup(os.chmod, self.directory, 0o755)
        if os.geteuid() != 0:
            return {}
        if emulated():
            self.skipTest("root has all rights, and another user may not reach the sysroot")
        os.chmod(os.path.dirname(self.directory), 0o755)
        nobody = {"user": 65534}
        try:
            subprocess.run([Config.program, "--version"], capture_output=True, **nobody)
        except PermissionError:
            self.skipTest("another user cannot run the program where it is")
        return nobody

    # --- the program -------------------------------------------------------------------------------------------------

    def start(self, *arguments, input=None, env=None, faults=None, wrapper=(), **options):
        """Starts the program. `faults` are the variables of tests/shim/faults.c, in lower case without their prefix;
        `wrapper` is a command that runs it; `options` go to subprocess.Popen. Standard output and error are collected
        for finish(), unless they are among these."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("VERITYTOOL_", "FAULTS_"))}
        environment |= {"LC_ALL": "C"} | (env or {})
        emulator = list(Config.emulator)
        if faults is not None:
            library, why_not = fault_library()
            if library is None:
                self.skipTest(why_not)
            environment |= {"FAULTS_" + name.upper(): str(value) for name, value in faults.items()}
            if emulated():
                emulator += ["-E", f"LD_PRELOAD={library}"]
            else:
                environment["LD_PRELOAD"] = library
        if input is not None:
            options["stdin"] = tempfile.TemporaryFile(dir=Config.scratch)
            options["stdin"].write(input)
            options["stdin"].seek(0)
        options.setdefault("stdin", subprocess.DEVNULL)
        collected = []
        for stream in ("stdout", "stderr"):
            collected.append(tempfile.TemporaryFile(dir=Config.scratch) if stream not in options else None)
            options.setdefault(stream, collected[-1])
        arguments = [str(argument) for argument in arguments]
        command = [*wrapper, *emulator, Config.program, *arguments]
        # In a group of its own, so that kill_all() reaches what a wrapper starts.
        process = subprocess.Popen(command, cwd=self.directory, env=environment, start_new_session=True, **options)
        self.running = process
        process.arguments = arguments
        process.collected = collected
        return process

    def finish(self, process, timeout=None):
        """Waits for a program from start() and returns its Result."""
        descriptor = os.pidfd_open(process.pid)
        ended, _, _ = select.select([descriptor], [], [], timeout or self.timeout)
        os.close(descriptor)
        if not ended:
            kill_all(process)
        process.wait()
        self.running = None
        texts = []
        for stream in process.collected:
            if stream is not None:
                stream.seek(0)
            texts.append(stream.read().decode("utf-8", "replace") if stream is not None else "")
        result = Result(process.arguments, process.returncode, *texts)
        if not ended:
            self.fail(f"still running after {timeout or self.timeout} s: {result}")
        return result

    def tool(self, *arguments, status=0, **options):
        """Runs the program to its end, which must be with `status`. Success is silent on standard error, but for
        notes; what is not success says one line there."""
        result = self.finish(self.start(*arguments, **options))
        self.assertEqual(result.status, status, result)
        if status == 0:
            self.assertRegex(result.err, r"\A(veritytool: note: [^\n]+\n)*\Z", result)
        else:
            self.assert_one_line(result)
        return result

    def assert_one_line(self, result):
        self.assertRegex(result.err, r"\Averitytool: [^\n]+\n\Z", result)
        self.assertFalse(result.err.endswith(".\n"), result)

    def fails(self, *arguments, message, status=1, names=(), unchanged=True, **options):
        """Runs the program, which must refuse: with this status, a message that begins so and has all of `names` in
        it, nothing on standard output, and every file as it was before."""
        before = self.snapshot() if unchanged else None
        result = self.tool(*arguments, status=status, **options)
        self.assertTrue(result.err.startswith("veritytool: " + message), f"expected {message!r}: {result}")
        for name in names:
            self.assertIn(str(name), result.err, result)
        self.assertEqual(result.out, "", result)
        if unchanged:
            self.assertEqual(self.snapshot(), before, result)
        return result

    # --- trees -------------------------------------------------------------------------------------------------------

    def assert_no_tree(self, data, hash_file, root, *options):
        """That what a failure left behind cannot pass for a tree: the file is not there, or does not verify."""
        if not os.path.exists(self.path(hash_file)):
            return
        result = self.finish(self.start("verify", data, hash_file, root, *options))
        self.assertIn(result.status, (1, 2, 4), f"{hash_file} was left behind: {result}")

    def veritysetup(self, *arguments, status=0):
        command = [VERITYSETUP, *map(str, arguments)]
        made = subprocess.run(command, cwd=self.directory, capture_output=True, text=True)
        self.assertEqual(made.returncode, status, f"{arguments}: {made}")
        return made

    # --- block devices -----------------------------------------------------------------------------------------------

    def attach(self, name, *options):
        """The path of a loop device that is this file. Skips the test where there is none to be had."""
        if shutil.which("losetup") is None:
            self.skipTest("no losetup")
        command = ["losetup", "--find", "--show", *options, self.path(name)]
        made = subprocess.run(command, capture_output=True, text=True)
        if made.returncode != 0:
            self.skipTest(f"no loop device to be had: {made.stderr.strip()}")
        device = made.stdout.strip()
        self.addCleanup(subprocess.run, ["losetup", "--detach", device], check=True)
        return device

    def flush(self, device):
        subprocess.run(["blockdev", "--flushbufs", device], check=True)

    # --- waiting and signals -----------------------------------------------------------------------------------------

    def wait_until(self, condition, what, seconds=20):
        deadline = time.monotonic() + seconds * (5 if emulated() else 1)
        while not condition():
            if time.monotonic() > deadline:
                self.fail(f"{what} did not happen in {seconds} s")
            time.sleep(0.005)

    def interrupt(self, process, signal_number=signal.SIGINT, seconds=5):
        """Sends the signal; the program must end by it, soon and silently."""
        process.send_signal(signal_number)
        result = self.finish(process, timeout=seconds * (5 if emulated() else 1))
        self.assertEqual(result.status, -signal_number, result)
        self.assertEqual((result.out, result.err), ("", ""), result)
        return result
