# SPDX-License-Identifier: GPL-2.0
"""Memory that keeps whoever touches it waiting.

    wedge.py serve FOLDER       a file system there, as a FUSE daemon: FOLDER/file has three pages, of which the
                                first one is given, and nothing else is ever answered
    wedge.py hold FILE PLACE    tells of probes in that file's memory (or in memory of its own: -), which begin PLACE
                                bytes into it; then does what the lines of its input say:
        unmap       unmaps its slots
        lend        maps a shared file in their place, and tells at the end how many bytes were written to it
        watch       has a userfaultfd, which nobody reads, told of its slots' end
        remove      removes its probes
"""
import ctypes, os, struct, sys

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
PAGE = 4096
# `xor %eax,%eax`, and a nop of three bytes.
CODE = (b'\x31\xc0\x0f\x1f\x00' * PAGE)[:PAGE]

def say(*words):
    print(*words, flush=True)

def serve(folder):
    fuse = os.open('/dev/fuse', os.O_RDWR)
    # The options of mount(2): whose file system it is, and that others may go there.
    options = b'fd=%d,rootmode=40000,user_id=65534,group_id=65534,allow_other' % fuse
    if libc.mount(b'wedge', folder.encode(), b'fuse', ctypes.c_ulong(6), options):
        sys.exit(f'mount: {os.strerror(ctypes.get_errno())}')
    attr = lambda node: struct.pack('<6Q10I', node, 3 * PAGE, 24, *[0] * 6, *((0o40755, 2) if node == 1 else (0o100777, 1)),
                                    65534, 65534, 0, PAGE, 0)
    empty = lambda node, body: b''
    def init(node, body):
        # ASYNC_READ, as libfuse has it: without it, a request that the daemon has read cannot even be killed.
        return struct.pack('<4I2H2I2HI28x', 7, 31, PAGE, 1, 16, 12, PAGE, 1, 0, 0, 0)
    def lookup(node, body):
        return struct.pack('<4Q2I', 2, 1, 3600, 3600, 0, 0) + attr(2) if body == b'file\0' else -2
    def read(node, body):
        return CODE if struct.unpack_from('<QQ', body)[1] == 0 else None
    answers = {1: lookup, 3: lambda node, body: struct.pack('<Q2I', 3600, 0, 0) + attr(node), 14: lambda *_: struct.pack('<Q2I', 1, 2, 0),
               27: lambda *_: bytes(16), 15: read, 18: empty, 25: empty, 26: init, 29: empty}
    while True:
        request = os.read(fuse, 1 << 17)
        _, operation, unique, node = struct.unpack_from('<IIQQ', request)
        if operation in (2, 16, 36, 42):    # FORGET, WRITE, INTERRUPT
            continue
        answer = answers.get(operation, lambda *_: -38)(node, request[40:])
        if answer is None:
            say('left waiting')
        elif isinstance(answer, int):
            os.write(fuse, struct.pack('<IiQ', 16, answer, unique))
        else:
            os.write(fuse, struct.pack('<IiQ', 16 + len(answer), 0, unique) + answer)

def map_file(path, pages):
    if path == '-':
        at = libc.mmap(None, ctypes.c_size_t(pages * PAGE), 7, 0x22, -1, ctypes.c_long(0))
        ctypes.memmove(at, CODE, PAGE)
        return at
    file = os.open(path, os.O_RDONLY)
    at = libc.mmap(None, ctypes.c_size_t(pages * PAGE), 5, 2, file, ctypes.c_long(0))
    if at == 2**64 - 1:
        sys.exit(f'mmap: {os.strerror(ctypes.get_errno())}')
    return at

def add(text):
    """Probes of the program's own DOF, one after the other from there on."""
    dof = bytearray(open('dof', 'rb').read())
    count, at = struct.unpack_from('<IQ', dof, 28)
    room = ctypes.create_string_buffer(len(dof))
    where = ctypes.addressof(room)
    place = 0
    for n in range(count):
        kind, _, _, _, offset, size = struct.unpack_from('<IIIIQQ', dof, at + 32 * n)
        if kind in (18, 26):    # PROFFS, PRENOFFS
            dof[offset:offset + size] = bytes(size)
        for entry in range(offset, offset + size, 48) if kind == 16 else ():
            struct.pack_into('<Q', dof, entry, (text + place - where - entry) % 2**64)
            place += 5
    ctypes.memmove(room, bytes(dof), len(dof))
    helper = os.open('/dev/dtrace/helper', os.O_RDWR)
    arg = ctypes.create_string_buffer(b'mine'.ljust(64, b'\0') + struct.pack('<QQ', 0, where), 80)
    number = libc.ioctl(helper, ctypes.c_ulong(1 << 30 | 80 << 16 | ord('h') << 8 | 3), arg)
    os.close(helper)
    if number < 0:
        sys.exit(f'ADD: {os.strerror(ctypes.get_errno())}')
    return number

def remove(number):
    helper = os.open('/dev/dtrace/helper', os.O_RDWR)
    if libc.ioctl(helper, ctypes.c_ulong(ord('h') << 8 | 2), ctypes.c_ulong(number)):
        sys.exit(f'REMOVE: {os.strerror(ctypes.get_errno())}')
    os.close(helper)

def slots(before):
    """Memory of no file that can be run and was not there before: (address, size)."""
    for line in open('/proc/self/maps'):
        words = line.split()
        if words[1] == 'r-xp' and words[4] == '0' and len(words) == 5 and line not in before:
            start, end = (int(w, 16) for w in words[0].split('-'))
            return start, end - start
    sys.exit('no slots')

def watch(before):
    start, size = slots(before)
    USERFAULTFD, USER_MODE_ONLY = 323, 1
    fd = libc.syscall(USERFAULTFD, USER_MODE_ONLY | os.O_CLOEXEC)
    EVENT_UNMAP, MISSING = 1 << 6, 1
    api = ctypes.create_string_buffer(struct.pack('<3Q', 0xaa, EVENT_UNMAP, 0), 24)
    register = ctypes.create_string_buffer(struct.pack('<4Q', start, size, MISSING, 0), 32)
    if fd < 0 or libc.ioctl(fd, ctypes.c_ulong(0xc018aa3f), api) or libc.ioctl(fd, ctypes.c_ulong(0xc020aa00), register):
        sys.exit(f'userfaultfd: {os.strerror(ctypes.get_errno())}')

def hold(path, place):
    text = map_file(path, 3)
    before = list(open('/proc/self/maps'))
    if path != '-':
        # The first page is there.
        ctypes.string_at(text, 1)
    say('maps', os.getpid())
    number, lent = add(text + int(place, 0)), None
    say('ready')
    for line in sys.stdin:
        what = line.strip()
        if what == 'unmap':
            libc.munmap(*(ctypes.c_size_t(n) for n in slots(before)))
        elif what == 'lend':
            start, size = slots(before)
            lent = os.memfd_create('lent')
            os.ftruncate(lent, size)
            # PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED | MAP_FIXED
            libc.mmap(ctypes.c_void_p(start), ctypes.c_size_t(size), 7, 17, lent, ctypes.c_long(0))
        elif what == 'remove':
            remove(number)
        else:
            assert what == 'watch', what
            watch(before)
        say('done', what)
    if lent is not None:
        data = os.pread(lent, 1 << 24, 0)
        say('written', len(data) - data.count(0))

{'serve': serve, 'hold': hold}[sys.argv[1]](*sys.argv[2:])
