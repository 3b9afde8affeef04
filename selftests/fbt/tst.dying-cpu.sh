# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a probe that fires on a CPU which is off already, on the way to its end, wakes the consumer of another CPU or
# none: neither the consumer nor the removal of what it had waits for that CPU to come back.
. /src/selftests/lib/sh
cpu=/sys/devices/system/cpu/cpu1/online
trap 'echo 1 >$cpu 2>/dev/null' EXIT
trace /tmp/o -n 'fbt::rcutree_report_cpu_dead:entry { printf("on %d\n", cpu); exit(0); }'
echo 0 >$cpu || fail "cpu1 does not go"
n=0
while kill -0 "$tracer" 2>/dev/null; do
	n=$((n + 1))
	[ $n -lt 300 ] || { echo 1 >$cpu; fail "dtrace waits for the CPU: $(cat /tmp/o /tmp/o.err)"; }
	sleep 0.2
done
wait "$tracer" || fail "dtrace: $(cat /tmp/o.err)"
grep -qx 'on 1' /tmp/o || fail "it did not fire there: $(cat /tmp/o /tmp/o.err)"
echo 1 >$cpu || fail "cpu1 does not come back"
