# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a consumer that is killed with all probes of fbt enabled leaves nothing behind; meanwhile a module that it traces
# can be removed, dtrace.ko cannot, and can right afterwards.
# SECONDS: 900
. /src/selftests/lib/everything
driver shapes
warm_up
ftraced_before=$(ftraced)
/src/selftests/lib/kernel-text save /tmp/text || fail "no text"

trace_all 'fbt::: { @[probename] = count(); }'
# Reading all of it takes two minutes: each line asks for symbols, by functions that are traced.
[ "$(ftraced | head -n 2000 | wc -l)" = 2000 ] || fail "not everything is enabled"
rm -f /tmp/stop
both /tmp/stop "$(one_of 16)"
echo 10 >/proc/shapes || fail "a function was wrong"
dtrace -ln 'fbt:shapes:shape_push:entry' >/dev/null || fail "shapes has no probes"
rmmod shapes || fail "a traced module cannot be removed"
grep -q '^shapes ' /proc/modules && fail "a traced module stays"
dtrace -ln 'fbt:shapes:shape_push:entry' >/dev/null 2>&1 && fail "shapes has probes, and is gone"
driver shapes
echo 10 >/proc/shapes || fail "a function was wrong after it came again"
rmmod dtrace 2>/dev/null && fail "dtrace.ko could be removed while it is in use"
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
touch /tmp/stop
loaded
text compare "a consumer was killed"
expect "what ftrace has" "$(ftraced)" "$ftraced_before"
rmmod dtrace || fail "rmmod dtrace"
text compare "dtrace.ko was removed"
insmod "$module" || fail "insmod"
dtrace -qn 'fbt:shapes:shape_push: { @[probename] = count(); } END { printa("%s %@d\n", @); }' -c 'sh -c "echo 10 >/proc/shapes"' >/tmp/o ||
	fail "dtrace"
expect "afterwards" "$(sort /tmp/o | tr -s '\n' ' ')" "$(printf '\nentry 20\nreturn 20\n' | tr -s '\n' ' ')"
