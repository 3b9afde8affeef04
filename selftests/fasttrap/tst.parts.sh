# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a function that has a part elsewhere returns as often as it is entered, with what it returns, in whichever
# way it goes there and back; also in a program without symbols, whose parts have no names, as frame information tells.
# SECONDS: 120
. /src/selftests/lib/sh
cd /tmp || exit 1
gcc -O2 -DTWIN -c -o twin.o /src/selftests/fasttrap/parts.c || fail "gcc -DTWIN"
gcc -O2 -rdynamic -o parts /src/selftests/fasttrap/parts.c twin.o || fail "gcc parts.c"
strip -o bare parts
nm parts | grep -q ' compiled.cold$' || fail "the compiler has not made a part"
# What was called, how often, the sum: of entry and return the same.
counts() {
	dtrace -q -n 'pid$target:'"$1"'::entry { @e[probefunc] = count(); } pid$target:'"$1"'::return { @r[probefunc] = count(); @s[probefunc] = sum(arg1); }
		END { printa("entry %s %@d\n", @e); printa("return %s %@d %@d\n", @r, @s); }' -c "./$1" >o 2>o.err || fail "$1: $(cat o.err)"
	[ ! -s o.err ] || fail "$1: $(cat o.err)"
	awk -v of="^($functions)\$" '$1 == "return" && $2 ~ of { print $2, $3, $4 } $1 == "entry" && $2 ~ of { entered[$2] = $3 }
		$1 == "return" && $2 ~ of && entered[$2] != $3 { print $2, "entered", entered[$2] }' o | sort
}
./parts | awk '{ n[$1] += $2; sum[$1] += $3 } END { for (f in n) print f, n[f], sum[f] }' | sort >all
[ "$(grep -c . all)" = 10 ] || fail "$(cat all)"
functions=$(awk '{ printf "%s%s", (NR > 1) ? "|" : "", $1 }' all)
# What leaves by a jump is over before the value is there.
without() { grep -v '^tail \|^by_register ' "$@"; }
expect "with symbols" "$(counts parts | without)" "$(without all)"
expect "calls, with symbols" "$(counts parts | cut -d' ' -f1,2)" "$(cut -d' ' -f1,2 all)"
# Where there is no frame, and none of it comes back, nothing tells a part from another function.
expect "stripped" "$(counts bare | without | grep -v '^late ')" "$(without all | grep -v '^twin \|^late ')"
expect "calls, stripped" "$(counts bare | cut -d' ' -f1,2)" "$(grep -v '^twin ' all | cut -d' ' -f1,2)"
