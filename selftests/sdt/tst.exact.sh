# SPDX-License-Identifier: GPL-2.0
# ASSERTION: N firings are N records and a count of N, with two CPUs firing at once; nothing is dropped.
# SECONDS: 120
. /src/selftests/lib/sh
driver many
rounds=3000
trace /tmp/o -x bufsize=8m -n 'many:main:args:eight { @n = count(); @c[cpu] = count(); @s = sum(arg7); }
	many:main:call_args:eight { printf("r\n"); } END { printa("n %@d\n", @n); printa("s %@d\n", @s); }'
for c in 0 1; do
	taskset -c $c sh -c "for i in \$(seq $((rounds / 100))); do echo 100 >/sys/module/many/parameters/fire; done" &
	jobs[c]=$!
done
wait "${jobs[@]}"
end_trace
expect "count()" "$(grep '^n ' /tmp/o)" "n $((2 * rounds))"
expect "sum()" "$(grep '^s ' /tmp/o)" "s $((2 * rounds * 8))"
expect "records" "$(grep -c '^r' /tmp/o)" $((2 * rounds + 1))
[ "$(grep -c drops /tmp/o.err)" = 0 ] || fail "$(cat /tmp/o.err)"
