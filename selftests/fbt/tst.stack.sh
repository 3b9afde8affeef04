# SPDX-License-Identifier: GPL-2.0
# SECONDS: 600
# ASSERTION: a stack begins with the caller of the function that the probe names, at its entry and at its return, whatever the
# probe is made with: a call by ftrace, a call in the place of a return or a jump, a breakpoint. caller and stackdepth agree.
. /src/selftests/lib/sh
driver shapes
driver hworld
try() {
	trace /tmp/o -n '
		fbt:shapes:shape_*: { @c[probefunc, probename, sym(caller)] = count(); }
		fbt::vfs_read:entry, fbt::vfs_read:return /execname == "reader"/
		{
			printf("%s %a %d%k", probename, sym(caller), stackdepth, stack(3));
		}
		fbt::seq_read_iter:entry, fbt::seq_read_iter:return /execname == "reader"/ { stack(); }
		END { printa("%s %s %a %@d\n", @c); }'
	cp /bin/cat /tmp/reader
	/tmp/reader /proc/hello-world >/dev/null
	echo 3 >/proc/shapes || fail "a function was wrong"
	end_trace
	# Nothing but functions of the driver calls its shapes, and each is called by one of them.
	grep '^shape_' /tmp/o >/tmp/shapes
	[ "$(wc -l </tmp/shapes)" -gt 10 ] || fail "few shapes: $(cat /tmp/shapes)"
	awk '$3 !~ /^shapes`(call_all|shapes_|check|shape_|run|calls)/ { print; bad = 1 } END { exit bad }' /tmp/shapes ||
		fail "called by somebody else"
	# Both ways of reading end in the same two frames.
	grep -A3 -E '^(entry|return) vmlinux`ksys_read 3' /tmp/o | grep -v '^--' >/tmp/read
	[ "$(grep -c '^entry' /tmp/read)" -gt 0 ] || fail "no entry: $(cat /tmp/o)"
	expect "entries and returns" "$(grep -c '^entry' /tmp/read)" "$(grep -c '^return' /tmp/read)"
	expect frames "$(grep -v '^[er]' /tmp/read | sed 's/+0x[0-9a-f]*$//; s/^ *//' | sort | uniq -c | awk '{ print $2 }' | tr '\n' ' ')" \
		'vmlinux`do_syscall_64 vmlinux`entry_SYSCALL_64_after_hwframe vmlinux`ksys_read '
	# hworld's file is read through here; the driver itself reads it by seq_read.
	grep -q '^ *vmlinux`seq_read+0x' /tmp/o || fail "seq_read did not call: $(cat /tmp/o)"
	grep -q '^ *hworld`hworld_read+0x' /tmp/o || fail "the module's frame is missing: $(cat /tmp/o)"
}
try
rmmod hworld shapes
with_module fbt_int3=1
driver shapes
driver hworld
try
