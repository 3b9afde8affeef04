# SPDX-License-Identifier: GPL-2.0
# SECONDS: 120
# ASSERTION: with -w raise() and stop() act on the process that fired, before it goes on with its own code; chill() keeps the CPU
# as long as it says, and more than half a second in a second is a fault; without -w all of them are refused.
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

for action in 'stop()' 'raise(9)' 'chill(1)' 'panic()'; do
	dtrace -qn "BEGIN { $action; exit(0); }" >/tmp/o 2>&1 && fail "$action ran without -w"
	grep -q 'destructive actions not allowed' /tmp/o || fail "$action: $(cat /tmp/o)"
done
dtrace -wqn 'BEGIN { breakpoint(); exit(0); }' >/tmp/o 2>&1 && fail "breakpoint() was accepted"
grep -q 'there is no kernel debugger' /tmp/o || fail "said: $(cat /tmp/o)"
exit 0
