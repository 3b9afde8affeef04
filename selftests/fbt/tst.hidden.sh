# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a breakpoint that hides an instruction is seen: our own does not keep other probes of the function from what
# they want, and if it is a kprobe's, the probe is left out that might miss a return.
# SECONDS: 240
. /src/selftests/lib/sh
tracing=/sys/kernel/tracing
[ -e $tracing/trace ] || mount -t tracefs none $tracing

# One function, three names.
cat >/tmp/calls.py <<'P'
import os
for n in range(50):
    os.getppid()
P
counts() { grep -v ready "$1" | tr -s ' \n' ' '; }
for name in __do_sys_getppid __x64_sys_getppid; do
	trace /tmp/$name -n "fbt:vmlinux:$name: /execname == \"hiddenpy\"/ { @[probename] = count(); }"
	eval "$name=$tracer"
done
cp "$(command -v python3)" /tmp/hiddenpy && /tmp/hiddenpy -I -S /tmp/calls.py || fail "the calls"
for name in __do_sys_getppid __x64_sys_getppid; do
	tracer=${!name}
	end_trace
	[ ! -s /tmp/$name.err ] || fail "$name: $(cat /tmp/$name.err)"
done
expect "entries as returns" "$(counts /tmp/__do_sys_getppid | awk '{ print $2 - $4, ($2 >= 50) }')" "0 1"
expect "two names" "$(counts /tmp/__x64_sys_getppid)" "$(counts /tmp/__do_sys_getppid)"

driver shapes
calls() { echo 20 >/proc/shapes || fail "a function was wrong ($1)"; }
traced() { trace "$1" -n "fbt:shapes:$2 { @ = count(); } END { printa(\"%@d\n\", @); }"; }

# Our breakpoints at the beginning, and those who come later.
for shape in push displaced relative; do
	# shape_tail_far calls it, too.
	n=20; [ $shape != push ] || n=40
	traced /tmp/e shape_$shape:entry; entry=$tracer
	traced /tmp/r shape_$shape:return
	calls "$shape"
	end_trace; tracer=$entry; end_trace
	expect "$shape" "$(sed -n 2p /tmp/e) $(sed -n 2p /tmp/r)" "$n $n"
	[ ! -s /tmp/r.err ] || fail "$shape: $(cat /tmp/r.err)"
done

# A kprobe in the middle of a function that ftrace knows; it is one of these: endbr64 (4), nop (5), lea (4), ret.
echo 0 >/proc/sys/debug/kprobes-optimization
probe() { echo "p:middle shapes:shape_plain+$1" >$tracing/kprobe_events && echo 1 >$tracing/events/kprobes/enable; }
unprobe() { echo 0 >$tracing/events/kprobes/enable; echo >$tracing/kprobe_events || fail "the kprobe stays"; }
hits() { awk '{ print $2 }' $tracing/kprobe_profile; }
traced /tmp/e shape_plain:entry
calls "alone"
end_trace
n=$(sed -n 2p /tmp/e)
[ "$n" -ge 20 ] || fail "alone: $n"
for at in 9 13; do
	probe $at || fail "no kprobe on shape_plain+$at: $(tail -3 $tracing/error_log)"
	dtrace -qn 'fbt:shapes:shape_plain: { @[probename] = count(); }' -c 'sh -c "echo 20 >/proc/shapes"' >/tmp/o 2>/tmp/o.err ||
		fail "$(cat /tmp/o.err)"
	grep -q "left out" /tmp/o.err && grep -q "shape_plain:return: another tracer's breakpoint hides" /tmp/o.err ||
		fail "+$at: $(cat /tmp/o /tmp/o.err)"
	expect "the entry" "$(counts /tmp/o)" " entry $n "
	expect "the kprobe" "$(hits)" $n
	unprobe
done
# The other way round both see all.
traced /tmp/r shape_plain:return
probe 9 || fail "no kprobe while a return is traced"
calls "fbt, then a kprobe"
expect "the kprobe, coming later" "$(hits)" $n
end_trace
expect "the return, coming first" "$(sed -n 2p /tmp/r)" $n
unprobe
# Where our call stands there may be none, or both see all.
traced /tmp/r shape_plain:return
if probe 13 2>/dev/null; then
	calls "a kprobe on our return"
	expect "the kprobe on our return" "$(hits)" $n
	unprobe
else
	calls "no kprobe on our return"
	echo >$tracing/kprobe_events
fi
end_trace
expect "with a kprobe on our return" "$(sed -n 2p /tmp/r)" $n
calls afterwards
echo 1 >/proc/sys/debug/kprobes-optimization

# An optimized one is a jump, behind which no instruction begins where one seems to.
debugfs=/sys/kernel/debug
[ -e $debugfs/kprobes/list ] || mount -t debugfs none $debugfs
at=$(objdump -d --disassemble=shape_torn "$drivers/shapes/shapes.ko" | awk -F '[ :]+' '/<shape_torn>:/ { print "0x" $1 } /imul/ { print "0x" $2 }' |
	xargs printf '%d ' | awk '{ print $2 - $1 }')
echo "p:middle shapes:shape_torn+$at" >$tracing/kprobe_events && echo 1 >$tracing/events/kprobes/enable || fail "no kprobe on shape_torn: $(tail -4 $tracing/error_log)"
until_ok grep -q 'shape_torn.*OPTIMIZED' $debugfs/kprobes/list
dtrace -qn 'fbt:shapes:shape_torn:return { exit(0); }' 2>/tmp/o.err && fail "its return is enabled behind an optimized kprobe"
grep -q "shape_torn:return: another tracer's breakpoint hides" /tmp/o.err || fail "behind a jump: $(cat /tmp/o.err)"
calls "an optimized kprobe"
expect "the kprobe" "$(hits)" 20
unprobe
calls "the end"
