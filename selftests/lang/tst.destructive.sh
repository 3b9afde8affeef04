# SPDX-License-Identifier: GPL-2.0
# SECONDS: 120
# ASSERTION: with -w raise() and stop() act on the process that fired, before it goes on with its own code; chill() keeps the CPU
# as long as it says, and more than half a second in a second is a fault; copyout() and copyoutstr() write to the process; without
# -w all that is destructive is refused.
. /src/selftests/lib/sh
cp /bin/cat /tmp/victim
trace /tmp/o -w -n 'fbt::vfs_read:entry /execname == "victim"/ { raise(10); printf("%d\n", pid); }'
/tmp/victim /proc/self/status >/tmp/read 2>/dev/null
expect "the victim's status" "$?" $((128 + 10))
[ -s /tmp/read ] && fail "it went on reading: $(cat /tmp/read)"
end_trace
[ "$(grep -c '^[0-9]' /tmp/o)" -ge 1 ] || fail "no record: $(cat /tmp/o)"

trace /tmp/o -w -n 'fbt::do_sys_openat2:entry /execname == "victim" && copyinstr(arg1) == "/dev/null"/ { stop(); }'
/tmp/victim /dev/null &
victim=$!
stopped() { grep -q '^State:.*stopped' "/proc/$victim/status"; }
until_ok stopped
end_trace
kill -CONT "$victim"
wait "$victim" || fail "it did not go on: $?"

trace /tmp/o -w -n 'fbt::do_sys_openat2:entry /execname == "victim" && copyinstr(arg1) == "/dev/null"/
	{ self->t = timestamp; chill(200000000); }
	fbt::do_sys_openat2:return /self->t/ { printf("%d\n", (timestamp - self->t) / 1000000); self->t = 0; }'
/tmp/victim /dev/null
end_trace
ms=$(grep '^[0-9]' /tmp/o)
[ "${ms:-0}" -ge 200 ] || fail "chill took $ms ms"
dtrace -wqn 'BEGIN { chill(400000000); } BEGIN { chill(200000000); } BEGIN { exit(0); }' >/tmp/o 2>&1
grep -q 'illegal operation' /tmp/o || fail "half a second is no limit: $(cat /tmp/o)"
# It is the CPU's: two consumers have no second half of it.
driver many
trace /tmp/keeps-first -w -n 'many:main:args:one { chill(300000000); printf("kept\n"); }'
first=$tracer
trace /tmp/keeps-second -w -n 'many:main:args:one { chill(300000000); printf("kept\n"); }'
fire_many 1
end_trace
tracer=$first
end_trace
expect "kept by two consumers" "$(cat /tmp/keeps-first /tmp/keeps-second | grep -c kept)" 1
expect "refused" "$(cat /tmp/keeps-first.err /tmp/keeps-second.err | grep -c 'illegal operation')" 1

cat >/tmp/victim.py <<'P'
import ctypes
text, rest = ctypes.create_string_buffer(b'as it was', 10), ctypes.create_string_buffer(b'abcdefgh', 9)
libc = ctypes.CDLL(None)
libc.write(77, text, 9)
libc.write(78, rest, 8)
libc.write(79, ctypes.c_void_p(16), 8)
print(text.raw[:9], rest.raw)
P
dtrace -wqn 'syscall::write:entry /pid == $target && arg0 == 77/ { copyoutstr("new", arg1, 9); }
	syscall::write:entry /pid == $target && arg0 == 78/ { this->p = (char *)alloca(3); this->p[0] = 88; this->p[1] = 89; this->p[2] = 90; copyout(this->p, arg1 + 2, 3); }
	syscall::write:entry /pid == $target && arg0 == 79/ { copyoutstr("x", arg1, 2); }' -c 'python3 /tmp/victim.py' >/tmp/o 2>/tmp/e
expect "copyout" "$(grep "^b'" /tmp/o)" "b'new\\x00t was' b'abXYZfgh\\x00'"
grep -q 'invalid address (0x10)' /tmp/e || fail "copyoutstr to nowhere: $(cat /tmp/e)"

for action in 'stop()' 'raise(9)' 'chill(1)' 'panic()' 'system("true")' 'freopen("/tmp/x")' 'copyoutstr("x", 0, 2)' \
	'copyout((void *)&`jiffies, 0, 8)'; do
	dtrace -qn "BEGIN { $action; exit(0); }" >/tmp/o 2>&1 && fail "$action ran without -w"
	grep -q 'destructive actions not allowed' /tmp/o || fail "$action: $(cat /tmp/o)"
done
dtrace -wqn 'BEGIN { breakpoint(); exit(0); }' >/tmp/o 2>&1 && fail "breakpoint() was accepted"
grep -q 'there is no kernel debugger' /tmp/o || fail "said: $(cat /tmp/o)"
exit 0
