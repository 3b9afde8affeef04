# SPDX-License-Identifier: GPL-2.0
# ASSERTION: what is counted under a key that never changes on a probe is what is counted without one, over more probes than
# have a number, over many snapshots, and for every kind of aggregation; other keys beside it are not disturbed.
# SECONDS: 120
. /src/selftests/lib/sh
cat >/tmp/fixed.d <<'D'
fbt::[a-t]*:entry { @one[probefunc] = count(); }
fbt::[a-t]*:entry { @all = count(); @two[probefunc, probename] = sum(2); @cpu[cpu] = count(); @three[probemod, 3] = count(); }
syscall:::entry, syscall:::return { @name[probename] = count(); @sys = count(); }
tick-300ms { n++; }
tick-300ms /n == 8/ { exit(0); }
END { printa("one %s %@d\n", @one); printa("all %@d\n", @all); printa("two %s %s %@d\n", @two); printa("cpu %d %@d\n", @cpu);
	printa("three %s %d %@d\n", @three); printa("name %s %@d\n", @name); printa("sys %@d\n", @sys); }
D
(while :; do cat /proc/self/maps >/dev/null; done) & busy=$!
dtrace -q -x aggrate=50hz -x aggsize=8m -s /tmp/fixed.d >/tmp/o 2>/tmp/e || { kill $busy; cat /tmp/e; fail "dtrace"; }
kill $busy
grep -i drop /tmp/e && fail "drops"
sum() { awk -v w="$1" '$1 == w { n += $NF } END { print n + 0 }' /tmp/o; }
all=$(sum all)
[ "$all" -gt 10000 ] || fail "only $all firings"
expect "by function" "$(sum one)" "$all"
expect "two parts" "$(sum two)" $((2 * all))
expect "beside it" "$(sum cpu)" "$all"
expect "a number" "$(sum three)" "$all"
expect "several probes" "$(sum name)" "$(sum sys)"
# A key is printed once.
expect "once" "$(grep -c ^name /tmp/o)" 2
expect "functions" "$(grep ^two /tmp/o | sort -k2,3 | uniq -c -f0 | awk '$1 != 1' | wc -l)" 0
probes=$(dtrace -ln 'fbt::[a-t]*:entry' | wc -l)
[ "$probes" -gt 5000 ] || fail "only $probes probes: they all have a number"
