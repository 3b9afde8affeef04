# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the functions that a firing probe runs, and those of a CPU that cannot take a breakpoint, are found behind the
# breakpoints of kprobes, too.
# SECONDS: 240
. /src/selftests/lib/sh
tracing=/sys/kernel/tracing
[ -e $tracing/trace ] || mount -t tracefs none $tracing
optimization=$(cat /proc/sys/debug/kprobes-optimization)
tidy() {
	echo 0 >$tracing/events/kprobes/enable
	echo >$tracing/kprobe_events
	echo "$optimization" >/proc/sys/debug/kprobes-optimization
	grep -q '^dtrace ' /proc/modules || insmod "$module"
}
# How many functions a look finds, which leaves a line in the log.
look() {
	rmmod dtrace && insmod "$module" || fail "the module is not loaded anew"
	dtrace -lP fbt >/dev/null || fail "dtrace -l"
	dmesg | grep -o 'no probes on .*' | tail -1
}
before=$(look)
trap tidy EXIT
echo 0 >/proc/sys/debug/kprobes-optimization
n=0
for f in unwind_next_frame arch_stack_walk nmi_uaccess_okay __kernel_text_address load_current_idt idt_invalidate; do
	# Behind ftrace's site.
	for at in 9 5; do
		echo "p:under$n $f+$at" 2>/dev/null >>$tracing/kprobe_events && n=$((n + 1)) && break
	done
done
[ "$n" -ge 4 ] || fail "$n kprobes"
echo 1 >$tracing/events/kprobes/enable || fail "the kprobes are not enabled"
expect "a look under $n kprobes" "$(look)" "$before"
