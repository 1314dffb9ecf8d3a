"""dm-crypt: what we encrypt the kernel decrypts, and the other way round, by the commands that crypt-table prints."""

from bench import add_case, check_equal

XCHACHA12, XCHACHA20, XTS = "xchacha12,aes-adiantum-plain64", "xchacha20,aes-adiantum-plain64", "aes-xts-plain64"
SECTORS = 512  # of 512 bytes


def commands_for(bench, name, key, options, device, key_bits):
    """What crypt-table prints to open a device of the guest as /dev/mapper/NAME."""
    words = [f"--name={name}", f"--key-file={key}", f"--key-size={key_bits}", *options]
    return bench.tool_json("crypt-table", *words, device)


def both_ways(bench, cipher, key_bits, sector_size, options, part=()):
    plain = bench.random.randbytes(SECTORS * 512)
    source = bench.write(".plain", plain)
    key = bench.write(".key", bench.random.randbytes(key_bits // 8))
    bench.guest_file(key)
    options = [f"--cipher={cipher}", f"--sector-size={sector_size}", *options]
    crypt = bench.prefix + ".crypt"
    bench.tool("encrypt", f"--key-file={key}", *options, source, crypt)
    encrypted = bench.read(crypt)
    if part:
        # What was encrypted becomes a part of a larger device.
        before, behind = part
        bench.write(".crypt", bytes(before * 512) + encrypted + bytes(behind * 512))
    where = [f"--offset={part[0]}", f"--size={SECTORS}"] if part else []
    bench.image(source, crypt)

    # A place that the kernel writes to, of the same size and empty; crypt-table asks the file here for its size only.
    written = bench.write(".written", bytes(len(bench.read(crypt))))
    bench.machine.captured.reserve(written, len(bench.read(crypt)))

    names = [f"{bench.prefix}.{way}" for way in ("dmsetup", "cryptsetup", "writing")]
    by = [
        commands_for(bench, name, key, [*options, *where], device, key_bits)
        for name, device in zip(names, (crypt, crypt, written))
    ]
    # cryptsetup wants the device for itself.
    output = yield (
        f"{by[0]['keyctl']} >/dev/null && {by[0]['dmsetup']}\n"
        f"{bench.capture(names[0], 4096, len(plain))}dmsetup remove --retry {names[0]}\n"
        f"{by[1]['cryptsetup']}\n"
        f"{by[2]['keyctl']} >/dev/null && {by[2]['dmsetup']}\n"
        f"dd if=/dev/mapper/{source} of=/dev/mapper/{names[2]} bs=64k conv=fsync 2>/dev/null || echo 'dd failed'\n"
        f"{bench.capture(names[1], 4096, len(plain))}dmsetup remove --retry {names[1]} {names[2]}\n"
    )
    bench.check_captures(output, (plain, set()), (plain, set()))
    check_equal("dd failed" in output, False, output)
    kernels = bench.machine.captured.read(written)
    check_equal(kernels, bench.read(crypt), "what the kernel encrypted")
    bench.write(".written", kernels)
    back = bench.prefix + ".back"
    bench.tool("decrypt", f"--key-file={key}", *options, *where, written, back)
    check_equal(bench.read(back), plain, "what the kernel encrypted, decrypted")


for cipher, key_bits in ((XCHACHA12, 256), (XCHACHA20, 256), (XTS, 512)):
    for sector_size, options in (
        (512, []),
        (4096, []),
        (4096, ["--iv-large-sectors"]),
        (4096, ["--iv-offset=8"]),
    ):
        name = " ".join([f"crypt {cipher}, key of {key_bits} bits, sectors of {sector_size}", *options])
        add_case(name, both_ways, cipher, key_bits, sector_size, options)
for cipher, key_bits, sector_size, options in (
    (XCHACHA12, 256, 512, ["--iv-offset=4294967290"]),  # the number grows past 32 bits
    (XCHACHA12, 256, 1024, ["--iv-offset=6"]),
    (XTS, 256, 512, []),
    (XTS, 256, 4096, ["--iv-offset=8"]),
    (XTS, 512, 2048, ["--iv-offset=4", "--iv-large-sectors"]),
):
    name = " ".join([f"crypt {cipher}, key of {key_bits} bits, sectors of {sector_size}", *options])
    add_case(name, both_ways, cipher, key_bits, sector_size, options)
add_case("crypt, a part of a device", both_ways, XCHACHA12, 256, 4096, ["--iv-offset=16"], (24, 40))


def opens_wrong(bench, key_bits, change_key, options):
    """Another key, or another number of the first sector, gives other bytes in every sector: this suite can fail."""
    plain = bench.random.randbytes(SECTORS * 512)
    source, crypt = bench.write(".plain", plain), bench.prefix + ".crypt"
    key = bench.write(".key", bench.random.randbytes(key_bits // 8))
    bench.tool("encrypt", f"--key-file={key}", source, crypt)
    bench.image(crypt)
    if change_key:
        bench.write(".key", bench.random.randbytes(key_bits // 8))
    bench.guest_file(key)
    name = bench.prefix + ".wrong"
    printed = commands_for(bench, name, key, options, crypt, key_bits)
    output = yield (
        f"{printed['cryptsetup']}\n{bench.capture(name, 4096, len(plain))}cryptsetup close {name}\n"
    )
    found = bench.machine.captured.read(bench.captures[0][1])
    bench.check_captures(output, (found, set()))
    same = sum(found[i : i + 4096] == plain[i : i + 4096] for i in range(0, len(plain), 4096))
    check_equal(same, 0, "sectors that a wrong opening decrypted")


add_case("crypt, a wrong key", opens_wrong, 256, True, [])
add_case("crypt, a wrong IV", opens_wrong, 256, False, ["--iv-offset=8"])
