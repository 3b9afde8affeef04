# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the probes of a module come and go with it; a consumer that waits for them counts each call of each of its lives.
# SECONDS: 900
. /src/selftests/lib/sh
rounds=20
hello=$drivers/hworld/hworld.ko
probes() { dtrace -l -P fbt -m hworld 2>/dev/null | grep -c hworld_; }
rmmod hworld 2>/dev/null
# fbt has looked at the kernel before the module comes, and looks at the module as it comes.
expect "before it is there" "$(probes)" 0
trace /tmp/o -Z -n 'fbt:hworld::entry { @e[probefunc] = count(); } fbt:hworld::return { @r[probefunc] = count(); }
	fbt:hworld:hworld_read:return /arg1 > 0/ { @read = count(); }
	END { printa("entry %s %@d\n", @e); printa("return %s %@d\n", @r); printa("read %@d\n", @read); }'
for n in $(seq $rounds); do
	insmod "$hello" || fail "insmod, round $n"
	[ $((n % 10)) != 1 ] || listed=$(probes)
	for c in 1 2 3; do cat /proc/hello-world >/dev/null || fail "round $n"; done
	rmmod hworld || fail "rmmod while it is traced, round $n"
	[ $((n % 10)) != 1 ] || expect "after it went, round $n" "$(probes)" 0
done
end_trace
[ ! -s /tmp/o.err ] || fail "$(cat /tmp/o.err)"
[ "${listed:-0}" -ge 6 ] || fail "only ${listed:-no} probes while it is there"
all=$((3 * rounds))
# Each reads twice: what there is, and its end.
for line in "hworld_open $all" "hworld_show $all" "hworld_read $((2 * all))"; do
	grep -q "^entry $line$" /tmp/o || fail "entry $line: $(cat /tmp/o)"
	grep -q "^return $line$" /tmp/o || fail "return $line: $(cat /tmp/o)"
done
expect "reads" "$(grep '^read ' /tmp/o)" "read $all"
