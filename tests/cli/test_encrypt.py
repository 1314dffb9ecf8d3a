"""encrypt, decrypt and keygen: bytes by the kernel's vectors, keys, and everything that OUT may be or must not be."""

import errno
import hashlib
import os
import pathlib
import shlex
import signal
import stat
import subprocess
import sys
import threading
import time

from harness import GIB, MIB, CliTest, emulated, thinned
from test_interrupts import is_asleep
from test_large import LIMIT, MEASURE

XCHACHA12, XCHACHA20, XTS = (
    "xchacha12,aes-adiantum-plain64", "xchacha20,aes-adiantum-plain64", "aes-xts-plain64",
)
VECTORS = pathlib.Path(__file__).resolve().parent.parent / "vectors" / "cipher_adiantum_sectors.txt"


def records():
    """The groups of lines of the vectors as dictionaries."""
    groups = VECTORS.read_text().split("\n\n")
    lines = ([line for line in group.splitlines() if line and line[0] != "#"] for group in groups)
    return [dict(line.split(" = ", 1) for line in group) for group in lines if group]


class CryptTest(CliTest):
    def setUp(self):
        super().setUp()
        self.key = self.random_file("key", 32)
        self.image = self.random_file("a.img", 600 * 4096)

    def encrypt(self, *arguments, **options):
        return self.tool("encrypt", "--key-file=key", *arguments, **options)

    def decrypt(self, *arguments, **options):
        return self.tool("decrypt", "--key-file=key", *arguments, **options)

    def refused(self, *arguments, message, command="encrypt", key=True, **options):
        key = ["--key-file=key"] if key else []
        return self.fails(command, *key, *arguments, message=message, **options)

    def encrypted(self, *options):
        """The content of a.img, encrypted."""
        self.encrypt(*options, "a.img", "a.crypt")
        return self.read("a.crypt")

    def only(self, *names):
        self.assertEqual(sorted(os.listdir(self.directory)), sorted(["key", "a.img", *names]))


