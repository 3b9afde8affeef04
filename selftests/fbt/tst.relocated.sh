# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the kernel finds what it wrote where a livepatch refers to a module that it patches: that module can be loaded
# and unloaded while all functions of the livepatch are traced. A function that begins with, or ends by, such a jump says why it
# has no probe there.
# SECONDS: 240
. /src/selftests/lib/sh
patch=/sys/kernel/livepatch/patching
/src/selftests/lib/klp-relocate $drivers/patched/patching.ko /tmp/patching.ko patched patched_inner || fail "no relocation"
# complaints: what the kernel says about relocations since the test began.
dmesg -C
complaints() { ! dmesg | grep -E 'relocation|refusing to load' || fail "the kernel complains"; }
run() {
	insmod $drivers/patched/patched.ko || { dmesg | tail -n 5; fail "the kernel refuses the patched module"; }
	until_ok grep -q 0 $patch/transition
	echo 100 >/sys/module/patched/parameters/run || fail "the patched functions return something else"
}
refused() {
	dtrace -ln "fbt:patching:$1" >/tmp/o 2>&1 && fail "$1 exists: $(cat /tmp/o)"
	grep -qF "$2" /tmp/o || fail "$1: $(cat /tmp/o)"
}
# both COMMAND ...: runs the command, too, while the livepatch is there.
both() {
	# From here on, dtrace looks at each module as it comes.
	dtrace -ln 'fbt:vmlinux:vfs_read:entry' >/tmp/o || fail "listing"
	insmod /tmp/patching.ko || fail "insmod patching"
	# dtrace arms its probes while the jumps of the livepatch have their distances, and while they have none.
	for there in yes no; do
		[ $there = no ] || run
		trace /tmp/o -n 'fbt:patching:: { @[probefunc, probename] = count(); } END { printa("%s %s %@d\n", @); }'
		[ $there = yes ] || run
		echo 100 >/sys/module/patched/parameters/run || fail "the patched functions return something else"
		rmmod patched || fail "rmmod"
		run
		rmmod patched || fail "rmmod"
		end_trace
		complaints
		grep -q '^patching_tail entry [1-9]' /tmp/o || fail "tail: $(cat /tmp/o)"
		grep -q '^patching_call return [1-9]' /tmp/o || fail "call: $(cat /tmp/o)"
		grep -qE '^patching_(tail return|first)' /tmp/o && fail "tail, first: $(cat /tmp/o)"
	done
	refused patching_tail:return "patching_tail returns by a jump that the kernel rewrites"
	refused patching_first:return "patching_first returns by a jump that the kernel rewrites"
	refused patching_first:entry "patching_first begins with an instruction that the kernel rewrites"
	"$@"
	echo 0 >$patch/enabled || fail "the livepatch stays"
	until_ok test ! -e $patch
	until_ok rmmod patching
	complaints
}
both dtrace -ln fbt:patching:patching_call:entry
# By breakpoints: behind the place for ftrace stands a call into the other module.
with_module fbt_int3=1
both refused patching_call:entry "patching_call begins with an instruction that the kernel rewrites"
