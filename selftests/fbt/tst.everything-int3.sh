# SPDX-License-Identifier: GPL-2.0
# ASSERTION: all probes of fbt at once by breakpoints alone (fbt_int3=1), under a load: each firing is counted, and the text is
# what it was. Other tracers may be at work on what the kernel runs between a breakpoint and us.
# SECONDS: 900
. /src/selftests/lib/everything
# Whoever traces these is called at each breakpoint before we are.
functions="kprobe_int3_handler get_kprobe notifier_call_chain"
rmmod dtrace && insmod "$module" fbt_int3=1 || fail "not loaded with fbt_int3=1"
trap 'echo >$tracing/set_ftrace_filter; rmmod dtrace; insmod "$module"' EXIT
# To read a trace is to make more of it.
echo 64 >$tracing/buffer_size_kb
echo $functions >$tracing/set_ftrace_filter || fail "these cannot be traced"
warm_up
ftraced_before=$(ftraced)
/src/selftests/lib/kernel-text save /tmp/text || fail "no text"
count_all
expect "by ftrace" "$(ftraced)" "$ftraced_before"
load 1 1 "$(one_of 4)" || fail "the load: $(cat /tmp/load1)"
echo function >$tracing/current_tracer || fail "function"
/bin/true
echo 0 >$tracing/tracing_on
grep -q notifier_call_chain $tracing/trace || fail "the function tracer saw nothing"
echo nop >$tracing/current_tracer
echo 1 >$tracing/tracing_on
end_counting
text compare "everything was disabled"
expect "what ftrace has" "$(ftraced)" "$ftraced_before"
counted 1
