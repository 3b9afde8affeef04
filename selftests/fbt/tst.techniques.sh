# SPDX-License-Identifier: GPL-2.0
# SECONDS: 1200
# ASSERTION: dtrace -lv says how each probe of a function is implemented, and each technique is in use.
. /src/selftests/lib/sh
dtrace -lvn fbt:vmlinux:: | sed -n 's/^\tImplementation: //p' >/tmp/how
[ "$(wc -l </tmp/how)" = "$(dtrace -ln fbt:vmlinux:: | tail -n +2 | wc -l)" ] || fail "some probes do not say it: $(wc -l </tmp/how)"
for words in 'fentry' 'int3 push' 'int3 displaced' 'int3 emulated' 'five-byte return' 'five-byte tail jump' 'int3 return'; do
	n=$(tr ',' '\n' </tmp/how | sed 's/^ //' | grep -cx "$words")
	[ "$n" -gt 0 ] || fail "no probe by $words"
	echo "$words: $n"
done
tr ',' '\n' </tmp/how | sed 's/^ //' | grep -vxE 'fentry|int3 (push|displaced|emulated|return)|five-byte (return|tail jump)' && fail "other words"
driver shapes
how() { dtrace -lvn "fbt:shapes:shape_$1" | sed -n 's/^\tImplementation: //p'; }
expect plain "$(how plain:entry)" fentry
expect push "$(how push:entry)" "int3 push"
expect displaced "$(how displaced:entry)" "int3 displaced"
expect jump "$(how jump:entry)" "int3 emulated"
# A call is not written so near to a function's beginning.
expect "plain's return" "$(how plain:return)" "int3 return"
expect "a tail jump" "$(how tail_far:return)" "int3 return"
expect "loop's return" "$(how loop:return)" "five-byte return"
