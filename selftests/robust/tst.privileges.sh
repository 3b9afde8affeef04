# SPDX-License-Identifier: GPL-2.0
# ASSERTION: who was given an open device but may not trace can neither enable nor start anything by it, and is told why; who may
# with CAP_PERFMON and CAP_BPF alone can.
. /src/selftests/lib/sh
cat >/tmp/try.py <<'P'
import ctypes, errno, fcntl, os, struct, sys
fd = os.open('/dev/dtrace/dtrace', os.O_RDWR)
os.setgroups([]); os.setgid(65534); os.setuid(65534)
try:
    os.open('/dev/dtrace/dtrace', os.O_RDWR)
    sys.exit('it opened the device')
except PermissionError:
    pass
request = lambda nr, size: 3 << 30 | size << 16 | ord('d') << 8 | nr
dof = ctypes.create_string_buffer(64)
for nr, arg in (6, bytearray(struct.pack('QQII', ctypes.addressof(dof), 64, 0, 0))), (12, bytearray(int(sys.argv[1]))):
    try:
        fcntl.ioctl(fd, request(nr, len(arg)), arg)
        sys.exit(f'ioctl {nr} succeeded')
    except OSError as e:
        text = ctypes.create_string_buffer(200)
        report = bytearray(struct.pack('QII', ctypes.addressof(text), 200, 0))
        fcntl.ioctl(fd, request(32, 16), report)
        print(nr, errno.errorcode[e.errno], text.value.decode())
P
# The size of GO's argument is part of its number.
python3 /tmp/try.py "$(sed -n 's/^Go .*size \([0-9]*\).*/\1/p' /src/rust/abi/layout.golden)" >/tmp/o 2>&1 || fail "$(cat /tmp/o)"
why='EPERM DTrace requires additional privileges: CAP_SYS_ADMIN, or CAP_PERFMON and CAP_BPF'
expect "refusals" "$(cat /tmp/o)" "6 $why
12 $why"
few='-all,+perfmon,+bpf'
expect "few capabilities" "$(setpriv --bounding-set $few --inh-caps $few dtrace -qn 'BEGIN { trace("ok"); exit(0); }' 2>&1)" ok
