# SPDX-License-Identifier: GPL-2.0
# ASSERTION: probes that a program brings along are listed, fire where they stand with their arguments, and the program can
# tell that they are traced, as long as they are, and its children that they are not; those of a command's libraries are found before it runs.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
names() { awk -v p="toy$1" '$2 == p { print $3, $4, $5 }' | sort | xargs; }

begin /tmp/toy
listed="toy fire tick toy fire tick-more"
expect "by the process" "$(dtrace -l -p $target | names $target)" "$listed"
expect "by the provider" "$(dtrace -l -P toy$target | names $target)" "$listed"
expect "by a glob" "$(dtrace -ln 'toy*:::tick' | names $target)" "toy fire tick"
expect "types" "$(dtrace -lv -n "toy$target:::tick" | sed -n 's/.*args\[.\]: //p' | xargs)" "int32_t uint64_t int16_t int32_t uint8_t int64_t"

trace /tmp/o -n 'toy$target:toy:fire:tick {
	printf("tick %d %s %d %d %d %d\n", arg0, copyinstr(arg1), arg2, arg3, arg4, arg5); }
	toy$target:::tick__more { @[probename] = count(); }' -p $target
echo >&3
until_ok grep -q "traced by" /tmp/said
printf f >&3
until_ok grep -q "child traced by" /tmp/said
end_trace
expect "arguments" "$(grep '^tick ' /tmp/o | sort | uniq -c | xargs)" "10 tick -5 measured here -300 -7 212 1000"
expect "the other" "$(awk '$1 == "tick-more" { print $2 }' /tmp/o)" 10
echo >&3
until_ok grep -q "^traced by 0" /tmp/said
go_on
end_well
expect "the program knows" "$(xargs </tmp/said)" "ready traced by 1 child traced by 0 traced by 0 traced by 0"

dtrace -q -n 'toy$target:::tick { @ = count(); } END { printa("%@d\n", @); }' -c '/tmp/toy 7' >/tmp/o 2>&1
expect "a command" "$(xargs </tmp/o)" "7"
# Those of libraries that are not mapped yet when the command stands at its first instruction.
gcc -O2 -shared -fPIC -DLIBRARY -o /tmp/libtoy.so /src/selftests/fasttrap/toy.c || fail "gcc -shared"
echo 'void fire(int, char *, short *, long); short p[2]; int main(void) { fire(1, "", p, 1); return 0; }' |
	gcc -x c - -x none -o /tmp/linked /tmp/libtoy.so || fail "gcc"
dtrace -q -n 'toy$target:::tick { @ = count(); } END { printa("%@d\n", @); }' -c /tmp/linked >/tmp/o 2>&1
expect "a command's library" "$(xargs </tmp/o)" "1"

# A program that begins when its probes are wanted already.
trace /tmp/o -Z -n 'toy*:::tick { @[probename] = count(); }'
begin /tmp/toy
there() { [ "$(dtrace -ln "toy$target:::tick" 2>/dev/null | names $target)" = "toy fire tick" ]; }
until_ok there
echo >&3
until_ok grep -q "traced by 1" /tmp/said
go_on
end_well
end_trace
expect "one that begins later" "$(sed 1d /tmp/o | xargs)" "tick 20"

sleep 1000 &
none=$!
dtrace -l -p $none >/tmp/o 2>&1
expect "status" $? 0
grep -q "process $none has no probes of its own" /tmp/o || { cat /tmp/o; fail "nothing is said of a process without probes"; }
kill $none
