# SPDX-License-Identifier: GPL-2.0
# ASSERTION: who decodes a function with one of our breakpoints is not misled: no kprobe comes into the instruction under
# it, and none is optimised over the target of a jump. Afterwards the functions work.
# SECONDS: 120
. /src/selftests/lib/sh
list=/sys/kernel/debug/kprobes/list
[ -e $list ] || mount -t debugfs none /sys/kernel/debug
expect "kprobes are optimised" "$(cat /proc/sys/debug/kprobes-optimization)" 1
driver shapes
plant() { insmod "$drivers/planted/planted.ko" "symbol=$1" "offset=$2" 2>/dev/null; }
plant shape_displaced 4 || fail "no kprobe at an instruction"
rmmod planted || fail "rmmod planted"
# The entry of both is a breakpoint behind the endbr.
trace /tmp/o -n 'fbt:shapes:shape_displaced:entry, fbt:shapes:shape_swallowing:entry { @[probefunc] = count(); }'
# The first instruction has four bytes.
for at in 4 5 6 7; do
	plant shape_displaced $at && fail "a kprobe is under a breakpoint, at +$at"
done
plant shape_swallowing 12 || fail "no kprobe in front of the target"
# The kernel optimises kprobes after a while, and all that are due.
sleep 2
grep 'shape_swallowing+0xc' $list || fail "no kprobe: $(cat $list)"
grep 'shape_swallowing+0xc.*OPTIMIZED' $list && fail "a kprobe was optimised over the target of a jump"
echo 100 >/proc/shapes || fail "wrong values"
end_trace
for f in displaced swallowing; do
	expect $f "$(awk "\$1 == \"shape_$f\" { print \$2 }" /tmp/o)" 100
done
echo 100 >/proc/shapes || fail "wrong values without us"
rmmod planted || fail "rmmod planted"
rmmod dtrace || fail "rmmod"
echo 100 >/proc/shapes || fail "wrong values without the module"
insmod "$module" || fail "insmod"
