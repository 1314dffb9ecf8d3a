"""A virtual machine under qemu-system's software emulation: what goes in, one boot, what came out."""

import os
import pathlib
import platform
import re
import shutil
import stat
import subprocess
import time

HERE = pathlib.Path(__file__).resolve().parent
SECTOR = 512
BOOT_SECONDS = 900  # a boot with all cases takes a tenth of it; less than what tests/run.sh allows a suite
MAPPED_AT_ONCE = 24  # devices

# How qemu is started, the console's name, the compiler for the guest's own program. On Cortex-A5 and A7 the kernel
# takes XChaCha without NEON, which it finds faster there: what it does with NEON needs another processor.
ARCHITECTURES = {
    "amd64": (["qemu-system-x86_64", "-M", "q35", "-cpu", "max"], "ttyS0", "x86_64-linux-gnu-gcc"),
    "armhf": (
        ["qemu-system-arm", "-M", "virt,highmem=off", "-cpu", "cortex-a15"],
        "ttyAMA0",
        "arm-linux-gnueabihf-gcc",
    ),
    "arm64": (["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a53"], "ttyAMA0", "aarch64-linux-gnu-gcc"),
}


class MachineError(Exception):
    """The machine could not be made, or did not do what it was told."""


class Disk:
    """Many small images behind one another in one sparse file."""

    ALIGNMENT = 1024 * 1024  # no slice shares a page, or a hash block, with another

    def __init__(self, path):
        self.path = path
        self.end = 0
        self.names = {}
        with open(path, "wb"):
            pass

    def reserve(self, name, size):
        """Room for `size` bytes; returns the offset."""
        assert name not in self.names, name
        assert size % SECTOR == 0, f"{name}: {size} bytes are no whole sectors"
        offset = self.end
        self.names[name] = offset, size
        self.end += -(-size // self.ALIGNMENT) * self.ALIGNMENT
        os.truncate(self.path, self.end)
        return offset

    def add(self, name, path):
        """The content of a file; holes stay holes."""
        with open(path, "rb") as source, open(self.path, "r+b") as target:
            size = os.fstat(source.fileno()).st_size
            offset = self.reserve(name, -(-size // SECTOR) * SECTOR)
            at = 0
            while at < size:
                try:
                    at = os.lseek(source.fileno(), at, os.SEEK_DATA)
                except OSError:  # nothing but holes behind here
                    break
                end = os.lseek(source.fileno(), at, os.SEEK_HOLE)
                os.pwrite(target.fileno(), os.pread(source.fileno(), end - at, at), offset + at)
                at = end

    def read(self, name):
        offset, size = self.names[name]
        with open(self.path, "rb") as file:
            return os.pread(file.fileno(), size, offset)


def make_initramfs(path, base, files, links):
    """The distribution's part, and behind it an archive of our own: the kernel unpacks both."""
    number = 0

    def entry(file, name, mode, content):
        nonlocal number
        number += 1
        encoded = name.encode() + b"\0"
        fields = [number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(encoded), 0]
        header = b"070701" + b"".join(b"%08X" % field for field in fields) + encoded
        for part in (header, content):
            file.write(part + bytes(-len(part) % 4))

    shutil.copyfile(base, path)
    with open(path, "ab") as file:
        file.write(bytes(-file.tell() % 512))
        entry(file, "images", stat.S_IFDIR | 0o755, b"")
        for name, (mode, content) in files.items():
            entry(file, name, stat.S_IFREG | mode, content)
        for name, target in links.items():
            entry(file, name, stat.S_IFLNK | 0o777, target.encode())
        entry(file, "TRAILER!!!", 0, b"")


class Machine:
    def __init__(self, architecture, scratch):
        self.architecture = architecture
        self.scratch = scratch
        self.qemu, self.console, self.compiler = ARCHITECTURES[architecture]
        if {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine()) == architecture:
            self.compiler = "cc"
        self.images = Disk(os.path.join(scratch, "images.disk"))  # /dev/vda, read-only there
        self.captured = Disk(os.path.join(scratch, "captured.disk"))  # /dev/vdb
        self.files = {}  # name in the guest: (mode, content)
        self.maps = []  # (device, table, words for capture)

    def make(self):
        """Makes what is kept between runs, and the guest's own program."""
        made = subprocess.run([HERE / "make-vm.sh", self.architecture], stdout=subprocess.PIPE, text=True)
        if made.returncode != 0:
            raise MachineError(f"make-vm.sh ended with status {made.returncode}")
        self.folder = made.stdout.strip()
        program = os.path.join(self.scratch, "capture")
        options = ["-std=c11", "-O2", "-D_FILE_OFFSET_BITS=64", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
        subprocess.run([self.compiler, *options, "-static", "-o", program, HERE / "guest" / "capture.c"], check=True)
        for name, path in (("sbin/capture", program), ("init", HERE / "guest" / "init")):
            self.files[name] = 0o755, pathlib.Path(path).read_bytes()

    def slices(self):
        """The shell commands that make a device of each image."""
        lines = []
        for device, disk, mode in (("/dev/vda", self.images, "ro"), ("/dev/vdb", self.captured, "rw")):
            for name, (offset, size) in disk.names.items():
                if size:
                    table = f"0 {size // SECTOR} linear {device} {offset // SECTOR}"
                    lines.append(f"{name},,,{mode},{table}")
        self.files["slices"] = 0o644, ";".join(lines).encode()
        return "dmsetup create --concise </slices || echo 'no slices'\n"

    def map(self, device, table, capture_words):
        """Has the guest open a table as a device of this name, run `capture` on it, and close it."""
        self.maps.append((device, table, capture_words))

    def mapping(self):
        """The shell commands for all of map(), many devices for each program started."""
        script = ""
        for i in range(0, len(self.maps), MAPPED_AT_ONCE):
            some = self.maps[i : i + MAPPED_AT_ONCE]
            devices = " ".join(device for device, _, _ in some)
            concise = ";".join(f"{device},,,ro,{table}" for device, table, _ in some)
            self.files[f"tables{i}"] = 0o644, concise.encode()
            # One after the other if they fail together: one bad table must not take others with it.
            script += f"dmsetup create --concise </tables{i} || {{\n"
            for device, table, _ in some:
                script += f"[ -e /dev/mapper/{device} ] || dmsetup create --readonly {device} --table '{table}'\n"
            script += f"}}\ncapture /dev/vdb {' '.join(words for _, _, words in some)}\n"
            script += f"dmsetup remove --retry {devices}\n"
        return "echo '== mapping'\n" + script

    def boot(self, script):
        """Boots, runs the script, and returns what each of its parts printed: a line "== NAME" begins a part."""
        self.files["suite.sh"] = 0o644, (self.slices() + self.mapping() + script).encode()
        names = [*self.images.names, *self.captured.names]
        initramfs = os.path.join(self.scratch, "initramfs")
        links = {f"images/{name}": f"/dev/mapper/{name}" for name in names}
        make_initramfs(initramfs, os.path.join(self.folder, "initramfs"), self.files, links)
        paths = {name: os.path.join(self.scratch, name) for name in ("console", "results")}
        drives = []
        for disk, options in ((self.images, ",readonly=on"), (self.captured, "")):
            identity = "d" + str(len(drives))
            drives += ["-drive", f"file={disk.path},format=raw,if=none,cache=unsafe,id={identity}{options}"]
            drives += ["-device", f"virtio-blk-pci,drive={identity}"]
        command = [
            *self.qemu, "-accel", "tcg", "-m", "1024", "-display", "none", "-nodefaults", "-no-reboot",
            "-kernel", os.path.join(self.folder, "vmlinuz"), "-initrd", initramfs,
            "-append", f"console={self.console} loglevel=4 panic=-1 rdinit=/init",
            "-serial", "file:" + paths["console"], "-device", "virtio-serial-pci",
            "-chardev", f"file,id=results,path={paths['results']}",
            "-device", "virtserialport,chardev=results,name=results",
            "-device", "virtio-rng-pci", *drives,
        ]  # fmt: skip
        started = time.monotonic()
        with open(os.path.join(self.scratch, "qemu"), "w+") as log:
            try:
                status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, timeout=BOOT_SECONDS)
                ended = f"qemu ended with status {status.returncode}"
            except subprocess.TimeoutExpired:
                ended = f"stopped after {BOOT_SECONDS} s"
            except FileNotFoundError:
                raise MachineError(f"{self.qemu[0]} is not installed (tests/install-packages.sh tests)") from None
            log.seek(0)
            words = log.read()
        self.seconds = time.monotonic() - started
        console, results = (
            pathlib.Path(path).read_text(errors="replace") if os.path.exists(path) else "" for path in paths.values()
        )
        parts = dict(
            (part.split("\n", 1) + [""])[:2] for part in re.split(r"^== ", results, flags=re.MULTILINE)[1:]
        )
        if "end" not in parts:
            tail = "\n".join([*results.splitlines()[-30:], "--- console", *console.splitlines()[-60:]])
            raise MachineError(f"the guest did not finish: {ended}\n{words}\n{tail}")
        talk = console + parts["dmesg"]
        bad = re.findall(r"^.*(?:Oops|BUG:|WARNING:|Call trace|Call Trace|general protection).*$", talk, re.MULTILINE)
        if bad:
            raise MachineError("the kernel complained:\n" + "\n".join(bad) + "\n" + "\n".join(talk.splitlines()[-80:]))
        return parts
