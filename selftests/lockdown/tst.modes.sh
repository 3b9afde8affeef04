# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a kernel that is locked down for its integrity lets itself be traced, but without -w; for confidentiality it does not,
# the refusals say why, and who traces already goes on. (There is no way back: this area is a boot of its own.)
. /src/selftests/lib/sh
# Its probes go into the processes' memory.
cd "$(mktemp -d)" || exit 1
echo 'provider toy { probe tick(int); };' >toy.d
echo 'int main(void) { TOY_TICK(1); return 0; }' >app.c
dtrace -h -s toy.d && gcc -O2 -include toy.h -c app.c && dtrace -G -s toy.d -o prov.o app.o && gcc -o app app.o prov.o || fail "a program"
app() { DTRACE_DOF_INIT_DEBUG=1 ./app 2>&1; }
modes=/sys/kernel/security/lockdown
mount -t securityfs none /sys/kernel/security || fail "no securityfs"
grep -q '\[none\]' $modes || fail "it is locked down: $(cat $modes)"
ok='BEGIN { trace("ok"); exit(0); }'
expect "-w while it is not" "$(dtrace -wqn "$ok" 2>&1)" ok
expect "a program while it is not" "$(app | grep -c 'DOF app: registered: /dev')" 1

echo integrity >$modes || fail "integrity: $(cat $modes)"
expect "integrity" "$(dtrace -qn "$ok" 2>&1)" ok
expect "a program" "$(app | grep -c 'DOF app: registered: Operation not permitted')" 1
dtrace -n 'pid$target:a.out:main:entry' -c ./app >/tmp/o 2>&1 && fail "a program is traced"
grep -q 'the kernel is locked down (by Secure Boot or lockdown=): .* probes in programs (pid, USDT)' /tmp/o || fail "$(cat /tmp/o)"
dtrace -lP syscall >/tmp/l || fail "-l"
dtrace -wqn "$ok" >/tmp/o 2>/tmp/e && fail "-w is allowed"
grep -q 'the kernel is locked down (by Secure Boot or lockdown=): it forbids destructive actions (-w)' /tmp/e || fail "$(cat /tmp/e)"

trace /tmp/before -n 'syscall::getppid:entry { printf("hit\n"); }'
exec 9<>/dev/dtrace/dtrace
echo confidentiality >$modes || fail "confidentiality: $(cat $modes)"
refused() {
	dtrace "$@" >/tmp/o 2>/tmp/e && fail "dtrace $*: $(cat /tmp/o)"
	grep -q '^dtrace: failed to initialize dtrace: DTrace requires additional privileges' /tmp/e || fail "$(cat /tmp/e)"
	grep -q 'the kernel is locked down (lockdown=confidentiality)' /tmp/e || fail "no reason: $(cat /tmp/e)"
}
refused -qn "$ok"
refused -l
python3 -c 'import os; os.getppid()'
end_trace
grep -q hit /tmp/before || fail "who traced does no more: $(cat /tmp/before.err)"
dtrace -V >/tmp/o || fail "-V"
dtrace -e -n 'BEGIN { exit(0); }' >/tmp/o 2>&1 || fail "-e: $(cat /tmp/o)"
python3 - <<'P' || fail "an open device"
import fcntl, os, struct, ctypes
dof = ctypes.create_string_buffer(64)
try:
    fcntl.ioctl(9, 3 << 30 | 24 << 16 | ord('d') << 8 | 6, bytearray(struct.pack('QQII', ctypes.addressof(dof), 64, 0, 0)))
    raise SystemExit('ENABLE succeeded')
except PermissionError:
    pass
text = ctypes.create_string_buffer(200)
fcntl.ioctl(9, 3 << 30 | 16 << 16 | ord('d') << 8 | 32, bytearray(struct.pack('QII', ctypes.addressof(text), 200, 0)))
assert b'the kernel is locked down' in text.value, text.value
P
exit 0
