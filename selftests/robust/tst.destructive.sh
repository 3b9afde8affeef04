# SPDX-License-Identifier: GPL-2.0
# ASSERTION: CAP_PERFMON and CAP_BPF allow a user to trace, but not to change anything: destructive actions and semaphores of other
# programs need CAP_SYS_ADMIN, also of a descriptor that was handed on. A parameter of the module forbids destructive actions to
# everybody. At run time it can be set to 0, never back to 1, and programs that are already running obey it.
# SECONDS: 120
. /src/selftests/lib/sh
switch=/sys/module/dtrace/parameters/destructive
[ -x /tmp/toy ] || gcc -O2 -o /tmp/toy /src/selftests/fasttrap/toy.c || fail "gcc toy.c"
chmod 666 /dev/dtrace/dtrace
as_user="setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all,+perfmon,+bpf --inh-caps +perfmon,+bpf --ambient-caps +perfmon,+bpf"

expect "a user may trace" "$($as_user dtrace -qn 'BEGIN { trace("ok"); exit(0); }' 2>&1)" ok
why='destructive actions (-w) need CAP_SYS_ADMIN; CAP_PERFMON and CAP_BPF allow tracing only'
for action in 'copyout("x", 0, 1)' 'copyoutstr("x", 0, 1)' 'raise(0)' 'stop()' 'chill(1)' 'system("true")' 'freopen("/dev/null")' 'panic()'; do
	$as_user dtrace -wqn "BEGIN { $action; exit(0); }" >/tmp/o 2>&1
	expect "$action: status" $? 1
	grep -qF "$why" /tmp/o || fail "$action: it says $(cat /tmp/o)"
done
# The option alone is refused, too: without it a dead-man watches.
$as_user dtrace -wqn 'BEGIN { exit(0); }' >/tmp/o 2>&1
expect "-w alone" $? 1

# Who enables, and who starts, must both have the privilege.
python3 - <<'P'
import os
if os.path.islink('/lib'):  # The root of the guest is in its memory, but /usr is not.
    names = os.listdir('/usr/lib')
    os.unlink('/lib')
    os.mkdir('/lib')
    for name in names: os.symlink('/usr/lib/' + name, '/lib/' + name)
P
dtrace -A -wqn 'BEGIN { raise(0); }' >/tmp/o 2>&1 || fail "dtrace -A: $(cat /tmp/o)"
mv /lib/firmware/dtrace/anonymous.dof /tmp/raise.dof
rm -rf /lib/firmware
size() { sed -n "s/^$1 .*size \([0-9]*\).*/\1/p" /src/rust/abi/layout.golden; }
cat >/tmp/handed.py <<'P'
import ctypes, errno, fcntl, os, struct, subprocess, sys
sizes = dict(zip(('Go', 'Probes', 'Explain', 'Symbol'), map(int, sys.argv[1:5])))
request = lambda nr, size: 3 << 30 | size << 16 | ord('d') << 8 | nr
def do(fd, nr, arg):
    try:
        fcntl.ioctl(fd, request(nr, len(arg)), arg)
        return 'ok'
    except OSError as e:
        text = ctypes.create_string_buffer(200)
        fcntl.ioctl(fd, request(32, 16), bytearray(struct.pack('QII', ctypes.addressof(text), 200, 0)))
        return errno.errorcode[e.errno] + ' ' + text.value.decode()
if len(sys.argv) > 5:  # As the user: start what root has enabled.
    print('go:', do(int(sys.argv[5]), 12, bytearray(sizes['Go'])))
    sys.exit()
fd = os.open('/dev/dtrace/dtrace', os.O_RDWR)
os.set_inheritable(fd, True)
dof = open('/tmp/raise.dof', 'rb').read()
at = ctypes.create_string_buffer(dof, len(dof))
print('enable:', do(fd, 6, bytearray(struct.pack('QQII', ctypes.addressof(at), len(dof), 0, 0))))
subprocess.run(os.environ['as_user'].split() + [sys.executable, __file__] + sys.argv[1:5] + [str(fd)], close_fds=False, check=True)
os.setgroups([]); os.setgid(65534); os.setuid(65534)
pattern = bytearray(sizes['Probes'])
for name, nr, arg in ('probes', 2, pattern), ('explain', 33, bytearray(sizes['Explain'])), ('symbol', 35, bytearray(b'jiffies'.ljust(sizes['Symbol'], b'\0'))):
    print(name + ':', do(fd, nr, arg))
P
export as_user
python3 /tmp/handed.py "$(size Go)" "$(size Probes)" "$(size Explain)" "$(size Symbol)" >/tmp/o 2>&1 || fail "$(cat /tmp/o)"
none='EPERM DTrace requires additional privileges: CAP_SYS_ADMIN, or CAP_PERFMON and CAP_BPF'
expect "handed on" "$(sort /tmp/o)" "enable: ok
explain: $none
go: EPERM $why
probes: $none
symbol: $none"

