# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a consumer comes and goes, in every way, while a program runs at full speed: its text is as it was, nothing
# fires any more; a program that is killed takes its probes along; the module can be removed.
# SECONDS: 900
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
begin /tmp/life loop
go_on
places=$(instructions life form)
ask offset life form $places >/dev/null
at=$(where form) size=$(($(echo "$at" | cut -d' ' -f2)))
text() { dd if=/proc/$target/mem bs=1 skip=$((0x${at% *})) count=$size 2>/dev/null | od -An -tx1; }
before=$(text)
for n in $(seq 50); do
	dtrace -q -n "pid$target:life:form: { @ = count(); } pid$target:life:form:0 /++hits == 20/ { exit(0); } END { printa(\"%@d\n\", @); }" >/tmp/o || fail "round $n"
	[ "$(cat /tmp/o)" -gt 0 ] || fail "round $n: nothing fired"
	expect "text after round $n" "$(text)" "$before"
	# The slots of the first round serve all others.
	[ "$n" != 1 ] || mapped=$(cat /proc/$target/maps)
	expect "what is mapped after round $n" "$(cat /proc/$target/maps)" "$mapped"
done
trace /tmp/o -n "pid$target:life:form: { @ = count(); }"
[ "$(text)" = "$before" ] && fail "no breakpoint is there"
kill -9 "$tracer"
wait "$tracer" 2>/dev/null
back() { [ "$(text)" = "$before" ]; }
until_ok back
kill -0 "$target" || fail "the program is gone"
trace /tmp/o -n "pid$target:life:form: { @ = count(); }"
kill -9 "$target"
wait "$target" 2>/dev/null
gone() { ! dtrace -l -P "pid$target" >/dev/null 2>&1; }
until_ok gone
end_trace
rmmod dtrace || fail "rmmod"
insmod "$module" || fail "insmod"
