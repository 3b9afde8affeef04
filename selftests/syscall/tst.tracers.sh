# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a call fires although another tracer has replaced the return address of its function. getppid has one
# function for 64-bit and 32-bit programs, so the probes ask who has called it.
# SECONDS: 60
. /src/selftests/lib/sh
tracing=/sys/kernel/tracing
# The function has two names, and the other tracers know one of them.
function=$(grep -m1 '_sys_getppid$' $tracing/available_filter_functions) || fail "getppid cannot be traced"
echo 64 >$tracing/buffer_size_kb
begun() {
	echo "$function" >$tracing/set_ftrace_filter && echo function_graph >$tracing/current_tracer
}
ended() {
	echo nop >$tracing/current_tracer
	echo >$tracing/set_ftrace_filter
}
count() {
	dtrace -qn 'syscall::getppid:entry, syscall::getppid:return /pid == $target/ { @[probename] = count(); }' \
		-c 'python3 -c "import os; [os.getppid() for i in range(100)]"' | xargs
}
both="entry 100 return 100"
expect "alone" "$(count)" "$both"
begun || fail "function_graph"
expect "under function_graph" "$(count)" "$both"
ended
echo "f:left $function%return" >$tracing/dynamic_events && echo 1 >$tracing/events/fprobes/left/enable ||
	fail "fprobe"
expect "under an fprobe" "$(count)" "$both"
echo 0 >$tracing/events/fprobes/left/enable
echo >$tracing/dynamic_events
echo "r:left $function" >$tracing/kprobe_events && echo 1 >$tracing/events/kprobes/left/enable || fail "kretprobe"
expect "under a kretprobe" "$(count)" "$both"
echo 0 >$tracing/events/kprobes/left/enable
echo >$tracing/kprobe_events
