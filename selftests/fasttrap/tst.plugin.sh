# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a library has its probes before any of its code runs, however short it is loaded; the process that loads it goes
# on when who traces it is stopped or killed, and can be killed itself meanwhile; what was missed by that is told.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
gcc -O2 -shared -fPIC -DLIBRARY -o /tmp/libplug.so /src/selftests/fasttrap/plugin.c /src/selftests/fasttrap/toy.c || fail "gcc -shared"
gcc -O2 -o /tmp/plugin /src/selftests/fasttrap/plugin.c || fail "gcc plugin.c"
own() { echo "toy$1:libplug.so::tick,pid$1:libplug.so:begun:entry,pid$1:libplug.so:chosen:entry,pid$1:libplug.so:tock: { @[probefunc, probename] = count(); }"; }
ran_on='dtrace: [0-9]* times a process went on before the probes in a newly mapped file were ready'
told() { grep -c "^$ran_on$" /tmp/o.err; }
# counts WHAT LOADS [TOLD]: of so many loads each call was counted; unless this machine was so slow that it was told, more often
# than it had to be.
counts() {
	local n=$2 got
	if [ "$(told)" -gt "${3:-0}" ]; then
		echo "$1: too slow"
		return
	fi
	expect "$1: errors" "$(grep -v "^$ran_on$" /tmp/o.err)" ""
	got=$(grep -E '^ *(begun|chosen|fire|tock) +(entry|return|tick|0) ' /tmp/o | xargs -n3 | sort | xargs)
	expect "$1: calls" "$got" "begun entry $((2 * n)) chosen entry $((2 * n)) fire tick $((1000 * n)) tock 0 $((1000 * n)) tock entry $((1000 * n)) tock return $((1000 * n))"
}
# Nobody looks but when a library is loaded.
seldom="-x statusrate=1h"

for when in exec preinit main; do
	dtrace -q $seldom -x evaltime=$when -Z -n "$(own '$target')" -c "/tmp/plugin /tmp/libplug.so 3" >/tmp/o 2>/tmp/o.err || fail "$when: $(cat /tmp/o.err)"
	counts "evaltime=$when" 3
	[ "$(told)" -gt 0 ] || grep -qx "raised 3" /tmp/o || fail "the counter: $(head -1 /tmp/o)"
done

# A short name of what is not there yet.
dtrace -q $seldom -Z -n 'pid$target:libplug:begun:entry { @ = count(); } END { printa("%@d\n", @); }' -c "/tmp/plugin /tmp/libplug.so 3" >/tmp/o 2>/tmp/o.err || fail "short: $(cat /tmp/o.err)"
[ "$(told)" -gt 0 ] || expect "a short name" "$(grep -v raised /tmp/o | xargs)" 6

# Two that trace one process: with a glob, and by name.
begin /tmp/plugin /tmp/libplug.so
trace /tmp/all $seldom -n "pid$target:::entry /probefunc == \"begun\"/ { @ = count(); }"
first=$tracer
trace /tmp/o $seldom -Z -n "$(own "$target")"
echo >&3
until_ok grep -qx "loaded 1" /tmp/said
kill -INT "$first"
wait "$first"
echo >&3
until_ok grep -qx "loaded 2" /tmp/said
end_trace
counts "two" 2
[ -s /tmp/all.err ] || expect "the other one" "$(sed 1d /tmp/all | xargs)" 2

is_stopped() { grep -q '^State:.T' "/proc/$tracer/status"; }
stop() { kill -STOP "$tracer"; until_ok is_stopped; }
waits_or_went_on() { grep -q kapi_tell "/proc/$target/stack" || grep -qx "$1" /tmp/said; }

# Killed while the process waits for it.
trace /tmp/o $seldom -Z -n "$(own "$target")"
stop
echo >&3
until_ok waits_or_went_on "loaded 3"
kill -KILL "$tracer"
wait "$tracer"
until_ok grep -qx "loaded 3" /tmp/said

# Stopped, it is not waited for again and again; what that cost is told, and the next one is whole.
trace /tmp/o $seldom -Z -n "$(own "$target")"
stop
echo >&3
until_ok grep -qx "loaded 4" /tmp/said
kill -CONT "$tracer"
until_ok grep -q "^$ran_on$" /tmp/o.err
echo >&3
until_ok grep -qx "loaded 5" /tmp/said
end_trace
counts "after a stop" 1 1

# The process is killed while it waits.
trace /tmp/o $seldom -Z -n "$(own "$target")"
stop
echo >&3
until_ok waits_or_went_on "loaded 6"
kill -KILL "$target"
wait "$target"
kill -CONT "$tracer"
end_trace
