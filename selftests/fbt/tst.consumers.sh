# SPDX-License-Identifier: GPL-2.0
# SECONDS: 600
# ASSERTION: of three consumers on one function, two end one after the other; each has counted all calls of its life.
. /src/selftests/lib/sh
driver shapes
calls() { echo "$1" >/proc/shapes || fail "a function was wrong"; }
program='fbt:shapes:shape_plain:entry { @e = count(); } fbt:shapes:shape_plain:return { @r = count(); }
	fbt:shapes:shape_push: { @p = count(); } END { printa("%@d ", @e); printa("%@d ", @r); printa("%@d\n", @p); }'
begin() { trace "/tmp/o$1" -n "$program"; tracers[$1]=$tracer; }
# Calls of shape_plain and of shape_push, and returns: four and two times two for each call.
ends() {
	tracer=${tracers[$1]}
	end_trace
	expect "consumer $1" "$(sed -n 2p "/tmp/o$1")" "$((4 * $2)) $((4 * $2)) $((4 * $2))"
}
begin 1
calls 100
begin 2
calls 30
begin 3
calls 20
ends 2 50
calls 7
ends 1 157
calls 300
ends 3 327
