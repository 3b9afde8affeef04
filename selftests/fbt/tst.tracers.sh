# SPDX-License-Identifier: GPL-2.0
# ASSERTION: other tracers may watch what the kernel runs between a breakpoint and us, while their own functions have our
# breakpoints.
# SECONDS: 300
. /src/selftests/lib/everything
# Whoever traces these is called at each breakpoint before we are.
functions="kprobe_int3_handler get_kprobe notifier_call_chain"
# To read a trace is to make more of it.
echo 64 >$tracing/buffer_size_kb
ftraced_before=$(ftraced)
saw() {
	echo 0 >$tracing/tracing_on
	grep -q "$1" $tracing/trace || fail "$who saw nothing"
	echo >$tracing/trace
	echo 1 >$tracing/tracing_on
}
trace_all 'fbt:vmlinux:*trac*:,fbt:vmlinux:*graph*:,fbt:vmlinux:*probe*:,fbt:vmlinux:*ring_buf*:,fbt:vmlinux:rb_*:,
	fbt:vmlinux:*bpf_prog*: { @ = count(); } END { printa("%@d\n", @); }'
echo $functions >$tracing/set_ftrace_filter || fail "these cannot be traced"
for who in function function_graph; do
	echo $who >$tracing/current_tracer || fail "$who"
	/bin/true | cat
	saw notifier_call_chain
	echo nop >$tracing/current_tracer
done
echo >$tracing/set_ftrace_filter
who="an fprobe"
echo 'f:on_the_way notifier_call_chain' >$tracing/dynamic_events && echo 1 >$tracing/events/fprobes/on_the_way/enable ||
	fail "fprobe"
/bin/true | cat
saw on_the_way:
echo 0 >$tracing/events/fprobes/on_the_way/enable
echo >$tracing/dynamic_events
# What an event runs before it knows that it is already running.
who="an event"
echo 1 >$tracing/events/notifier/notifier_run/enable || fail "$who"
/bin/true | cat
saw notifier_run:
echo 0 >$tracing/events/notifier/notifier_run/enable
end_counting
[ "$(sed -n 2p /tmp/o)" -gt 1000 ] || fail "$(cat /tmp/o)"
expect "what ftrace has" "$(ftraced)" "$ftraced_before"
