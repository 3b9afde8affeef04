# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a consumer that is killed while its probes fire leaves nothing attached: the module can be removed at once, while
# threads pass the tracepoints all the time; and the next consumer works. While probes are enabled the module cannot be removed.
. /src/selftests/lib/sh
busy() { while :; do /bin/true; done; }
busy & busy1=$!
busy & busy2=$!
for i in 1 2 3 4 5; do
	trace /tmp/o -n 'proc:::, sched:::, io:::, sdt:::sched_*, sdt:::sys_* { @[probename] = count(); }'
	rmmod dtrace 2>/dev/null && fail "removed while enabled"
	kill -9 $tracer
	wait $tracer 2>/dev/null
	until_ok rmmod dtrace
	insmod "$module" || fail insmod
done
kill $busy1 $busy2
dmesg | grep -E 'BUG|WARNING|Oops' && fail "the kernel complains"
dtrace -qn 'proc:::exec-success /pid == $target/ { trace(execname); exit(0); }' -c 'sh -c "exec true"' >/tmp/o || fail "next consumer"
expect "next consumer" "$(cat /tmp/o)" true
