# SPDX-License-Identifier: GPL-2.0
# Tells the kernel of probes that are none: `users`, as anybody may; `bombs`, few bytes that mean much work; `memory`,
# while allocations fail; `shares`, as many as several users may, and root; `litter`, ever new ones, of which few stay;
# `kept`, ever new ones whose places cannot be forgotten.
import ctypes, errno, fcntl, mmap, os, random, select, struct, sys, threading, time

libc = ctypes.CDLL(None, use_errno=True)
ADD, REMOVE = 1 << 30 | 80 << 16 | ord('h') << 8 | 3, ord('h') << 8 | 2
FAIL = 3 << 30 | 8 << 16 | ord('d') << 8 | 127
helper = os.open('/dev/dtrace/helper', os.O_RDWR)
good = bytearray(open('dof', 'rb').read())

# Code: what probes and questions stand on, over and over.
code = mmap.mmap(-1, 1 << 20, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
                 mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
code.write(b'\x31\xc0\x0f\x1f\x00' * (len(code) // 5))
text = ctypes.addressof(ctypes.c_char.from_buffer(code))

def sections(dof):
    count, at = struct.unpack_from('<IQ', dof, 28)
    return [struct.unpack_from('<IIIIQQ', dof, at + 32 * n) for n in range(count)]

PROBES, PROFFS, PRENOFFS = 16, 18, 26
def at_home(dof):
    """With all places and questions at the beginning of our text."""
    dof = bytearray(dof)
    for kind, _, _, _, offset, size in sections(dof):
        if kind in (PROFFS, PRENOFFS):
            dof[offset:offset + size] = bytes(size)
        for entry in range(offset, offset + size, 48) if kind == PROBES else ():
            place = ctypes.addressof(room) + entry
            struct.pack_into('<Q', dof, entry, (text - place) % 2**64)
    return dof

room = ctypes.create_string_buffer(2 << 20)
def add(dof, module=b'mine', at=None):
    ctypes.memmove(room, bytes(dof), min(len(dof), len(room)))
    where = ctypes.addressof(room) if at is None else at
    arg = ctypes.create_string_buffer(module.ljust(64, b'\0')[:64] + struct.pack('<QQ', 0, where), 80)
    done = libc.ioctl(helper, ctypes.c_ulong(ADD), arg)
    return done if done >= 0 else -ctypes.get_errno()

def remove(number):
    done = libc.ioctl(helper, ctypes.c_ulong(REMOVE), ctypes.c_ulong(number))
    return 0 if done == 0 else -ctypes.get_errno()

def check(what, got, *wanted):
    if got not in wanted:
        sys.exit(f'{what}: {got}, expected one of {wanted}')

def dof_of(*parts):
    """A DOF of sections, each a kind, the size of an entry, and its bytes."""
    table, body = b'', b''
    start = 64 + 32 * len(parts)
    for kind, entry, data in parts:
        table += struct.pack('<IIIIQQ', kind, 8, 1, entry, start + len(body), len(data))
        body += data + bytes(-len(data) % 8)
    size = start + len(body)
    return bytes(good[:16]) + struct.pack('<IIIIQQQQ', 0, 64, 32, len(parts), 64, size, size, 0) + table + body

def bomb(name, probes, providers, natives=0, address=0):
    """The same probes, which have no place, named by many providers; all names are the same long one."""
    table = struct.pack('<QIIIIIIBBHIHHHH', address, 0, 0, 0, 0, 0, 0, natives, 0, 0, 0, 0, 0, 0, 0) * probes
    provider = struct.pack('<11I', 0, 1, 2**32 - 1, 2**32 - 1, 0, *[0] * 5, 2**32 - 1)
    return dof_of((8, 0, b'x' * name + b'\0'), (16, 48, table), *[(15, 0, provider)] * providers)

def soon(what, dof, wanted):
    """The answer comes long before a minute is over; what waits without an end waits for us to say so."""
    pid = os.fork()
    if not pid:
        check(what, add(dof), wanted)
        os._exit(0)
    for _ in range(600):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return check(what, status, 0)
        time.sleep(0.1)
    os.kill(pid, 9)
    time.sleep(5)
    sys.exit(f'{what}: no answer after a minute, {"killed then" if os.waitpid(pid, os.WNOHANG)[0] else "and it cannot be killed"}')

mine = at_home(good)
def bombs():
    large = bomb(350000, 7281, 4350)
    check('a large one', 1000000 < len(large) <= 1 << 20, True)
    soon('long names, over and over', large, -errno.EINVAL)
    soon('short names, over and over', bomb(50, 12000, 5900), -errno.E2BIG)
    soon('a few providers of many probes', bomb(50, 12000, 3), -errno.E2BIG)
    soon('many types, which nobody asks for', bomb(50, 16000, 1, 255, 1), -errno.ENOENT)

def users():
    n = add(mine)
    check('good', n > 0, True)
    check('removed', remove(n), 0)
    check('removed twice', remove(n), -errno.ENOENT)
    check('a number of nobody', remove(1 << 40), -errno.EINVAL)
    check('no DOF', add(bytes(100)), -errno.EINVAL)
    check('no DOF, and large', add(b'x' * 100), -errno.E2BIG)
    check('no memory of ours', add(mine, at=1 << 46), -errno.EFAULT)
    check('the kernel\'s memory', add(mine, at=0xffffffff81000000), -errno.EFAULT)
    for module in (b'', b'a' * 64, b'a b', b'a*', b'a:b', b'\xff'):
        check(module, add(mine, module), -errno.EINVAL)
    check('addresses of nobody', add(good), -errno.EFAULT)
    large = bytearray(mine)
    struct.pack_into('<QQ', large, 40, 1 << 40, 1 << 40)
    check('a large one', add(large), -errno.E2BIG)
    check('another ioctl', libc.ioctl(helper, ctypes.c_ulong(FAIL), room) == -1 and ctypes.get_errno(), errno.ENOTTY)
    # As many as there may be.
    all = []
    while (n := add(mine, b'm%d' % len(all))) > 0:
        all.append(n)
    check('too many', n, -errno.E2BIG)
    check('how many', len(all), 256)
    pid = os.fork()
    if not pid:
        check('in a child', remove(all[0]), 0)
        os._exit(0)
    check('the child', os.waitpid(pid, 0)[1], 0)
    for n in all:
        check('removed', remove(n), 0)
    seed = int.from_bytes(os.urandom(4), 'little')
    print('seed', seed)
    random.seed(seed)
    taken = 0
    for n in range(3000):
        dof = bytearray(mine)
        for _ in range(random.choice((1, 1, 2, 8))):
            at = random.randrange(len(dof) & ~3)
            how = random.randrange(4)
            if how == 0:
                dof[at] ^= 1 << random.randrange(8)
            elif how == 1:
                struct.pack_into('<I', dof, at & ~3, random.choice((0, 1, 2**31, 2**32 - 1, len(dof), 1 << 16)))
            elif how == 2:
                dof[at] = random.randrange(256)
            else:
                struct.pack_into('<H', dof, at & ~1, random.choice((0xffff, 1000, 1)))
        n = add(dof)
        check('a damaged one', n > 0 or -n in (errno.EINVAL, errno.EFAULT, errno.E2BIG, errno.ENOENT), True)
        if n > 0:
            taken += 1
            check('removed', remove(n), 0)
    print('taken', taken)

def memory():
    device = os.open('/dev/dtrace/dtrace', os.O_RDWR)
    failed = 0
    for n in range(200):
        fcntl.ioctl(device, FAIL, struct.pack('<Q', n))
        got = add(mine)
        fcntl.ioctl(device, FAIL, struct.pack('<Q', 2**64 - 1))
        check(f'the allocation {n}', got > 0 or got == -errno.ENOMEM, True)
        failed += got < 0
        if got > 0:
            fcntl.ioctl(device, FAIL, struct.pack('<Q', n % 20))
            check('removed without memory', remove(got), 0)
            fcntl.ioctl(device, FAIL, struct.pack('<Q', 2**64 - 1))
    print('failed', failed)
    check('some failed, and in the end none', 5 < failed < 200, True)

def shares():
    places = 8000
    table = struct.pack('<QIIIIIIBBHIHHHH', text, 0, 0, 0, 0, 0, 0, 0, 0, places, 0, 0, 0, 0, 0)
    provider = struct.pack('<11I', 0, 1, 2**32 - 1, 2, 0, *[0] * 5, 2**32 - 1)
    dof = dof_of((8, 0, b'x\0'), (16, 48, table), (18, 4, bytes(4 * places)), (15, 0, provider))
    all = []
    def charged(group):
        return int(dict(line.split() for line in open(f'{group}/memory.stat'))['kernel']) if group else 0
    def another(uid, group=None):
        """A process of this user's: what its ADD gives. It stays."""
        told, tell = os.pipe()
        pid = os.fork()
        if not pid:
            if group:
                open(f'{group}/cgroup.procs', 'w').write('0')
            os.setgid(uid)
            os.setuid(uid)
            before = charged(group)
            os.write(tell, struct.pack('<i', add(dof)))
            os.write(tell, struct.pack('<i', charged(group) - before))
            time.sleep(3600)
        all.append(pid)
        got = struct.unpack('<i', os.read(told, 4))[0]
        more = struct.unpack('<i', os.read(told, 4))[0]
        return (got, more) if group else got
    for uid in (65534, 65533, 65532):
        for n in range(4):
            check(f'{uid} has a share', another(uid) > 0, True)
        check(f'{uid} has no more', another(uid), -errno.E2BIG)
    check('all users together', another(65531), -errno.ENOSPC)
    for n in range(4):
        check('root has what is left', another(0) > 0, True)
    check('and not more', another(0), -errno.ENOSPC)
    for pid in all:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    all.clear()
    # It is charged to who asked.
    os.mkdir('groups')
    if libc.mount(b'none', b'groups', b'cgroup2', ctypes.c_ulong(0), None):
        sys.exit(f'cgroup2: {os.strerror(ctypes.get_errno())}')
    open('groups/cgroup.subtree_control', 'w').write('+memory')
    os.mkdir('groups/one')
    for _ in range(300):
        got, more = another(65534, 'groups/one')
        if got > 0:
            break
        time.sleep(0.1)
    check('those of the dead are free again', got > 0, True)
    print('charged', more)
    check('charged', more > 25 * places, True)
    # Who has to wait because of his cgroup holds nothing that others wait for.
    os.mkdir('groups/high')
    open('groups/high/memory.high', 'w').write('0')
    told, tell = os.pipe()
    pid = os.fork()
    if not pid:
        open('groups/high/cgroup.procs', 'w').write('0')
        os.setgid(65530)
        os.setuid(65530)
        os.write(tell, struct.pack('<i', add(dof)))
        time.sleep(3600)
    all.append(pid)
    others = 0
    while not select.select([told], [], [], 0)[0]:
        n = add(mine)
        check('another one meanwhile', n > 0 and remove(n), 0)
        others += 1
    print('others', others)
    check('it gets its probes', struct.unpack('<i', os.read(told, 4))[0] > 0, True)
    check('others go on', others > 20, True)
    for pid in all:
        os.kill(pid, 9)

def litter_dof(address, places):
    table = struct.pack('<QIIIIIIBBHIHHHH', address, 0, 0, 0, 0, 0, 0, 0, 0, places, 0, 0, 0, 0, 0)
    provider = struct.pack('<11I', 0, 1, 2**32 - 1, 2, 0, *[0] * 5, 2**32 - 1)
    offsets = struct.pack(f'<{places}I', *range(0, 5 * places, 5))
    return dof_of((8, 0, b'litter\0'), (16, 48, table), (18, 4, offsets), (15, 0, provider))

def area(places):
    """Code with so many places, and a function that runs all of them."""
    memory = mmap.mmap(-1, 1 << 16, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS,
                       mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(b'\x31\xc0\x0f\x1f\x00' * places + b'\xc3')
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    return memory, address, ctypes.CFUNCTYPE(ctypes.c_int)(address)

def comes(what, memory, byte):
    for _ in range(6000):
        if memory[0] == byte:
            return
        time.sleep(0.01)
    sys.exit(f'{what}: it never was')

def litter():
    """Registers places at ever new addresses while a consumer traces all of them, and has others that stay."""
    def slots():
        """The bytes of memory that can be run and not be written to."""
        lines = [line.split() for line in open('/proc/self/maps')]
        return sum(int(end, 16) - int(start, 16) for (start, end), right in
                   ((line[0].split('-'), line[1]) for line in lines) if right == 'r-xp')
    stay, address, run = area(10)
    check('those that stay', add(litter_dof(address, 10), b'stay') > 0, True)
    comes('those that stay are traced', stay, 0xcc)
    ends = []
    def always():
        while not ends:
            check('those that stay run', run(), 0)
    thread = threading.Thread(target=always)
    thread.start()
    places, all, before = 3000, [], slots()
    for n in range(20):
        all.append(area(places))
        memory, address, once = all[-1]
        number = add(litter_dof(address, places))
        check('more', number > 0, True)
        comes('traced', memory, 0xcc)
        check('they run', once(), 0)
        check('removed', remove(number), 0)
        check('not traced any more', memory[0], 0x31)
        check('they run without', once(), 0)
    for _ in range(6000):
        grown = slots() - before
        if grown < 64 * 4 * places:
            break
        time.sleep(0.01)
    check('those that stay are traced at the end', stay[0], 0xcc)
    ends.append(True)
    thread.join()
    print('slots', grown)
    check('the slots of dead places are gone', grown < 64 * 4 * places, True)

def kept():
    """Registers places at ever new addresses while a consumer traces all of them, and has them kept: by a debugger of
    the process, or by a copy of the text that cannot be changed. They count for the user, so this has an end."""
    libc.mmap.restype = ctypes.c_void_p
    def replace(memory, address):
        copy = os.memfd_create('copy')
        os.write(copy, memory[:])
        there = libc.mmap(ctypes.c_void_p(address), ctypes.c_long(len(memory)), mmap.PROT_READ | mmap.PROT_EXEC,
                          mmap.MAP_SHARED | 0x10, copy, ctypes.c_long(0))
        check('a copy of the text', there, address)
    def register(how):
        places, all = 3000, []
        for n in range(20):
            all.append(area(places))
            memory, address, once = all[-1]
            number = add(litter_dof(address, places))
            if number == -errno.E2BIG:
                return check(f'{how}: rounds', n >= 2, True)
            check(f'{how}: more', number > 0, True)
            comes(f'{how}: traced', memory, 0xcc)
            if how == 'copied':
                replace(memory, address)
            check(f'{how}: they run', once(), 0)
            check(f'{how}: removed', remove(number), 0)
            check(f'{how}: breakpoint', memory[0], 0xcc if how == 'copied' else 0x31)
            check(f'{how}: they run then', once(), 0)
        sys.exit(f'{how}: there is no end')
    for how in 'copied', 'debugged':
        waits, goes = os.pipe()
        pid = os.fork()
        if not pid:
            os.read(waits, 1)
            register(how)
            os._exit(0)
        if how == 'debugged':
            check('seized', libc.ptrace(0x4206, pid, None, None), 0)
        os.write(goes, b'x')
        check(how, os.waitpid(pid, 0)[1], 0)

{'kept': kept, 'litter': litter, 'shares': shares, 'users': users, 'bombs': bombs, 'memory': memory}[sys.argv[1]]()
