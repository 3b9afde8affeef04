# SPDX-License-Identifier: GPL-2.0
# ASSERTION: while a CPU goes and comes back, no firing is lost uncounted, and what was recorded on a CPU that is off
# can still be had.
# SECONDS: 150
. /src/selftests/lib/sh
driver many
gcc -O2 -pthread -o /tmp/consumers /src/selftests/stress/consumers.c || fail compile
cpu=/sys/devices/system/cpu/cpu1/online
(while :; do echo 0 >$cpu; sleep 0.2; echo 1 >$cpu; sleep 0.3; done) &
toggler=$!
# The other tests want it, whatever happens here.
trap 'kill $toggler 2>/dev/null; wait $toggler 2>/dev/null; echo 1 >$cpu 2>/dev/null' EXIT
/tmp/consumers count 8 300 || fail "count: $?"
/tmp/consumers race 3 40 || fail "race: $?"
kill $toggler
wait $toggler 2>/dev/null
echo 1 >$cpu 2>/dev/null
# A CPU that was off at GO has no memory: its firings are drops, each of them counted.
echo 0 >$cpu
/tmp/consumers count 2 50 || fail "count with cpu1 off: $?"
trace /tmp/o -n 'many:main:args:one { @ = count(); }'
echo 1 >$cpu
taskset -c 1 sh -c 'echo 500 >/sys/module/many/parameters/fire'
end_trace
grep -q '500 aggregation drops on CPU 1' /tmp/o.err || fail "500 firings on a new CPU: $(cat /tmp/o /tmp/o.err)"
rmmod dtrace || fail "rmmod dtrace"
insmod "$module"