class Bytes(CryptTest):
    def test_vectors(self):
        for r in thinned(records(), 3):
            size, iv = int(r["sector_size"]), int(r["iv"])
            offsets = [] if iv % (size // 512) else [(iv, [])]
            if iv * (size // 512) < 2**64:
                offsets.append((iv * (size // 512), ["--iv-large-sectors"]))
            self.write("key", bytes.fromhex(r["key"]))
            plain = bytes(i & 255 for i in range(size))
            self.write("plain", plain)
            for offset, options in offsets:
                with self.subTest(r=r, options=options):
                    options = [f"--cipher={r['cipher']}", f"--sector-size={size}", f"--iv-offset={offset}", *options]
                    self.encrypt(*options, "plain", "out")
                    content = self.read("out")
                    self.assertEqual(hashlib.sha256(content).hexdigest(), r["sha256_of_ciphertext"])
                    self.assertEqual(content[:32].hex(), r["ciphertext_head"])
                    self.decrypt(*options, "out", "back")
                    self.assertEqual(self.read("back"), plain)

    def test_round_trips(self):
        for cipher, key_size in ((XCHACHA12, 32), (XCHACHA20, 32), (XTS, 64), (XTS, 32)):
            self.random_file("key", key_size)
            for size in (512, 1024, 2048, 4096):
                with self.subTest(cipher=cipher, key_size=key_size, size=size):
                    options = [f"--cipher={cipher}", f"--sector-size={size}"]
                    crypted = self.encrypted(*options)
                    self.assertEqual(len(crypted), len(self.image))
                    self.assertNotEqual(crypted, self.image)
                    self.decrypt(*options, "a.crypt", "b.img")
                    self.assertEqual(self.read("b.img"), self.image)

    def test_threads_and_defaults(self):
        crypted = self.encrypted()
        self.assertEqual(self.encrypted("--threads=1"), crypted)
        self.assertEqual(self.encrypted("--threads=64"), crypted)
        self.assertEqual(
            self.encrypted(f"--cipher={XCHACHA12}", "--sector-size=4096", "--iv-offset=0", "--no-progress"), crypted
        )

    def test_numbering(self):
        """Each sector by itself gives the same, with its own number."""
        crypted = self.encrypted()
        for sector in (1, 5, 599):
            self.write("one", self.image[sector * 4096 : (sector + 1) * 4096])
            self.encrypt(f"--skip={sector * 8}", "one", "one.crypt")
            self.assertEqual(self.read("one.crypt"), crypted[sector * 4096 : (sector + 1) * 4096])
        large = self.encrypted("--iv-large-sectors")
        self.assertEqual(large[:4096], crypted[:4096])
        self.write("one", self.image[8 * 4096 : 9 * 4096])
        self.encrypt("--iv-offset=8", "one", "one.crypt")  # 8 in either numbering
        self.assertEqual(self.encrypted("--iv-large-sectors")[4096 * 8 : 4096 * 9], self.read("one.crypt"))

    def test_part(self):
        for name in ("a.img", "-"):
            with open(self.path("a.img"), "rb") as stdin:
                self.encrypt("--offset=3", "--size=800", "--iv-offset=16", name, "part.crypt", stdin=stdin)
            self.write("part", self.image[3 * 512 : 803 * 512])
            self.encrypt("--iv-offset=16", "part", "whole.crypt")
            self.assertEqual(self.read("part.crypt"), self.read("whole.crypt"))

    def test_streams(self):
        crypted = self.encrypted()
        with open(self.path("a.img"), "rb") as stdin, open(self.path("out"), "wb") as stdout:
            self.encrypt("-", "-", stdin=stdin, stdout=stdout)
        self.assertEqual(self.read("out"), crypted)
        pipeline = shlex.join(self.start("--version").args[:-1])
        self.finish(self.running)
        subprocess.run(f"cat a.img | {pipeline} encrypt -d key - - | {pipeline} decrypt -d key - - | cat >b.img",
                       shell=True, check=True, cwd=self.directory)
        self.assertEqual(self.read("b.img"), self.image)

    def test_named_pipe(self):
        crypted = self.encrypted()
        os.mkfifo(self.path("pipe"))
        got = []

        def reader():
            with open(self.path("pipe"), "rb") as pipe:
                got.append(pipe.read())

        thread = threading.Thread(target=reader)
        thread.start()
        self.encrypt("a.img", "pipe")
        thread.join()
        self.assertEqual(got, [crypted])
        self.assertTrue(stat.S_ISFIFO(os.stat(self.path("pipe")).st_mode))

    def test_padding(self):
        for name in ("b.img", "-"):
            content = self.image[: 5 * 4096 + 1000]
            self.write("b.img", content)
            with open(self.path("b.img"), "rb") as stdin:
                report = self.encrypt("--json", "--pad-zero", name, "b.crypt", stdin=stdin).json()
            self.assertEqual((report["size"], report["padding"], report["sectors"]), (6 * 4096, 3096, 6))
            self.decrypt("b.crypt", "back")
            self.assertEqual(self.read("back"), content + bytes(3096))

    def test_report(self):
        result = self.encrypt("--verbose", "a.img", "a.crypt")
        self.assertIn("Sectors:         \t600\n", result.out)
        self.assertTrue(result.out.endswith("Command successful.\n"))
        report = self.decrypt("--json", "a.crypt", "b.img").json()
        self.assertEqual(report, {
            "decrypted": "a.crypt", "output": "b.img", "cipher": XCHACHA12, "sector_size": 4096, "sectors": 600,
            "iv_offset": 0, "iv_large_sectors": False, "offset": 0, "size": 600 * 4096, "padding": 0,
        })

    def test_expected_content(self):
        image = bytearray(self.image)
        image[1024 + 0x38 : 1024 + 0x3A] = b"\x53\xef"
        self.write("a.img", image)
        self.encrypted()
        self.decrypt("--expect=ext4", "a.crypt", "b.img")
        self.assertEqual(self.read("b.img"), image)
        self.random_file("key2", 32)
        for options, status in ((["--key-file=key2"], 2), (["-dkey", "--sector-size=512"], 2),
                                (["-dkey", "--iv-offset=8"], 2), (["-dkey", f"-c{XCHACHA20}"], 2)):
            for out in ("b.img", "new.img", "-"):
                with self.subTest(options=options, out=out):
                    self.fails("decrypt", *options, "--expect=ext4", "a.crypt", out, status=2,
                               message="a.crypt: does not decrypt to ext4: a wrong key")
        image[:4] = b"hsqs"
        self.write("a.img", image)
        self.encrypted()
        self.refused("--expect=erofs", "a.crypt", "b.img", command="decrypt", status=2,
                     message="a.crypt: does not decrypt to erofs: it holds squashfs")
        self.refused("--expect=ntfs5", "a.crypt", "b.img", command="decrypt", message="--expect: unknown content",
                     names=["ext4", "erofs"])


class Keys(CryptTest):
    def test_made(self):
        for options, size in (([], 32), ([f"--cipher={XTS}"], 64), ([f"--cipher={XTS}", "--key-size=256"], 32)):
            result = self.tool("keygen", *options, "new.key")
            self.assertEqual(result.out, "")
            self.assertEqual(self.size("new.key"), size)
            self.assertEqual(os.stat(self.path("new.key")).st_mode & 0o7777, 0o600)
            self.fails("keygen", *options, "new.key", message="new.key: File exists")
            os.unlink(self.path("new.key"))
        self.assertEqual(self.tool("keygen", "--json", "k").json(), {"key_file": "k", "key_size": 256})
        with open("/dev/full", "wb") as full:
            self.fails("keygen", "--json", "k2", message="standard output: ", stdout=full)

    def test_not_made(self):
        self.fails("keygen", "no/key", message="no/key: No such file or directory")
        self.fails("keygen", "-", message="FILE cannot be standard output")
        self.fails("keygen", message="keygen: FILE is missing")
        self.fails("keygen", "--key-size=128", "k", message="--key-size: ", names=[256, 128])
        self.fails("keygen", "--key-size=512", "k", message="--key-size: ", names=[256, 512])
        self.fails("keygen", f"--cipher={XTS}", "--key-size=384", "k", message="--key-size: ", names=["512 or 256"])
        os.symlink("nowhere", self.path("link"))
        self.fails("keygen", "link", message="link: File exists")

    def test_not_made_on_a_full_disk(self):
        for calls in ("write", "sync"):
            faults = {"file": self.path("k*"), "calls": calls, "errno": errno.ENOSPC}
            os.rename(self.path("key"), self.path("old"))
            self.fails("keygen", "k1", message="k1: ", names=["No space left on device"], faults=faults)
            os.rename(self.path("old"), self.path("key"))

    def test_ways_to_give_it(self):
        crypted = self.encrypted()
        self.write("hex", self.key.hex().upper().encode() + b"\n")
        self.write("in-file", b"head" + self.key + b"tail")
        for options, stdin in (
            (["--key-file=-"], self.key), (["--hex", "--key-file=hex"], b""),
            (["--hex", "--key-file=-"], self.key.hex().encode()),
            (["--keyfile-offset=4", "--keyfile-size=32", "--key-file=in-file"], b""),
            (["--keyfile-offset=4", "--keyfile-size=32", "--key-file=-"], b"head" + self.key + b"tail"),
            (["-d", "key"], b""),
        ):
            with self.subTest(options=options):
                self.tool("encrypt", *options, "a.img", "b.crypt", input=stdin)
                self.assertEqual(self.read("b.crypt"), crypted)

    def test_lengths(self):
        self.write("k0", b"")
        self.write("k31", bytes(31))
        self.write("k33", self.key + b"\n")
        self.write("khex", b"0" * 63)
        for command in ("encrypt", "decrypt"):
            for options, names in (
                (["-dk0"], ["k0: ", " 32 bytes", " 0 bytes"]), (["-dk31"], ["k31: ", " 31 bytes"]),
                (["-dk33"], ["k33: ", " 33 bytes", "newline"]),
                (["-dkey", f"-c{XTS}", "--keyfile-size=31"], ["64 or 32", "31"]),
                (["-dkhex", "--hex"], ["khex: ", "64 hexadecimal", "63"]), (["-da.img"], ["more than 4096"]),
                (["-d/dev/zero"], ["/dev/zero: ", "more than 4096"]), (["-dkey", "--hex"], ["key: ", "64", "32"]),
                (["-dkey", "--keyfile-offset=1"], ["key: ", "32", "31"]),
                (["-dkey", "--keyfile-offset=33"], ["key: ", "32", "33"]),
                (["-dk31", "--keyfile-size=32"], ["k31: ", "31", "32"]),
                (["-d/dev/null"], ["/dev/null: ", " 0 bytes"]), (["-dno"], ["no: No such file or directory"]),
                (["-d."], [".: is a directory"]),
            ):
                with self.subTest(command=command, options=options):
                    self.fails(command, *options, "a.img", "b.crypt", message="", names=names)
        self.fails("encrypt", "-d-", "a.img", "b.crypt", message="standard input: ", names=["31"], input=bytes(31))
        self.write("kbad", b"xy" * 32)
        self.fails("encrypt", "-dkbad", "--hex", "a.img", "b.crypt", message="kbad: holds something else")

    def test_missing_and_twice(self):
        self.fails("encrypt", "a.img", "b.crypt", message="--key-file is missing")
        self.fails("encrypt", "--key-file=-", "-", "b.crypt", message="IN and --key-file cannot both")

    def test_not_in_output(self):
        trace = self.encrypt("--json", "--verbose", "a.img", "b.crypt")
        for secret in (self.key.hex(), self.key[:6].hex()):
            self.assertNotIn(secret, trace.out + trace.err)


class Input(CryptTest):
    """What is said of IN; OUT stays as it was."""

    def check(self, *arguments, message, **options):
        self.write("old.crypt", b"old")
        for command in ("encrypt", "decrypt"):
            for out in ("b.crypt", "old.crypt"):
                self.refused(*arguments, out, command=command, message=message, **options)

    def test_cannot_be_read(self):
        os.mkdir(self.path("d"))
        self.write("empty", b"")
        self.check("no.img", message="no.img: No such file or directory")
        self.check("d", message="d: is a directory")
        self.check("empty", message="empty: is empty")
        self.check("/dev/null", message="/dev/null: is empty")
        self.check("-", message="standard input: is empty")

    def test_not_whole_sectors(self):
        self.write("b.img", bytes(5000))
        message = "5000 bytes is not a multiple of the 4096-byte sector (904 left over)"
        self.check("b.img", message=f"b.img: {message}")
        self.check("-", message=f"standard input: {message}", input=bytes(5000))
        self.check("--sector-size=512", "b.img",
                   message="b.img: 5000 bytes is not a multiple of the 512-byte sector (392 left over)")
        self.check("-o1", "a.img", message="a.img: 2457088 bytes from byte 512 on is not a multiple", names=["3584"])
        self.check("-b9", "a.img", message="a.img: 4608 bytes is not a multiple", names=["(512 left over)"])

    def test_part_beyond_the_end(self):
        self.check("--size=4801", "--sector-size=512", "a.img", message="a.img: ", names=[4801 * 512, 4800 * 512])
        self.check("--offset=4801", "a.img", message="a.img: ", names=[4801 * 512, 4800 * 512])
        self.check("--offset=4800", "a.img", message="a.img: holds nothing from byte")
        self.check("--offset=4800", "-", message="standard input: ", names=[4800 * 512], input=bytes(4096))
        self.check("--size=16", "-", message="standard input: ", names=[8192, 4096], input=bytes(4096))
        self.check(f"--offset={2**54 - 1}", "a.img", message="a.img: ")

    def test_options(self):
        for options, message in (
            (["--sector-size=0"], "sector size 0 "), (["--sector-size=768"], "sector size 768 is not a power of two"),
            (["--sector-size=8192"], "sector size 8192"), (["--sector-size=x"], "--sector-size: 'x'"),
            (["--iv-offset=4"], "IV offset 4 is not a multiple of 8"), (["--skip=9"], "IV offset 9 is not a multiple"),
            (["--iv-offset=8", "--skip=8"], "--skip: --iv-offset and --skip are the same"),
            (["--cipher=aes-cbc-essiv:sha256"], "--cipher: unknown cipher"), (["--cipher="], "--cipher: unknown"),
            (["--offset=-1"], "--offset: "), (["--size=0"], "--size: "), ([f"--offset={2**54}"], "--offset: "),
            (["--threads=0"], "--threads: "), (["--keyfile-size=0"], "--keyfile-size: "),
        ):
            with self.subTest(options=options):
                self.check(*options, "a.img", message=message)
        self.refused("--pad-zero", "a.img", "b.img", command="decrypt", message="decrypt: unknown option '--pad-zero'")
        self.refused("--expect=ext4", "a.img", "b.img", message="encrypt: unknown option '--expect'")
        self.refused("a.img", message="encrypt: OUT is missing")
        self.refused("--json", "a.img", "-", message="--json: standard output is taken")

    def test_read_errors_and_changes(self):
        for out in ("b.crypt", "-"):
            with self.subTest(out=out):
                faults = {"file": self.path("a.img"), "calls": "read", "errno": errno.EIO, "at": MIB, "until": MIB + 1}
                result = self.finish(self.start("encrypt", "-dkey", "a.img", out, faults=faults,
                                                stdout=subprocess.DEVNULL))
                self.assertEqual(result.status, 1)
                self.assertRegex(result.err, r"\Averitytool: a.img: read: Input/output error \(at byte \d+\)\n\Z")
                self.only()
        for length in (4096, len(self.image) + 4096):
            self.write("a.img", self.image)
            faults = {"file": self.path("a.img"), "calls": "read", "resize": length, "at": 0}
            self.refused("a.img", "b.crypt", message="a.img: ", faults=faults, unchanged=False)
            self.only()


class Output(CryptTest):
    def test_same_as_an_input(self):
        os.symlink("a.img", self.path("link"))
        os.link(self.path("a.img"), self.path("hard"))
        for name in ("a.img", "./a.img", "link", "hard", self.path("a.img")):
            self.refused("a.img", name, message=f"{name}: cannot be written, since it is read as well")
        self.refused("a.img", "key", message="key: cannot be written, since it is read as well")
        with open(self.path("a.img"), "rb") as stdin:
            self.refused("-", "a.img", message="a.img: cannot be written", stdin=stdin)
        with open(self.path("a.img"), "r+b") as stdout:
            self.refused("a.img", "-", message="standard output: cannot be written", stdout=stdout)

    def test_replaced(self):
        crypted = self.encrypted()
        self.write("old", bytes(10 * MIB))
        os.chmod(self.path("old"), 0o604)
        os.symlink("old", self.path("link"))
        self.encrypt("a.img", "link")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(self.read("old"), crypted)
        self.assertEqual(os.stat(self.path("old")).st_mode & 0o777, 0o604)
        self.only("a.crypt", "old", "link")

    def test_cannot_be_made(self):
        os.mkdir(self.path("d"))
        os.symlink("nowhere", self.path("link"))
        for name, message in (
            ("no/out", "no/out: No such file or directory"), ("d", "d: Is a directory"), ("d/", "d/: Is a directory"),
            ("new/", "new/: "), ("link", "link: is a link to nothing"), ("key/x", "key/x: Not a directory"),
            ("", "encrypt: OUT is empty"), ("/dev/full", "/dev/full: write: No space left on device"),
        ):
            with self.subTest(name=name):
                self.refused("a.img", name, message=message)

    def test_longest_name(self):
        self.encrypt("a.img", "x" * 255)
        self.assertEqual(self.size("x" * 255), len(self.image))

    def test_full_disk(self):
        self.write("old", b"old")
        pattern = self.path(".veritytool-*")
        for calls, number in (("write", errno.ENOSPC), ("write", errno.EIO), ("sync", errno.EIO), ("close", errno.EIO)):
            for at in (0, MIB):
                for out in ("new", "old"):
                    with self.subTest(calls=calls, at=at, out=out):
                        faults = {"file": pattern, "calls": calls, "errno": number, "at": at}
                        before = self.snapshot()
                        result = self.tool("encrypt", "-dkey", "a.img", out, status=1, faults=faults)
                        self.assertTrue(result.err.startswith(f"veritytool: {out}: "), result)
                        self.assertIn(os.strerror(number), result.err)
                        self.assertEqual(self.snapshot(), before)

    def test_short_transfers_do_not_matter(self):
        crypted = self.encrypted()
        for file, calls in ((self.path("a.img"), "read"), (self.path(".veritytool-*"), "write")):
            for faults in ({"short": 5000}, {"eintr": 2}):
                self.encrypt("a.img", "b.crypt", faults={"file": file, "calls": calls, **faults})
                self.assertEqual(self.read("b.crypt"), crypted)

    def test_report_cannot_be_printed(self):
        with open("/dev/full", "wb") as full:
            self.refused("a.img", "b.crypt", message="standard output: No space left on device", stdout=full)

    def test_pipe_that_closes(self):
        reader, writer = os.pipe()
        os.close(reader)
        with os.fdopen(writer, "wb") as pipe:
            self.refused("a.img", "-", message="standard output: write: Broken pipe", stdout=pipe)

    def test_out_of_memory(self):
        """Each large allocation fails once, one a run."""
        refused = 0
        for number in range(200):
            faults = {"no_memory": number, "trace": self.path("trace")}
            result = self.finish(self.start("encrypt", "-dkey", "a.img", "b.crypt", faults=faults))
            if not os.path.exists(self.path("trace")):
                break
            os.unlink(self.path("trace"))
            if result.status == 0:  # not all are needed
                os.unlink(self.path("b.crypt"))
                continue
            refused += 1
            self.assertEqual((result.status, result.err), (3, "veritytool: out of memory\n"), result)
            self.only()
        self.assertEqual(result.status, 0, result)
        self.assertGreater(refused, 0)


class Devices(CryptTest):
    def test_from_one_to_another(self):
        crypted = self.encrypted()
        old = self.random_file("device", 4 * MIB)
        source, target = self.attach("a.img", "--read-only"), self.attach("device")
        self.encrypt(source, target)
        self.flush(target)
        self.assertEqual(self.read("device"), crypted + old[len(crypted) :])
        self.assertTrue(stat.S_ISBLK(os.stat(target).st_mode))
        self.refused(target, target, message=f"{target}: cannot be written")

    def test_too_small(self):
        self.sparse_file("device", MIB)
        target = self.attach("device")
        self.refused("a.img", target, message=f"{target}: the device of {MIB} bytes is too small")


class Interrupts(CryptTest):
    def test_file(self):
        self.sparse_file("big.img", 256 * GIB)
        self.write("old", b"old")
        for out in ("new", "old"):
            before = os.listdir(self.directory)
            process = self.start("encrypt", "-dkey", "big.img", out)
            self.wait_until(lambda: len(os.listdir(self.directory)) > len(before), "a temporary file")
            self.interrupt(process)
            self.assertEqual(sorted(os.listdir(self.directory)), sorted(before))
            self.assertEqual(self.read("old"), b"old")

    def test_pipe_that_nobody_reads(self):
        process = self.start("encrypt", "-dkey", "a.img", "-", stdout=subprocess.PIPE)
        self.wait_until(lambda: is_asleep_but_polling(process), "a full pipe")
        self.interrupt(process)
        process.stdout.close()

    def test_pipe_that_nobody_opens(self):
        os.mkfifo(self.path("pipe"))
        process = self.start("encrypt", "-dkey", "a.img", "pipe")
        self.wait_until(lambda: is_asleep(process), "waiting for the pipe")
        self.interrupt(process)
        self.only("pipe")

    def test_key_that_does_not_come(self):
        process = self.start("encrypt", "-d-", "a.img", "b.crypt", stdin=subprocess.PIPE)
        time.sleep(0.3)
        self.interrupt(process, signal.SIGTERM)
        process.stdin.close()
        self.only()


def is_asleep_but_polling(process):
    """Whether it has used hardly any processor time for a while, and some before."""
    def used():
        with open(f"/proc/{process.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    before = used()
    time.sleep(0.3)
    return used() - before <= 1


class Large(CryptTest):
    """Beyond 2^32 bytes. The image is sparse, but not what comes of it, which therefore goes through a pipe."""

    SIZE = 5 * GIB

    def setUp(self):
        super().setUp()
        self.sparse_file("big.img", self.SIZE)
        self.places = [0, 2**31 - 4096, 2**31, 2**32 - 4096, 2**32, 2**32 + 4096, self.SIZE - 4096]
        with open(self.path("big.img"), "r+b") as file:
            for at in self.places:
                file.seek(at + 7)
                file.write(b"\1")
        self.sector = bytes(7) + b"\1" + bytes(4088)

    def test_parts_of_it(self):
        self.write("one", self.sector)
        for at in self.places:
            self.encrypt(f"--offset={at // 512}", "--size=8", f"--iv-offset={at // 512}", "big.img", "part.crypt")
            self.encrypt(f"--iv-offset={at // 512}", "one", "one.crypt")
            self.assertEqual(self.read("part.crypt"), self.read("one.crypt"))
            self.decrypt(f"--iv-offset={at // 512}", "part.crypt", "back")
            self.assertEqual(self.read("back"), self.sector)

    def test_across_4_gib(self):
        start = 2**32 - 16 * MIB
        options = [f"--offset={start // 512}", f"--size={32 * MIB // 512}", f"--iv-offset={start // 512}"]
        self.encrypt(*options, "big.img", "part.crypt")
        part = self.read("part.crypt")
        self.write("one", self.sector)
        for at in (2**32 - 4096, 2**32, 2**32 + 4096):
            self.encrypt(f"--iv-offset={at // 512}", "one", "one.crypt")
            self.assertEqual(part[at - start : at - start + 4096], self.read("one.crypt"))
        self.decrypt(f"--iv-offset={start // 512}", "part.crypt", "back")
        expected = bytearray(32 * MIB)
        for at in (2**32 - 4096, 2**32, 2**32 + 4096):
            expected[at - start + 7] = 1
        self.assertEqual(self.read("back"), expected)

    def test_all_of_it(self):
        if emulated():
            self.skipTest("too slow under an emulator")
        peak = self.path("peak")
        process = self.start("encrypt", "-dkey", "big.img", "-", stdout=subprocess.PIPE,
                             wrapper=[sys.executable, "-S", "-c", MEASURE, peak])
        found, total = {}, 0
        wanted = {*self.places, 4096, 2**32 - 8192, 2**32 + 8192, self.SIZE - 8192}
        while content := process.stdout.read(16 * MIB):
            for at in wanted:
                if total <= at < total + len(content):
                    found[at] = content[at - total : at - total + 4096]
            total += len(content)
        process.stdout.close()
        result = self.finish(process)
        self.assertEqual((result.status, result.err, total), (0, "", self.SIZE))
        self.assertLess(int(self.read("peak")), LIMIT)
        for at in wanted:
            self.write("one", self.sector if at in self.places else bytes(4096))
            self.encrypt(f"--iv-offset={at // 512}", "one", "one.crypt")
            self.assertEqual(found[at], self.read("one.crypt"), at)

    def test_written_beyond_4_gib(self):
        if emulated():
            self.skipTest("too slow under an emulator")
        disk = os.statvfs(self.directory)
        if disk.f_bavail * disk.f_frsize < 8 * GIB:
            self.skipTest("no room for 4 GiB")
        self.encrypt(f"--size={(4 * GIB + 8 * MIB) // 512}", "big.img", "big.crypt")
        self.assertEqual(self.size("big.crypt"), 4 * GIB + 8 * MIB)
        for at in self.places[:-1]:
            self.decrypt(f"--offset={at // 512}", "--size=8", f"--iv-offset={at // 512}", "big.crypt", "one")
            self.assertEqual(self.read("one"), self.sector)


class Tables(CryptTest):
    def table(self, *arguments):
        return self.tool("crypt-table", "--name=x", "--json", *arguments).json()

    def test_defaults(self):
        made = self.table("a.img", "--key-file=key")
        self.assertEqual(made, {
            "table": f"0 4800 crypt {XCHACHA12} :32:logon:veritytool:x 0 a.img 0 1 sector_size:4096",
            "sectors": 4800,
            "keyctl": "keyctl padd logon veritytool:x @u <key",
            "dmsetup": f"dmsetup create x --table '{made['table']}'",
            "cryptsetup": f"cryptsetup open --type plain --cipher {XCHACHA12} --key-size 256 --key-file key "
                          "--sector-size 4096 a.img x",
        })
        text = self.tool("crypt-table", "--name=x", "a.img", "--key-file=key").out
        commands = [line for line in text.splitlines() if not line.startswith("#")]
        self.assertEqual(commands, [made["keyctl"], made["dmsetup"], made["cryptsetup"]])

    def test_everything_else(self):
        self.write("b 'c.img", bytes(8192))
        made = self.table("b 'c.img", f"--cipher={XTS}", "--sector-size=1024", "--skip=6", "--iv-large-sectors",
                          "--offset=4", "--size=8", "--key-description=my:key", "--key-file=k 1")
        self.assertEqual(made["table"],
                         f"0 8 crypt {XTS} :64:logon:my:key 6 b\\ 'c.img 4 2 sector_size:1024 iv_large_sectors")
        self.assertEqual(shlex.split(made["dmsetup"]), ["dmsetup", "create", "x", "--table", made["table"]])
        self.assertEqual(shlex.split(made["cryptsetup"]), [
            "cryptsetup", "open", "--type", "plain", "--cipher", XTS, "--key-size", "512", "--key-file", "k 1",
            "--sector-size", "1024", "--iv-large-sectors", "--skip", "6", "--offset", "4", "--size", "8", "b 'c.img",
            "x",
        ])
        self.assertIn(":32:logon:", self.table("a.img", f"--cipher={XTS}", "--key-size=256")["table"])
        self.assertTrue(self.table("a.img", "--sector-size=512")["table"].endswith(" a.img 0"))

    def test_refused(self):
        for arguments, message in (
            (["a.img"], "--name is missing"), (["--name=a/b", "a.img"], "--name: "), (["--name=", "a.img"], "--name: "),
            (["--name=" + "x" * 128, "a.img"], "--name: "), (["--name=x", "no.img"], "no.img: No such file"),
            (["--name=x", "--key-description=key", "a.img"], "--key-description: "),
            (["--name=x", "--key-size=512", "a.img"], "--key-size: "), (["--name=x", "-"], "standard input: "),
            (["--name=x", "--offset=1", "a.img"], "a.img: 2457088 bytes from byte 512 on"),
            (["--name=x", "--key-file=-", "a.img"], "--key-file: "),
        ):
            with self.subTest(arguments=arguments):
                self.fails("crypt-table", *arguments, message=message)
