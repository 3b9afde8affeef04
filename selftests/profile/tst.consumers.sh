# SPDX-License-Identifier: GPL-2.0
# ASSERTION: consumers share a probe; it stops with the last of them, however that ends.
. /src/selftests/lib/sh
trace /tmp/a -n 'tick-1000 { a++; } tick-10 { printf("%d\n", a); }'
first=$tracer
trace /tmp/b -n 'tick-1000 { a++; } tick-10 { printf("%d\n", a); }'
second=$tracer
until_ok bash -c '[ "$(tail -1 /tmp/b)" -gt 50 ]'
kill -9 $second
wait $second 2>/dev/null
now=$(tail -1 /tmp/a)
until_ok bash -c "[ \"\$(tail -1 /tmp/a)\" -gt $((now + 100)) ]"
kill -9 $first
wait $first 2>/dev/null
until_ok rmmod dtrace
grep -q kapi /proc/timer_list && fail "a timer is left"
insmod "$module"
# With all at once.
dtrace -q -n 'profile::: { @[probename] = count(); } tick-1s { exit(0); }' >/tmp/o || fail "all: $?"
for name in profile-97 profile-4999 tick-10 tick-5000; do
	grep -q "^ *$name " /tmp/o || { cat /tmp/o; fail "$name"; }
done
# Enabled before another one is made: that is matched as well.
trace /tmp/a -n 'tick-1* { printf("%s\n", probename); }'
dtrace -l -n tick-17 >/dev/null
until_ok grep -q tick-17 /tmp/a
end_trace
rmmod dtrace || fail "rmmod dtrace"
insmod "$module"
