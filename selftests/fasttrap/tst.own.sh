# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a breakpoint that somebody sets where a probe was is his; and a program that has put a copy of its text in its
# place, with our breakpoints, is traced on, and has none of them when that ends.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
gcc -O2 -o /tmp/own /src/selftests/fasttrap/own.c || fail "gcc own.c"
has_said() { [ "$(grep -c did /tmp/said)" = "$1" ] || ! kill -0 "$target"; }
n=0
say() {
	printf %s "$1" >&3
	n=$((n + 1))
	until_ok has_said "$n"
	grep -q "did $1" /tmp/said || fail "the program has ended at $1"
}
text() { dd if=/proc/$target/mem bs=4096 skip=$((page)) count=1 2>/dev/null | md5sum; }
of_no_file() { awk '$2 == "r-xp" && $5 == 0 && NF == 5' "/proc/$target/maps" | wc -l; }
begin /tmp/own
page=$(((0x$(sed 's/-.*//;q' "/proc/$target/maps") + 0x$(nm /tmp/own | awk '$3 == "work" { print $1 }')) / 4096))
before=$(text)

# What was ours, and then is not.
trace /tmp/o -n "pid$target:own:work: { @[probename] = count(); }"
say w
[ "$(text)" = "$before" ] && fail "no breakpoint is there"
end_trace
expect "entries" "$(awk '$1 == "entry" { print $2 }' /tmp/o)" 100
none() { [ "$(of_no_file)" = 0 ]; }
say b
until_ok none
say b
say w

# The copy has a breakpoint at each instruction.
trace /tmp/o -n "pid$target:own:work: { @[probename] = count(); }"
say w
say c
say w
[ "$(text)" = "$before" ] && fail "no breakpoint is in the copy"
end_trace
expect "entries, with the copy" "$(awk '$1 == "entry" { print $2 }' /tmp/o)" 200
expect "the copy's text" "$(text)" "$before"
say w
say b
exec 3>&-
end_well
