# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a profile probe fires on a CPU as soon as it comes back; a tick whose CPU goes goes on elsewhere, on one CPU;
# END is recorded though it ends on a CPU that came after the start.
# SECONDS: 120
. /src/selftests/lib/sh
cpu=/sys/devices/system/cpu/cpu1/online
trap 'echo 1 >$cpu' EXIT
# The tick is where its consumer is; a line for each stretch of time.
cat >/tmp/hotplug.d <<'D'
BEGIN { printf("ready\n"); p0 = p1 = t0 = t1 = 0; }
profile-97 /cpu == 0/ { p0++; }
profile-97 /cpu == 1/ { p1++; }
tick-101 /cpu == 0/ { t0++; }
tick-101 /cpu == 1/ { t1++; }
tick-2hz { printf("p0 %d p1 %d t0 %d t1 %d.\n", p0, p1, t0, t1); p0 = p1 = t0 = t1 = 0; }
D
rm -f /tmp/o
taskset -c 1 dtrace -q -o /tmp/o -s /tmp/hotplug.d &
tracer=$!
# The last of so many stretches that it began after now.
stretch() {
	local n
	n=$(wc -l </tmp/o)
	until_ok bash -c "[ \$(wc -l </tmp/o) -ge $((n + 3)) ]"
	tail -1 /tmp/o
}
# matches WHAT P0 P1 T0 T1: from now on each of these fires (1) or does not (0). A busy machine may have a stretch without
# a firing that should be there, but never one that should not.
matches() {
	local what=$1 tries line p0 p1 t0 t1
	shift
	for tries in $(seq 20); do
		line=$(stretch)
		read -r _ p0 _ p1 _ t0 _ t1 <<<"${line%.}"
		set -- "$@" "$p0" "$p1" "$t0" "$t1"
		[ "$(($1 || !$5))$(($2 || !$6))$(($3 || !$7))$(($4 || !$8))" = 1111 ] || { cat /tmp/o; fail "$what: '$line', only $1 $2 $3 $4 may fire"; }
		[ "$((!$1 || $5 > 0))$((!$2 || $6 > 0))$((!$3 || $7 > 0))$((!$4 || $8 > 0))" = 1111 ] && return
		set -- "$1" "$2" "$3" "$4"
	done
	cat /tmp/o
	fail "$what: '$line', but $1 $2 $3 $4 should fire"
}
until_ok grep -q ready /tmp/o
matches before 1 1 0 1
echo 0 >$cpu || fail "offline"
matches "while it is off" 1 0 1 0
for round in 1 2 3; do
	echo 1 >$cpu || fail "online"
	# The tick stays where it has gone.
	matches "when it is back, $round" 1 1 1 0
	echo 0 >$cpu || fail "offline"
	matches "while it is off, $round" 1 0 1 0
done
echo 1 >$cpu || fail "online"
kill -INT $tracer
wait $tracer || fail "dtrace: $?"

# END where a CPU came too late to have a buffer.
echo 0 >$cpu || fail "offline"
rm -f /tmp/o
dtrace -q -o /tmp/o -n 'BEGIN { printf("ready\n"); } END { printf("ended on CPU %d\n", cpu); }' &
tracer=$!
until_ok grep -q ready /tmp/o
echo 1 >$cpu || fail "online"
taskset -pc 1 $tracer >/dev/null || fail "taskset"
kill -INT $tracer
wait $tracer || fail "dtrace: $?"
expect "END's record" "$(grep ended /tmp/o)" "ended on CPU 0"

# Coming and going while probes do.
(while :; do echo 0 >$cpu; sleep 0.05; echo 1 >$cpu; sleep 0.05; done) &
toggler=$!
for round in $(seq 12); do
	rm -f /tmp/o
	taskset -c $((round % 2)) dtrace -q -o /tmp/o -n '
		profile-997, tick-997, tick-5000 { n++; } tick-5000 /n > 500/ { exit(0); } END { printf("%d\n", n); }' || {
		[ $((round % 2)) = 1 ] || fail "round $round"
		# There was no CPU 1 to run on.
		continue
	}
	[ "$(head -1 /tmp/o)" -gt 10 ] || fail "round $round: $(cat /tmp/o)"
done
kill $toggler
wait $toggler 2>/dev/null
echo 1 >$cpu 2>/dev/null
rmmod dtrace || fail "rmmod dtrace"
insmod "$module"
