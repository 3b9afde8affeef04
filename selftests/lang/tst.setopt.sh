# SPDX-License-Identifier: GPL-2.0
# ASSERTION: setopt() changes how things are printed, in which order and how often, from its place in the program on; what cannot
# change, or makes no sense, is told, and the tracing goes on.
. /src/selftests/lib/sh
dtrace -n 'BEGIN { trace("a"); setopt("quiet"); trace("b"); } BEGIN { printf("c"); } BEGIN { setopt("quiet", "no"); } BEGIN { trace("d"); exit(0); }' >/tmp/o 2>/dev/null
expect "columns" "$(grep -c BEGIN /tmp/o)" 2
grep -q 'bc' /tmp/o || fail "not quiet: $(cat /tmp/o)"
expect "order" "$(dtrace -qn 'BEGIN { @[1] = sum(10); @[2] = sum(5); @[3] = sum(7); } BEGIN { printa("%d ", @); setopt("aggsortrev"); printa("%d ", @);
	setopt("aggsortkey"); printa("%d ", @); setopt("aggsortrev", "off"); printa("%d ", @); exit(0); }')" "2 3 1 1 3 2 3 2 1 1 2 3 "
expect "of the end" "$(dtrace -qn 'BEGIN { @[1] = sum(10); @[2] = sum(5); setopt("aggsortkey"); exit(0); }' | tr -s ' \n' ' ')" " 1 10 2 5 "
# Once a minute is too late for a command of four seconds.
rm -f /tmp/o
dtrace -q -x switchrate=1m -o /tmp/o -n 'BEGIN { printf("begin\n"); } tick-100ms { printf("tick\n"); }' -c 'sh -c "sleep 3; cp /tmp/o /tmp/before"'
expect "a slow rate" "$(grep -c tick /tmp/before)" 0
dtrace -q -x switchrate=1s -o /tmp/o -n 'BEGIN { setopt("switchrate", "20hz"); } tick-100ms { printf("tick\n"); n++; } tick-100ms /n == 3/ { system("cp /tmp/o /tmp/early"); } tick-100ms /n == 15/ { exit(0); }' -w 2>/dev/null
[ "$(grep -c tick /tmp/early)" -ge 3 ] || fail "switchrate: $(cat /tmp/early)"
told() { dtrace -qn "BEGIN { setopt($1); } BEGIN { printf(\"on\"); exit(0); }" 2>&1; }
expect "another option" "$(told '"bufsize", "1m"')" 'dtrace: setopt("bufsize", "1m"): it cannot change during tracing; use -x bufsize
on'
expect "no option" "$(told '"quit"')" 'dtrace: setopt("quit"): no such option; did you mean quiet?
on'
expect "no value" "$(told '"stackindent"')" 'dtrace: setopt("stackindent"): it needs a value, a number
on'
expect "a wrong value" "$(told '"switchrate", "1ns"')" 'dtrace: setopt("switchrate", "1ns"): 1ns is out of range, it must be 1ms to 1h
on'
