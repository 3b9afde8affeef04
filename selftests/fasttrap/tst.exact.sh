# SPDX-License-Identifier: GPL-2.0
# ASSERTION: probes on every instruction of a function, which has one of each kind that is treated in a way of its own,
# fire as often as it is run, in threads that run at the same time, and the program computes what it should.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
threads=8 times=5000
n=$((threads * times))
begin /tmp/calls $threads $times
places=$(instructions calls form)
expect "made" "$(ask entry calls form 0)" "made 1"
expect "made" "$(ask offset calls form $places | head -1)" "made $(echo $places | wc -w)"
expect "again" "$(ask offset calls form $places)" "made 0"
trace /tmp/o -n "pid$target:calls:form: { @[probename] = count(); }"
go_on
end_well
expect "calls" "$(tail -1 /tmp/said)" "calls $n bad 0"
end_trace
# The loop's two instructions run three times; what follows the jump that is taken, never. Its three calls return as well.
expect "counts" "$(awk -v n=$n 'NF == 2 { print $2 / n }' /tmp/o | sort | uniq -c | xargs)" "25 1 2 3 1 4"
expect "errors" "$(cat /tmp/o.err)" ""
