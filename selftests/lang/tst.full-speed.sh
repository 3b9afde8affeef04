# SPDX-License-Identifier: GPL-2.0
# ASSERTION: events that come faster than a buffer lasts from one look to the next arrive all the same, in order: the kernel
# wakes the consumer when a buffer is half full, and else it sleeps. What a starved machine could not take is counted, to the
# last event. A consumer that dies while it is woken leaves nothing behind.
# SECONDS: 300
. /src/selftests/lib/sh
n=100000
# Without being woken it would lose some 89,000 of them.
dtrace -q -x bufsize=256k -n 'BEGIN { n = 0; } fbt::vfs_read:entry /pid == $target && arg2 == 1/ { printf("event %d\n", ++n); }
	END { printf("fired %d\n", n); }' -c "dd if=/dev/zero of=/dev/null bs=1 count=$n" >/tmp/o 2>/tmp/e || { cat /tmp/e; fail "dtrace"; }
drops=$(awk '/ drops? on CPU/ { n += $2 } END { print n + 0 }' /tmp/e)
# A clause whose record has no room does not run, so what it counts is what arrives.
expect "received" "$(grep -c '^event' /tmp/o)" $((n - drops))
expect "fired" "$(grep fired /tmp/o)" "fired $((n - drops))"
expect "in order" "$(awk '/^event/ { if ($2 <= n) bad++; n = $2 } END { print bad + 0 }' /tmp/o)" 0

# Nobody looks at the buffers for an hour: what comes out before that, comes out because they filled up.
seldom="-x switchrate=1h -x aggrate=1h -x statusrate=1h -x bufsize=64k"
program='fbt::vfs_read:entry /execname == "dd" && arg2 == 1/ { printf("event\n"); @ = count(); } syscall::getcwd:entry /execname == "pwd"/ { exit(0); }'
dtrace -q $seldom -n "$program" >/tmp/o 2>/tmp/e &
tracer=$!
# More than half of a buffer, less than a whole one.
some() { taskset -c 0 dd if=/dev/zero of=/dev/null bs=1 count=3000 2>/dev/null; }
comes() { [ "$(wc -l </tmp/o)" -gt "$1" ]; }
first() { some; comes 0; }
until_ok first
for _ in 1 2 3; do
	had=$(wc -l </tmp/o)
	some
	until_ok comes "$had"
done
slept() { awk '/^voluntary/ { print $2 }' "/proc/$tracer/status"; }
before=$(slept) since=$SECONDS
sleep 10
woke=$(($(slept) - before)) took=$((SECONDS - since))
[ $woke -le $((took + 1)) ] || fail "an idle consumer woke up $woke times in $took seconds"
/bin/pwd >/dev/null
wait "$tracer" || fail "dtrace: $(cat /tmp/e)"
[ "$(grep -c event /tmp/o)" = "$(awk '$1 ~ /^[0-9]+$/ { print $1 }' /tmp/o)" ] || fail "events and their count differ: $(tail -1 /tmp/o)"

for _ in 1 2 3 4 5; do
	trace out -x bufsize=4k -n 'fbt::vfs_read:entry { printf("event\n"); }'
	dd if=/dev/zero of=/dev/null bs=1 count=20000 2>/dev/null &
	kill -STOP "$tracer"
	sleep 0.1
	kill -9 "$tracer"
	wait
done
rmmod dtrace && insmod "$module" || fail "in use"
