# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a process that got an open device but may not trace can enable, start, read and stop nothing by it, and is told why;
# CAP_PERFMON and CAP_BPF alone are enough to trace; CAP_SYS_PTRACE finds no command for -c that the user does not find himself.
. /src/selftests/lib/sh
cat >/tmp/try.py <<'P'
import ctypes, errno, fcntl, os, re, struct, sys
fd = os.open('/dev/dtrace/dtrace', os.O_RDWR)
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    os.open('/dev/dtrace/dtrace', os.O_RDWR)
    sys.exit('it opened the device')
except PermissionError:
    pass
request = lambda nr, size: 3 << 30 | size << 16 | ord('d') << 8 | nr
dof = ctypes.create_string_buffer(64)
# The size of an argument is part of the ioctl's number.
sizes = dict(re.findall(r'^(\w+) size (\d+)', open('/src/rust/abi/layout.golden').read(), re.M))
calls = [(6, bytearray(struct.pack('QQII', ctypes.addressof(dof), 64, 0, 0)))]
for nr, name in (4, 'BufDesc'), (7, 'BufDesc'), (8, 'EprobeDesc'), (12, 'Go'), (13, 'Go'), (34, 'Report'):
    calls.append((nr, bytearray(int(sizes[name]))))
for nr, arg in calls:
    try:
        fcntl.ioctl(fd, request(nr, len(arg)), arg)
        sys.exit(f'ioctl {nr} succeeded')
    except OSError as e:
        text = ctypes.create_string_buffer(200)
        report = bytearray(struct.pack('QII', ctypes.addressof(text), 200, 0))
        fcntl.ioctl(fd, request(32, 16), report)
        print(nr, errno.errorcode[e.errno], text.value.decode())
P
python3 /tmp/try.py >/tmp/o 2>&1 || fail "$(cat /tmp/o)"
why='EPERM DTrace requires additional privileges: CAP_SYS_ADMIN, or CAP_PERFMON and CAP_BPF'
expect "refusals" "$(cat /tmp/o)" "$(for nr in 6 4 7 8 12 13 34; do echo "$nr $why"; done)"
few='-all,+perfmon,+bpf'
expect "few capabilities" "$(setpriv --bounding-set $few --inh-caps $few dtrace -qn 'BEGIN { trace("ok"); exit(0); }' 2>&1)" ok
chmod 666 /dev/dtrace/dtrace
few="$few,+sys_ptrace"
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set $few --inh-caps $few --ambient-caps $few dtrace -qn 'BEGIN { trace("ok"); exit(0); }' -c "$1" 2>&1; }
expect "a command of his own" "$(as_user /bin/true)" ok
as_user /proc/1/root/bin/true >/tmp/o && fail "a command by way of another process: $(cat /tmp/o)"
expect "why" "$(cat /tmp/o)" "dtrace: failed to create process '/proc/1/root/bin/true': Permission denied"
