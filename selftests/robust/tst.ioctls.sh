# SPDX-License-Identifier: GPL-2.0
# ASSERTION: unknown ioctls, bad pointers and calls in the wrong phase get an errno and change nothing.
. /src/selftests/lib/sh
python3 - <<'P'
import ctypes
import errno
import os

libc = ctypes.CDLL(None, use_errno=True)

fd = os.open("/dev/dtrace/dtrace", os.O_RDWR)


def iowr(nr, size):
    return 3 << 30 | size << 16 | ord("d") << 8 | nr


def ioctl(request, arg):
    """The errno, 0 for success; arg is an address or the bytes of an argument."""
    if isinstance(arg, bytes):
        buffer = ctypes.create_string_buffer(arg, len(arg) + 16)
        arg = ctypes.addressof(buffer)
    done = libc.ioctl(fd, ctypes.c_ulong(request), ctypes.c_ulong(arg))
    return ctypes.get_errno() if done < 0 else 0


def name(e):
    return errno.errorcode.get(e, "no error" if e == 0 else str(e))


def expect(what, errnos, request, arg):
    e = ioctl(request, arg)
    if e not in errnos:
        raise SystemExit(f"{what}: {name(e)}")


SIZES = {2: 424, 4: 48, 6: 24, 7: 48, 8: 40, 10: 32, 11: 120, 12: 48, 13: 48, 15: 32, 16: 16, 32: 16, 33: 592,
         34: 16, 35: 584, 36: 4, 38: 24, 40: 40, 41: 40, 42: 256, 43: 4, 44: 8, 45: 24, 46: 256}
for nr in range(256):
    for size in (0, 1, 8, 4096, 16383):
        if SIZES.get(nr) != size:
            expect(f"ioctl {nr} size {size}", {errno.ENOTTY}, iowr(nr, size), 0)
for request in (0, 1, 2, 0x5401, 0xffffffff, 0x80000000):
    if ioctl(request, 0) == 0:
        raise SystemExit(f"ioctl {request:#x}: no error")
BAD = [0, 1, 0xfff, 0x7ffffffff000, 0xffff888000000000, 0xffffffff81000000, 0x0d01000000000000, 2**64 - 8]
known = 0
for nr, size in SIZES.items():
    errors = {ioctl(iowr(nr, size), address) for address in BAD}
    if errors == {errno.EFAULT}:
        known += 1
    elif errors != {errno.ENOTTY}:
        raise SystemExit(f"ioctl {nr} at bad addresses: {sorted(map(name, errors))}")
if known != len(SIZES):
    raise SystemExit(f"only {known} of {len(SIZES)} ioctls were known: sizes have changed")

import struct


def enable(address, size):
    return struct.pack("<QQII", address, size, 0, 0)


for address in BAD:
    expect(f"DOF at {address:#x}", {errno.EFAULT}, iowr(6, 24), enable(address, 64))
expect("empty DOF", {errno.EINVAL}, iowr(6, 24), enable(0, 0))
expect("huge DOF", {errno.E2BIG}, iowr(6, 24), enable(0x1000, 2**40))
expect("GO before ENABLE", {errno.EBUSY}, iowr(12, 48), bytes(48))
expect("STOP before GO", {errno.EBUSY}, iowr(13, 48), bytes(48))
expect("LEFTOUT before GO", {errno.EBUSY}, iowr(34, 16), bytes(16))
expect("EXPLAIN without a function", {errno.ENOENT}, iowr(33, 592), bytes(592))

expect("SYMBOL that is not there", {errno.ENOENT}, iowr(35, 584), b"no_such_symbol" + bytes(570))
expect("SYMBOL without an end", {errno.EINVAL}, iowr(35, 584), b"a" * 576 + bytes(8))
expect("SYMBOL without a name", {errno.ENOENT}, iowr(35, 584), bytes(584))

def probes(address, size, cursor=0):
    return bytes(12) + b"*" + bytes(387) + struct.pack("<QIIII", address, size, 0, cursor, 0)


