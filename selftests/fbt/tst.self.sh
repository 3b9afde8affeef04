# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a breakpoint in the kernel is no context of its own: what a thread sets at a function's entry, which has a
# call, it finds at the return, which has a breakpoint; and `ipl` is that of the thread.
. /src/selftests/lib/sh
driver shapes
dtrace -lvn 'fbt:shapes:shape_plain:return' | grep -q 'Implementation.*int3' || fail "the return has no breakpoint"
trace /tmp/o -n 'fbt:shapes:shape_plain:entry { self->on = 1; @e = count(); } fbt:shapes:shape_plain:return /self->on/
	{ self->on = 0; @r = count(); } fbt:shapes:shape_plain: /ipl/ { @i = count(); }
	END { printa("%@d\n", @e); printa("%@d\n", @r); printa("ipl %@d\n", @i); }'
echo 10 >/proc/shapes || fail "a function was wrong"
end_trace
expect "entries, returns that found what the entry set" "$(sed -n '2,$p' /tmp/o | grep . | paste -sd ' ')" "40 40"
