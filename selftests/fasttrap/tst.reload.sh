# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a library that is loaded again at another place or at its own while its probes are enabled has them there, functions
# and its own, with their counter; each call of it is counted then, and nothing is left of them in the end.
# SECONDS: 300
. /src/selftests/lib/sh
. /src/selftests/fasttrap/lib
gcc -O2 -shared -fPIC -DLIBRARY -o /tmp/libtoy.so /src/selftests/fasttrap/toy.c || fail "gcc -shared"
gcc -O2 -o /tmp/reload /src/selftests/fasttrap/reload.c || fail "gcc reload.c"
begin /tmp/reload /tmp/libtoy.so
asked=0
# Has the program do what a letter says: say LETTER; its answer is $answer.
say() {
	asked=$((asked + 1))
	echo "$1" >&3
	until_ok grep -q "^$asked " /tmp/said
	answer=$(sed -n "s/^$asked . //p" /tmp/said)
}
# The counter is raised when all of them are enabled.
traced() { say s; [ "${answer##* }" = 1 ]; }
places=
say l
trace /tmp/o -x statusrate=50ms -n "pid$target:libtoy.so:tock:entry,pid$target:libtoy.so:tock:return,toy$target:libtoy.so::tick { @[probename] = count(); }"
for round in 1 2 3; do
	until_ok traced
	say c
	places+="${answer%% traced*} "
	say u
	say l
done
until_ok traced
# Nothing in the list of what is mapped differs.
say r
until_ok traced
say c
say r
until_ok traced
end_trace
say s
expect "the counter" "${answer##* }" 0
expect "places" "$(printf '%s\n' $places | grep -v at | sort -u | wc -l)" 3
expect "calls" "$(sed 1d /tmp/o | xargs -n2 | sort | xargs)" "entry 40 return 40 tick 40"
expect "errors" "$(cat /tmp/o.err)" ""
exec 3>&-
end_well
