# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a library that a traced process loads gets the probes that were described before; each of its calls is counted.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
gcc -O2 -shared -fPIC -DLIBRARY -o /tmp/libtoy.so /src/selftests/fasttrap/toy.c || fail "gcc -shared"
begin /tmp/toy /tmp/libtoy.so
trace /tmp/o -Z -n "pid$target:libtoy.so:tock:entry,pid$target:libtoy.so:tock:return,toy$target:libtoy.so::tick { @[probename] = count(); }"
echo >&3
until_ok grep -q "traced by" /tmp/said
there() { [ "$(dtrace -ln "*$target:libtoy.so::" | grep -c -e tock -e tick)" = 3 ]; }
until_ok there
echo >&3
echo >&3
go_on
end_well
end_trace
expect "calls" "$(sed 1d /tmp/o | xargs -n2 | sort | xargs)" "entry 30 return 30 tick 30"
expect "errors" "$(cat /tmp/o.err)" ""