# A semaphore is a word of another process's memory that goes up.
$as_user dtrace -qn 'toy$target:::tick { @ = count(); }' -c '/tmp/toy 7' >/tmp/o 2>&1
expect "a semaphore: status" $? 1
grep -qF 'enabling it writes to its semaphore, which needs CAP_SYS_ADMIN' /tmp/o || fail "a semaphore: it says $(cat /tmp/o)"
$as_user dtrace -qn 'toy$target:::tick-more { @ = count(); } END { printa("%@d\n", @); }' -c '/tmp/toy 7' >/tmp/o 2>&1
expect "a probe without one" "$(xargs </tmp/o)" 7

# It must be writable memory of the very file that has the probe: not text, not the stack, not another file's.
cat >/tmp/semaphore.py <<'P'
import ctypes, fcntl, os, re, struct, subprocess, sys
target = subprocess.Popen(['/tmp/toy'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
target.stdout.readline()
request = lambda nr, size: 3 << 30 | size << 16 | ord('d') << 8 | nr
fd = os.open('/dev/dtrace/dtrace', os.O_RDWR)
maps = [l.split(None, 5) for l in open(f'/proc/{target.pid}/maps')]
def first(mode, name): return next(int(m[0].split('-')[0], 16) for m in maps if m[1] == mode and name in m[-1])
base = next(int(m[0].split('-')[0], 16) for m in maps if '/tmp/toy' in m[-1])
symbols = dict((l.split()[2], int(l.split()[0], 16)) for l in subprocess.run(['nm', '/tmp/toy'], capture_output=True, text=True).stdout.splitlines() if len(l.split()) == 3)
fire, good = base + symbols['fire'], base + symbols['toy_tick_semaphore']
for n, (what, at) in enumerate({'its own': good, 'text': first('r-xp', '/tmp/toy'), 'read-only': first('r--p', '/tmp/toy'),
        'the stack': first('rw-p', '[stack]'), 'the C library': first('rw-p', 'libc.so'), 'nothing': 8}.items()):
    names = [b'other%d' % n, b'm', b'f', b'n']
    probe = struct.pack('QQQIIIIBB4BH', fire, at, 0, 0, 0, 0, 1, 4, 0, *map(len, names), 0) + struct.pack('I', 0) + b''.join(names)
    probe += bytes(-len(probe) % 8)
    room = ctypes.create_string_buffer(64)
    packed = ctypes.create_string_buffer(probe, len(probe))
    arg = bytearray(struct.pack('QQQIIII', ctypes.addressof(packed), len(probe), ctypes.addressof(room), 4, target.pid, 0, 0))
    fcntl.ioctl(fd, request(40, len(arg)), arg)
    refused, made = struct.unpack_from('I', arg, 24)[0], struct.unpack_from('I', arg, 32)[0]
    print(f'{what}: made {made}, refused {refused}', 'reason', struct.unpack_from('IIII', room)[2])
target.stdin.close()
target.wait()
P
python3 /tmp/semaphore.py >/tmp/o 2>&1 || fail "$(cat /tmp/o)"
expect "semaphores" "$(cat /tmp/o)" "its own: made 1, refused 0 reason 0
text: made 0, refused 1 reason 15
read-only: made 0, refused 1 reason 15
the stack: made 0, refused 1 reason 15
the C library: made 0, refused 1 reason 15
nothing: made 0, refused 1 reason 15"

# The switch.
expect "the switch" "$(cat $switch)" 1
trace /tmp/running -w -n 'tick-10ms { n++; raise(0); } tick-10ms /n > 5/ { printf("raised\n"); n = 0; } ERROR { printf("fault %d\n", arg4); exit(0); }'
until_ok grep -q '^raised' /tmp/running
grep -q '^fault' /tmp/running && fail "a fault before the switch"
echo 0 >$switch || fail "it cannot be tightened"
expect "after it was tightened" "$(cat $switch)" 0
wait "$tracer" || fail "the running program ended with $?"
expect "a running program" "$(grep -c '^fault' /tmp/running)" 1
{ echo 1 >$switch; } 2>/tmp/o && fail "it can be loosened"
grep -q 'Operation not permitted' /tmp/o || fail "loosened: $(cat /tmp/o)"
expect "still" "$(cat $switch)" 0
why='destructive actions (-w) are forbidden here: the module parameter "destructive" is 0'
refused() {
	dtrace -wqn 'BEGIN { raise(0); exit(0); }' >/tmp/o 2>&1
	expect "$1: status" $? 1
	grep -qF "$why" /tmp/o || fail "$1: it says $(cat /tmp/o)"
}
refused "after the switch"
expect "tracing goes on" "$(dtrace -qn 'BEGIN { trace("ok"); exit(0); }' 2>&1)" ok
with_module destructive=0
refused "with the parameter"
rmmod dtrace && insmod "$module" || fail "insmod"
expect "after the module has come anew" "$(dtrace -wqn 'BEGIN { raise(0); trace("ok"); exit(0); }' 2>&1)" ok
