# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a probe is made when it is asked for by name, once; the usual ones are listed; nobody can use up the names; what
# cannot be says why.
. /src/selftests/lib/sh
rmmod dtrace && insmod "$module" || fail "reload"
export LC_ALL=C
usual=$(dtrace -l -P profile | awk 'NR > 1 { print $NF }' | sort)
expect "the usual ones" "$(echo $usual)" "profile-199 profile-1999 profile-4001 profile-499 profile-4999 profile-97 profile-997 tick-1 tick-10 tick-100 tick-1000 tick-500 tick-5000"
for name in tick-{1s,1sec,5,5hz,1000ms,200us,300usec,250000ns,250000nsec,50msec,1m,2min,1h,2hour,1d,2day} profile-{1234hz,7ms}; do
	expect "$name" "$(dtrace -l -n "$name" | awk 'NR > 1 { print $2, $3 }')" "profile $name"
	expect "$name again" "$(dtrace -l -n "profile:::$name" | wc -l)" 2
done
expect "all of them" "$(dtrace -l -P profile | wc -l)" $((1 + 13 + 18))
expect "by pattern" "$(dtrace -l -n 'tick-1[sh]' | wc -l)" 3
dtrace -lv -n tick-1s | grep -q 'Evolving' || fail "stability"
refused() {
	dtrace -l -n "$1" >/tmp/o 2>&1 && fail "$1 is there"
	grep -q "$2" /tmp/o || { cat /tmp/o; fail "$1"; }
}
refused tick-100us 'shortest interval is 200us'
refused profile-5001 'no more than 5000'
refused profile:::tick-0s 'a number that is not 0'
refused tick-10fortnights 'the unit is one of'
refused tick-1000000d '292 years'
refused profile:::tock-1 'are called `profile-N` and `tick-N`'
refused fbt:::tick-1s .
# Listing takes no name from others: the oldest ones that nobody has enabled disappear.
trace /tmp/held -n 'tick-7hz { printf("tick\n"); }'
for i in $(seq 16); do
	seq -f 'tick-%gms' $((i * 100)) $((i * 100 + 49)) | sed 's/^/-n /' | xargs dtrace -l >/dev/null 2>/tmp/e || fail "$(cat /tmp/e)"
done
expect "all that can be" "$(dtrace -l -P profile | wc -l)" $((1 + 13 + 512))
listed() { dtrace -l -P profile | awk -v name="$1" '$NF == name' | wc -l; }
expect "an old one" "$(listed tick-1s)" 0
expect "an enabled one" "$(listed tick-7hz)" 1
dtrace -l -n tick-77s >/dev/null || fail "one more"
dtrace -q -n 'tick-1s { exit(0); }' || fail "tick-1s"
n=$(grep -c tick /tmp/held)
ticks() { [ "$(grep -c tick /tmp/held)" -gt $((n + 7)) ]; }
until_ok ticks
end_trace
# A program with more of them than can be is refused, not left without some of them.
dtrace -n "$(seq -s , -f 'tick-%gms' 600)" >/tmp/o 2>&1 && fail "600 in one program"
grep -q 'too many enabled probes with a number in their names' /tmp/o || { cat /tmp/o; fail "600 in one program"; }
dtrace -l -n tick-78s >/dev/null || fail "one more after it"
# A user who is not root has half of them. When all are enabled, listing others is refused, but does not fill the log.
chmod 666 /dev/dtrace/dtrace
few='-all,+perfmon,+bpf'
setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set $few --inh-caps $few --ambient-caps $few \
	dtrace -n "$(seq -s , -f 'tick-%gs' 300)" >/tmp/o 2>&1 && fail "300 of a user"
grep -q 'too many enabled probes with a number in their names' /tmp/o || { cat /tmp/o; fail "300 of a user"; }
# A name that two users have had counts for the one who keeps it, by its name or by a pattern.
a=65533 b=65534
# trace_as USER ARGUMENT...
trace_as() {
	user=$1
	dtrace() {
		exec setpriv --reuid $user --regid $user --clear-groups \
			--bounding-set $few --inh-caps $few --ambient-caps $few dtrace "$@"
	}
	trace "${@:2}"
	unset -f dtrace
}
# some UNIT
some() { seq -s , -f "tick-%g$1" 150; }
for more in m min; do
	kept=$(some h)
	[ $more = m ] || kept='profile:::tick-*[0-9]h'
	trace_as $b /tmp/b -n "$(some h) { n++; }"
	first=$tracer
	trace_as $a /tmp/a -n "$kept { n++; }"
	keeper=$tracer
	tracer=$first
	end_trace
	trace_as $b /tmp/b -n "$(some $more) { n++; }"
	end_trace
	tracer=$keeper
	end_trace
done
chmod 600 /dev/dtrace/dtrace
trace /tmp/held -n "$(seq -s , -f 'tick-%gs' 512) { n++; }"
for n in 1 2 3; do
	dtrace -l -n tick-99${n}s >/tmp/o 2>&1 && fail "513"
	grep -q "the kernel's log (.dmesg.) says why" /tmp/o || { cat /tmp/o; fail "listing the 513th"; }
done
expect "in the log" "$(dmesg | grep 'not made' | sed 's/.*profile: //')" \
	"tick-991s: not made: too many enabled probes with a number in their names"
end_trace
rmmod dtrace || fail rmmod
insmod "$module" || fail insmod
dtrace -l -n tick-77s >/dev/null || fail "after it was reloaded"
