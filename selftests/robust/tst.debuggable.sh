# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a probe changes the text of its process, perhaps inside an instruction: without CAP_SYS_PTRACE, a tracer gets
# probes only in processes that he may debug, and is told why.
. /src/selftests/lib/sh
[ -x /tmp/toy ] || gcc -O2 -o /tmp/toy /src/selftests/fasttrap/toy.c || fail "gcc toy.c"
chmod 666 /dev/dtrace/dtrace
cat >/tmp/inside.py <<'P'
import ctypes, errno, fcntl, os, re, struct, subprocess, sys
symbols = dict((l.split()[2], int(l.split()[0], 16)) for l in subprocess.run(['nm', '/tmp/toy'], capture_output=True, text=True).stdout.splitlines() if len(l.split()) == 3)
def start():
    p = subprocess.Popen(['/tmp/toy'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    p.stdout.readline()
    maps = [l.split(None, 5) for l in open(f'/proc/{p.pid}/maps')]
    base = next(int(m[0].split('-')[0], 16) for m in maps if '/tmp/toy' in m[-1])
    return p, base + symbols['fire']
request = lambda nr, size: 3 << 30 | size << 16 | ord('d') << 8 | nr
def make(p, at):
    fd = os.open('/dev/dtrace/dtrace', os.O_RDWR)
    names = [b'', b'm', b'f', b'']
    # Any instruction, by its offset: kind 3.
    probe = struct.pack('QQQIIIIBB4BH', at, 0, 0, 0, 0, 0, 1, 3, 0, *map(len, names), 0) + struct.pack('I', 0) + b''.join(names)
    probe += bytes(-len(probe) % 8)
    room, packed = ctypes.create_string_buffer(64), ctypes.create_string_buffer(probe, len(probe))
    arg = bytearray(struct.pack('QQQIIII', ctypes.addressof(packed), len(probe), ctypes.addressof(room), 4, p.pid, 0, 0))
    try:
        fcntl.ioctl(fd, request(40, len(arg)), arg)
        return 'made %d' % struct.unpack_from('I', arg, 32)[0]
    except OSError as e:
        text = ctypes.create_string_buffer(200)
        fcntl.ioctl(fd, request(32, 16), bytearray(struct.pack('QII', ctypes.addressof(text), 200, 0)))
        return errno.errorcode[e.errno] + ' ' + text.value.decode()
if len(sys.argv) > 1:
    class other: pid = int(sys.argv[1])
    print("root's:", make(other, int(sys.argv[2])))
    p, at = start()
    print('own:', make(p, at))
else:
    p, at = start()
    for caps in '', ',+sys_ptrace':
        caps = '+perfmon,+bpf' + caps
        user = f'setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all,{caps} --inh-caps {caps} --ambient-caps {caps}'
        subprocess.run([*user.split(), sys.executable, __file__, str(p.pid), str(at)], check=True)
    p.stdin.close()
    p.wait()
P
python3 /tmp/inside.py >/tmp/o 2>&1 || fail "$(cat /tmp/o)"
expect "who gets probes" "$(cat /tmp/o)" "root's: EPERM a probe changes the text of its process, so the caller must have the right to debug that process: as its owner, or by CAP_SYS_PTRACE
own: made 1
root's: made 1
own: made 1"
chmod 600 /dev/dtrace/dtrace
