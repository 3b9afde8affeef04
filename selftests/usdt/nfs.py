# SPDX-License-Identifier: GPL-2.0
"""nfs.py FOLDER: an NFS server (version 3, RFC 1813) that is mounted there: FOLDER/file has three pages, of which the first
one is given, and the others are never answered."""
import ctypes, os, socket, struct, sys, threading

PAGE = 4096
# As wedge.py has it.
CODE = (b'\x31\xc0\x0f\x1f\x00' * PAGE)[:PAGE]
FOLDER, FILE = 1, 2
OK, NO_ENTRY = 0, 2

def mount(folder, port):
    libc = ctypes.CDLL(None, use_errno=True)
    options = (f'vers=3,proto=tcp,mountproto=tcp,nolock,noacl,rsize={PAGE},addr=127.0.0.1,mountaddr=127.0.0.1,'
               f'port={port},mountport={port}')
    if libc.mount(b'127.0.0.1:/', folder.encode(), b'nfs', ctypes.c_ulong(6), options.encode()):
        sys.exit(f'mount: {os.strerror(ctypes.get_errno())}')

words = lambda *numbers: struct.pack(f'>{len(numbers)}I', *numbers)
opaque = lambda data: words(len(data)) + data + bytes(-len(data) % 4)
handle = lambda node: opaque(words(node))

def attributes(node):
    kind, mode = (2, 0o755) if node == FOLDER else (1, 0o777)
    return words(kind, mode, 1, 65534, 65534) + struct.pack('>QQIIQQ6I', 3 * PAGE, 3 * PAGE, 0, 0, 7, node, *[1] * 6)

there = lambda node: words(1) + attributes(node)

def lookup(node, body):
    if body[4:8] != b'file':
        return words(NO_ENTRY) + there(node)
    return words(OK) + handle(FILE) + there(FILE) + there(node)

def read(node, body):
    if struct.unpack_from('>Q', body)[0]:
        print('left waiting', flush=True)
        return None
    return words(OK) + there(node) + words(PAGE, 0) + opaque(CODE)

NFS, MOUNT = 100003, 100005
ANSWERS = {
    (NFS, 1): lambda node, body: words(OK) + attributes(node),
    (NFS, 3): lookup,
    (NFS, 4): lambda node, body: words(OK) + there(node) + body[:4],
    (NFS, 6): read,
    (NFS, 18): lambda node, body: words(OK) + there(node) + bytes(52),
    (NFS, 19): lambda node, body: words(OK) + there(node) + words(*[PAGE] * 7, 0, 1 << 30, 0, 1, 0),
    (NFS, 20): lambda node, body: words(OK) + there(node) + words(1, 255, 1, 1, 0, 1),
    (MOUNT, 1): lambda node, body: words(OK) + handle(FOLDER) + words(1, 1),
}

def answer(call):
    number, _, _, program, _, procedure, _, size = struct.unpack_from('>8I', call)
    at = 40 + size
    _, size = struct.unpack_from('>2I', call, at - 8)
    body = call[at + size:]
    # The verifier is that of AUTH_NONE.
    accepted = words(number, 1, 0, 0, 0)
    if program not in (NFS, MOUNT):
        return accepted + words(1)
    handler = ANSWERS.get((program, procedure), lambda *_: b'')
    node = struct.unpack_from('>I', body, 4)[0] if program == NFS and procedure else 0
    result = handler(node, body[8:])
    return None if result is None else accepted + words(0) + result

def serve(connection):
    stream = connection.makefile('rb')
    while head := stream.read(4):
        call = stream.read(struct.unpack('>I', head)[0] & 0x7fffffff)
        reply = answer(call)
        if reply is not None:
            connection.sendall(words(1 << 31 | len(reply)) + reply)

server = socket.create_server(('127.0.0.1', 0))
if not os.fork():
    mount(sys.argv[1], server.getsockname()[1])
    os._exit(0)
while True:
    threading.Thread(target=serve, args=(server.accept()[0],), daemon=True).start()
