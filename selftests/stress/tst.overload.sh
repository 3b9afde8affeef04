# SPDX-License-Identifier: GPL-2.0
# ASSERTION: two CPUs fire far more than there is room for: of each cause what was kept and what the command tells as dropped
# are the firings, exactly; of records and aggregations on each CPU by itself.
# SECONDS: 180
. /src/selftests/lib/sh
driver nmi
# Fires N times on each CPU, at the same time.
fire() {
	local cpu jobs=
	for cpu in 0 1; do
		taskset -c $cpu sh -c "for n in 1 2 3 4 5 6 7 8 9 10; do echo $(($1 / 10)) >/proc/nmi-fire; done" &
		jobs="$jobs $!"
	done
	wait $jobs
}
# The sum of what messages like this one tell.
told() { sed -n "s/^dtrace: \([0-9]*\) $1\$/\1/p" /tmp/o.err | awk '{ n += $1 } END { print n + 0 }'; }
only() { grep -v "$1" /tmp/o.err && fail "it told of something else"; return 0; }
n=20000

trace /tmp/o -x bufsize=4k -x switchrate=50ms -n 'nmi:::iter { @[cpu] = count(); } nmi:::iter { printf("%d %d\n", cpu, arg0); }
	END { printa("fired %d %@d\n", @); }'
fire $n
end_trace
for cpu in 0 1; do
	records=$(grep -c "^$cpu " /tmp/o)
	drops=$(told "drops* on CPU $cpu")
	echo "CPU $cpu: $records records, $drops drops" >&2
	expect "fired on CPU $cpu" "$(sed -n "s/^fired $cpu //p" /tmp/o)" $n
	expect "records and drops of CPU $cpu" $((records + drops)) $n
	[ "$records" -gt 100 ] && [ "$drops" -gt 100 ] || fail "no overload"
done
only ' drops\{0,1\} on CPU [01]$'

trace /tmp/o -x aggsize=16k -x aggrate=50ms -n 'nmi:::iter { @n[cpu, arg0, arg1] = count(); }
	END { printa("%d %d %d %@d\n", @n); }'
fire $n
end_trace
for cpu in 0 1; do
	kept=$(awk -v cpu=$cpu 'NF == 4 && $1 == cpu { n += $4 } END { print n + 0 }' /tmp/o)
	drops=$(told "aggregation drops* on CPU $cpu")
	echo "CPU $cpu: $kept aggregated, $drops drops" >&2
	expect "aggregated and dropped on CPU $cpu" $((kept + drops)) $n
	[ "$kept" -gt 100 ] && [ "$drops" -gt 100 ] || fail "no overload"
done
only ' aggregation drops\{0,1\} on CPU [01]$'

# Each assigns another element: it is there afterwards, or was dropped.
trace /tmp/o -x dynvarsize=64k -n 'nmi:::iter { @all = count(); }
	nmi:::iter { a[cpu, timestamp] = 1; }
	nmi:::iter /a[cpu, timestamp]/ { @kept = count(); }
	END { printa("all %@d\n", @all); printa("kept %@d\n", @kept); }'
fire $n
end_trace
kept=$(sed -n 's/^kept //p' /tmp/o)
drops=$(told 'dynamic variable drops*\( with busy hash chain\)\{0,1\}')
echo "$kept elements, $drops drops" >&2
expect "assignments" "$(sed -n 's/^all //p' /tmp/o)" $((2 * n))
expect "elements and drops" $((kept + drops)) $((2 * n))
[ "$kept" -gt 100 ] && [ "$drops" -gt 100 ] || fail "no overload"
only ' dynamic variable drops\{0,1\}'

# Speculations that are not to be had.
trace /tmp/o -x nspec=3 -n 'nmi:::iter { @all = count(); } nmi:::iter { this->s = speculation(); } nmi:::iter /this->s/ { @had = count(); }
	END { printa("all %@d\n", @all); printa("had %@d\n", @had); }'
fire 1000
end_trace
expect "speculations" "$(sed -n 's/^all //p' /tmp/o)" 2000
expect "had" "$(sed -n 's/^had //p' /tmp/o)" 3
expect "not had" "$(told 'failed speculations* (no speculative buffer available)')" 1997

# Signals: sixteen wait for a CPU at most, and none goes before the firing has ended.
signals=$(for i in $(seq 20); do printf 'raise(23); '; done)
trace /tmp/o -w -n "nmi:::iter /pid == \$target/ { @ = count(); $signals } END { printa(\"fired %@d\\n\", @); }" -c 'sh -c "for i in 1 2 3 4 5; do echo 1 >/proc/nmi-fire; done"'
wait "$tracer"
expect "firings with signals" "$(sed -n 's/^fired //p' /tmp/o)" 5
expect "signals without room" "$(told 'signal drops* (too many waiting on the CPU)')" 20
