# SPDX-License-Identifier: GPL-2.0
"""linger.py FILE: when its input has a line, maps that file over a socket that lingers. The thread is then kept behind
its system call, before it returns to the program: its memory map let go of the socket, which nobody reads."""
import ctypes, os, socket, struct, sys

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
PAGE = 4096

def map_at(at, protection, flags, file):
    at = libc.mmap(ctypes.c_void_p(at), ctypes.c_size_t(PAGE), protection, flags, file, ctypes.c_long(0))
    if at == 2**64 - 1:
        sys.exit(f'mmap: {os.strerror(ctypes.get_errno())}')
    return at

def full():
    """A connection with more to send than the other end takes."""
    here = socket.create_server(('127.0.0.1', 0))
    there = socket.create_connection(here.getsockname())
    there.setblocking(False)
    try:
        while True:
            there.send(bytes(PAGE))
    except BlockingIOError:
        pass
    there.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 3600))
    return here.accept(), there

reader, sender = full()
# PROT_READ, MAP_SHARED
at = map_at(None, 1, 1, sender.fileno())
sender.close()
file = os.open(sys.argv[1], os.O_RDONLY)
print('ready', flush=True)
sys.stdin.readline()
# PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED
map_at(at, 5, 0x12, file)
print('back', flush=True)
