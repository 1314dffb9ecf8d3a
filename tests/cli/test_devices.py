"""Block devices, and disks that are full. Both need a machine that lets us make them."""

import contextlib
import os
import shutil
import subprocess

import reference
from harness import MIB, CliTest
from reference import Parameters


class LoopDevices(CliTest):
    def setUp(self):
        super().setUp()
        self.p = Parameters("sha256", 1, 4096, 4096, b"salt")
        self.data = self.random_file("a.img", 300 * 4096)
        self.tree = reference.build(self.data, self.p)
        self.root = self.tree.root.hex()
        self.format = ["format", *self.p.format_options]

    def test_data_on_a_device(self):
        device = self.attach("a.img", "--read-only")
        result = self.tool(*self.format, device, "a.hash")
        self.assertEqual(result.root, self.root)
        self.assertEqual(self.read("a.hash"), self.tree.hash_file)
        self.tool("verify", device, "a.hash", self.root)
        self.tool("verify", "a.img", "a.hash", self.root)

    def test_tree_on_a_device(self):
        """Written where it belongs; what lies behind it stays, and so does the device."""
        old = self.random_file("device", MIB)
        device = self.attach("device")
        result = self.tool(*self.format, "a.img", device)
        self.assertEqual(result.root, self.root)
        self.flush(device)
        self.assertEqual(self.read("device"), self.tree.hash_file + old[len(self.tree.hash_file) :])
        self.tool("verify", "a.img", device, self.root)
        self.assertIn(f"VERITY header information for {device}\n", self.tool("dump", device).out)

    def test_both_on_one_device(self):
        self.write("device", self.data + bytes(MIB))
        device = self.attach("device")
        p = self.p.but(hash_offset=len(self.data))
        result = self.tool("format", *p.format_options, "--data-blocks=300", device, device)
        self.assertEqual(result.root, self.root)
        self.flush(device)
        self.assertEqual(self.read("device")[: len(self.data)], self.data)
        self.tool("verify", f"--hash-offset={len(self.data)}", device, device, self.root)

    def test_overlap_on_one_device(self):
        device = self.attach("a.img")
        os.symlink(device, self.path("link"))
        for name in (device, "link"):
            self.fails("format", device, name, message=f"{name}: the hash area", names=["overlaps"])

    def test_device_too_small(self):
        self.sparse_file("device", 8192)
        device = self.attach("device")
        self.fails(*self.format, "a.img", device, message=f"{device}: ", names=[8192, len(self.tree.hash_file)])

    def test_device_of_a_broken_size(self):
        self.write("b.img", bytes(5 * 512))
        device = self.attach("b.img")
        self.fails("format", device, "a.hash", message=f"{device}: 2560 bytes is less than one block of 4096 bytes")

    def test_read_only_device(self):
        self.random_file("device", MIB)
        device = self.attach("device", "--read-only")
        self.fails(*self.format, "a.img", device, message=f"{device}: ")

    def test_failure_leaves_no_superblock_on_the_device(self):
        self.write("device", self.tree.hash_file.ljust(MIB, b"\x11"))
        device = self.attach("device")
        with open("/dev/full", "wb") as full:
            self.fails(*self.format, "a.img", device, message="standard output: ", stdout=full, unchanged=False)
        self.flush(device)
        self.assertEqual(self.size("device"), MIB)
        self.assertTrue(os.path.exists(device))
        self.fails("dump", device, status=4, message=f"{device}: no verity superblock")

    def test_one_block_without_superblock(self):
        """There is nothing to write."""
        old = self.random_file("device", MIB)
        device = self.attach("device")
        self.tool("format", "--no-superblock", "--data-blocks=1", "a.img", device)
        self.flush(device)
        self.assertEqual(self.read("device"), old)

    def test_repair_to_a_device(self):
        """A device is written directly: not before all is known to be repairable."""
        old = self.random_file("device", 2 * MIB)
        device = self.attach("device")
        fec = ["--fec-device=a.fec", "--fec-roots=2"]
        self.tool(*self.format, *fec, "a.img", "a.hash")
        repair = ["repair", *fec, f"--output={device}", "a.img", "a.hash", self.root]
        bad = bytearray(self.data)
        bad[:4096] = bytes(4096)
        self.write("a.img", bad)
        self.tool(*repair)
        self.flush(device)
        self.assertEqual(self.read("device"), self.data + old[len(self.data) :])
        self.write("a.img", bytes(len(self.data)))
        self.assertIn("cannot be repaired, nothing was written", self.tool(*repair, status=2).err)
        self.flush(device)
        self.assertEqual(self.read("device"), self.data + old[len(self.data) :])

    def test_repair_of_one_device_in_place(self):
        self.write("device", self.data + bytes(MIB))
        device = self.attach("device")
        p = self.p.but(hash_offset=len(self.data))
        fec = [f"--fec-device={device}", f"--fec-offset={p.tree_end(300)}"]
        root = self.tool("format", *p.format_options, "--data-blocks=300", *fec, device, device).root
        self.flush(device)
        good = self.read("device")
        with open(device, "r+b") as file:
            file.write(bytes(4096))
            file.seek(len(self.data) + 4096)
            file.write(bytes(4096))
        self.flush(device)
        self.tool("repair", "--in-place", f"--hash-offset={len(self.data)}", *fec, device, device, root)
        self.flush(device)
        self.assertEqual(self.read("device"), good)


class FullDisk(CliTest):
    @contextlib.contextmanager
    def disk(self, size):
        """A directory "small" with so many bytes of room."""
        os.makedirs(self.path("small"), exist_ok=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.path("small")]
        if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode != 0:
            self.skipTest("a small file system cannot be mounted here (that needs root)")
        try:
            yield
        finally:
            subprocess.run(["umount", self.path("small")], check=True)

    def setUp(self):
        super().setUp()
        self.p = Parameters("sha256", 1, 512, 4096)
        self.data = self.random_file("a.img", 5000 * 512)
        self.tree = reference.build(self.data, self.p)
        self.format = ["format", *self.p.format_options]

    def test_new_file(self):
        for room in (4096, 65536, len(self.tree.hash_file) - 4096):
            with self.subTest(room=room), self.disk(room):
                self.fails(
                    *self.format, "a.img", "small/a.hash", message="small/a.hash: ", names=["No space left on device"]
                )

    def test_existing_file(self):
        with self.disk(65536):
            old = self.tree.hash_file[:20_000]
            self.write("small/a.hash", old)
            self.fails(
                *self.format,
                "a.img",
                "small/a.hash",
                message="small/a.hash: ",
                names=["No space left on device"],
                unchanged=False,
            )
            self.assertEqual(self.size("small/a.hash"), len(old))
            self.fails("dump", "small/a.hash", status=4, message="small/a.hash: no verity superblock")

    def test_tree_in_the_data(self):
        data = self.data[: 100 * 4096]
        with self.disk(len(data) + 8192):
            self.write("small/a.img", data)
            self.fails(
                *self.format,
                f"--hash-offset={len(data)}",
                "small/a.img",
                "small/a.img",
                message="small/a.img: ",
                names=["No space left on device"],
            )

    def test_root_hash_file(self):
        with self.disk(len(self.tree.hash_file)):
            self.fails(
                *self.format,
                "--root-hash-file=small/a.root",
                "a.img",
                "small/a.hash",
                message="small/a.root: ",
                names=["No space left on device"],
            )

    def test_just_enough_room(self):
        with self.disk(len(self.tree.hash_file)):
            self.tool(*self.format, "a.img", "small/a.hash")
            self.assertEqual(self.read("small/a.hash"), self.tree.hash_file)