expect("PROBES counted", {0}, iowr(2, 424), probes(0, 0))
expect("PROBES without enough room", {errno.ENOSPC}, iowr(2, 424), probes(0x1000, 8))
expect("PROBES from a cursor behind all", {0}, iowr(2, 424), probes(0, 0, 2**32 - 1))
for address in BAD[1:]:
    expect(f"PROBES to {address:#x}", {errno.EFAULT}, iowr(2, 424), probes(address, 4096))
expect("STATUS before GO", {errno.EBUSY}, iowr(11, 120), bytes(120))
for cpu in (0, 2**32 - 1):
    expect("BUFSNAP before GO", {errno.EBUSY}, iowr(4, 48), struct.pack("<QQIIQQQ", 0, 2**40, cpu, 0, 0, 0, 0))
follow = struct.pack("<I", os.getpid())
expect("FOLLOW before WAKE", {errno.EBUSY}, iowr(43, 4), follow)
expect("SEEN before WAKE", {errno.EBUSY}, iowr(44, 8), bytes(8))
expect("WAKE by no file", {errno.EBADF}, iowr(36, 4), struct.pack("<i", -1))
expect("WAKE by another file", {errno.EINVAL}, iowr(36, 4), struct.pack("<i", fd))
for _ in range(3):
    bell = os.eventfd(0)
    expect("WAKE", {0}, iowr(36, 4), struct.pack("<i", bell))
    os.close(bell)
for pid in (2, 2**31 - 1, 2**32 - 1):
    expect(f"FOLLOW {pid}", {errno.ESRCH}, iowr(43, 4), struct.pack("<I", pid))
for _ in range(3):
    expect("FOLLOW", {0}, iowr(43, 4), follow)
expect("FOLLOW of everyone", {0}, iowr(43, 4), bytes(4))
for device in range(3):
    expect("IGNORE", {0}, iowr(45, 24), bytes(16) + struct.pack("<Q", device))
expect("BEGUN", {0}, iowr(46, 256), bytes(256))
for mapped in (0, 1, 2**31, 2**32 - 1):
    expect(f"SEEN {mapped}", {0}, iowr(44, 8), struct.pack("<II", mapped, 0))
# It does not wait for itself.
import mmap
with open("/bin/sh", "rb") as file:
    mmap.mmap(file.fileno(), 4096, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC).close()


def rows(inode, address, size):
    """How frames of a file are left: by 8 bytes for each piece of it."""
    return struct.pack("<QQIIQQ", inode, 1, 2, 0, address, size)


def row(*starts):
    text = b"".join(struct.pack("<IhbB", start, 8, 0, 1) for start in starts)
    return ctypes.create_string_buffer(text, len(text))


def give(what, errnos, inode, text):
    expect(f"OBJECT {what}", errnos, iowr(41, 40), rows(inode, ctypes.addressof(text), len(text)))


for address in BAD:
    expect(f"OBJECT at {address:#x}", {errno.EFAULT}, iowr(41, 40), rows(1, address, 64))
give("of half a row", {errno.EINVAL}, 1, ctypes.create_string_buffer(12))
give("that descends", {errno.EINVAL}, 1, row(8, 4))
give("that stays", {errno.EINVAL}, 1, row(8, 8))
expect("huge OBJECT", {errno.E2BIG}, iowr(41, 40), rows(1, 0x1000, 2**40))
expect("empty OBJECT", {0}, iowr(41, 40), rows(1, 0, 0))
give("instead of another", {0}, 1, row(0, 4, 8))
for inode in range(2, 20000):
    if ioctl(iowr(41, 40), rows(inode, 0, 0)) == errno.E2BIG:
        break
else:
    raise SystemExit("OBJECT: there is no limit to files")
give("of a file without a place", {errno.E2BIG}, 10000, row(0))
key = struct.pack("<QQII", 1, 1, 2, 0)
expect("FORGET", {0}, iowr(47, 24), key)
expect("FORGET again", {errno.ENOENT}, iowr(47, 24), key)
give("where there was another", {0}, 1, row(0, 4, 8))
expect("FORGET at the end", {0}, iowr(47, 24), key)
expect("STRANGERS", {0}, iowr(42, 256), bytes(256))
os.close(fd)
print("ok")
P
