# SPDX-License-Identifier: GPL-2.0
# ASSERTION: probes that leave the machine nothing to do but themselves are ended with the classic message before the kernel's own
# watchdog speaks; they are disarmed, the next consumer works; those that only make it slow go on.
# SECONDS: 300
. /src/selftests/lib/everything
ftraced_before=$(ftraced)
[ -e $tracing/enabled_functions ] || fail "what ftrace has cannot be seen"
# What the kernel does in each interrupt of a timer, and each search takes a while.
traced='fbt::*sched*:entry, fbt::*timer*:entry, fbt::*tick*:entry, fbt::*rcu*:entry'
search='n = index(s, "ab");'
program() {
	echo "string s; int n, fired; BEGIN { s = \"$(printf 'a%.0s' $(seq 2000))\"; }"
	echo "$traced { fired++; $(for i in $(seq "$1"); do printf '%s ' "$search"; done) }"
	echo 'END { printf("fired %d\n", fired); }'
}
# eat SEARCHES SECONDS
eat() { dtrace -x strsize=4k -qs <(program "$1") -c "sleep $2" >/tmp/o 2>/tmp/e; }
# As many searches as take this machine 5 ms when nothing disturbs it, within the budget of a firing: the fastest of
# five tries, since a busy host makes some of them several times slower.
try="string s; int n; BEGIN { s = \"$(printf 'a%.0s' $(seq 2000))\"; t = walltimestamp; }
	BEGIN { $(for i in $(seq 60); do printf '%s ' "$search"; done) } BEGIN { printf(\"%d\\n\", walltimestamp - t); exit(0); }"
ns=$(for i in 1 2 3 4 5; do dtrace -x strsize=4k -qn "$try"; done | sort -n | awk 'NF { print; exit }')
[ "$ns" -gt 0 ] || fail "searches are not measured: '$ns'"
many=$((60 * 5000000 / ns))
[ $many -ge 20 ] || many=20
[ $many -le 400 ] || many=400
echo "60 searches take $ns ns, so $many"
eat $many 100
expect "status" $? 1
expect "message" "$(cat /tmp/e)" "dtrace: processing aborted: Abort due to systemic unresponsiveness"
expect "what ftrace has" "$(ftraced)" "$ftraced_before"
eat 1 12 || fail "what makes it slow was ended: $(cat /tmp/e)"
[ "$(sed -n 's/^fired //p' /tmp/o)" -gt 1000 ] || fail "$(cat /tmp/o)"
dmesg | grep -iE 'stall|lockup' && fail "the machine suffered"
exit 0
