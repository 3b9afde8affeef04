# SPDX-License-Identifier: GPL-2.0
# Asks for probes in its own process as dtrace does for the notes of a program: `notes NAMES TIMES`, so many names, each so many
# times. Prints how many probes were made, and how many places were refused for which reason.
import collections, ctypes, fcntl, mmap, os, struct, sys

MAKE, USDT = 3 << 30 | 40 << 16 | ord('d') << 8 | 40, 4
names, times = int(sys.argv[1]), int(sys.argv[2])
device = os.open('/dev/dtrace/dtrace', os.O_RDWR)
# Two pieces of code: the places alternate between them, so each is on another page than the one before.
code = [mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
        for _ in range(2)]
for piece in code:
    piece.write(b'\x90' * len(piece))
text = [ctypes.addressof(ctypes.c_char.from_buffer(piece)) for piece in code]

def probe(n):
    parts = [b'note', b'm', b'f', b'n%d' % (n % names)]
    packed = struct.pack('<QQQIIIIBB4BBB', text[n % 2] + n // 2, 0, 0, 0, 0, 0, 1, USDT, 0, *map(len, parts), 0, 0)
    packed += struct.pack('<I', 0) + b''.join(parts)
    return packed + bytes(-len(packed) % 8)

made, refused = 0, collections.Counter()
all = [probe(n) for n in range(names * times)]
while all:
    room, some = 1 << 20, []
    while all and len(all[-1]) <= room:
        some.append(all.pop())
        room -= len(some[-1])
    packed = ctypes.create_string_buffer(b''.join(some))
    refusals = ctypes.create_string_buffer(16 * len(some))
    arg = bytearray(struct.pack('<QQQIIII', ctypes.addressof(packed), len(packed) - 1, ctypes.addressof(refusals), len(some),
                                os.getpid(), 0, 0))
    fcntl.ioctl(device, MAKE, arg)
    n, _, more = struct.unpack_from('<III', arg, 24)
    made += more
    refused.update(struct.unpack_from('<I', refusals, 16 * i + 8)[0] for i in range(n))
print(made, *(f'{n}:{refused[n]}' for n in sorted(refused)))
