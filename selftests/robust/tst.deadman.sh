# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a consumer that has not been heard of for half a minute traces no more: its probes do nothing, and it is told when it
# is back; one with -w goes on.
# SECONDS: 150
. /src/selftests/lib/sh
driver many
trace /tmp/o -n 'many:main:args:one { printf("%d\n", arg0); } END { printf("end\n"); }'
stopped=$tracer
trace /tmp/w -w -n 'many:main:args:one { printf("%d\n", arg0); } END { printf("end\n"); }'
fire_many 3
until_ok grep -qx 2 /tmp/o
until_ok grep -qx 2 /tmp/w
kill -STOP $stopped "$tracer"
sleep 28
fire_many 10
sleep 6
fire_many 20
kill -CONT $stopped "$tracer"
wait $stopped
expect "status" $? 1
expect "message" "$(cat /tmp/o.err)" "dtrace: processing aborted: Abort due to systemic unresponsiveness"
end_trace
expect "with -w" "$(grep -c '^[0-9]' /tmp/w) $(tail -2 /tmp/w | tr -d '\n')" "33 end"
# A slow rate is no sign of death.
rates='-x switchrate=1h -x statusrate=1h -x aggrate=1h'
dtrace -q $rates -n 'many:main:args:one { n++; } END { printf("%d", n); }' -c "sh -c 'sleep 33; echo 5 >/sys/module/many/parameters/fire'" >/tmp/o 2>&1 &
slow=$!
wait $slow
expect "slow rates: status" $? 0
expect "slow rates" "$(tail -1 /tmp/o)" 5
