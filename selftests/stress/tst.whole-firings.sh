# SPDX-License-Identifier: GPL-2.0
# ASSERTION: all clauses of a consumer run in a firing, or none, whenever tracing begins or ends: STOP waits for who is at it.
# Only exit() in a clause of the firing itself keeps the later ones from running.
# SECONDS: 120
. /src/selftests/lib/sh
driver nmi
taskset -c 1 sh -c 'while :; do echo 50 >/proc/nmi-fire; done' &
busy=$!
for n in $(seq 8); do
	trace /tmp/o -w -n 'nmi:::iter { @a = count(); } nmi:::iter { chill(2000000); } nmi:::iter { @b = count(); }
		END { printa("%@d %@d\n", @a, @b); }'
	sleep 0.1
	end_trace
	read -r a b <<-END
	$(sed 1d /tmp/o)
	END
	[ "${a:-0}" -gt 0 ] || { kill $busy; fail "nothing fired: $(cat /tmp/o /tmp/o.err)"; }
	[ "$a" = "$b" ] || { kill $busy; fail "round $n: the first clause ran $a times, the last one $b"; }
done
kill $busy
wait $busy 2>/dev/null
expect "after exit()" "$(dtrace -qn 'BEGIN { printf("a"); exit(3); } BEGIN { printf("b"); } END { printf("c"); } END { exit(4); } END { printf("d"); }' 2>&1)" acd
expect "after exit() in ERROR" "$(dtrace -qn 'BEGIN { n = *(int *)0; } BEGIN { printf("b"); } ERROR { printf("e"); exit(0); } END { printf("c"); }' 2>/dev/null)" ec
dtrace -qn 'nmi:::iter { @a = count(); } nmi:::iter { exit(0); } nmi:::iter { @b = count(); } END { printa("a %@d\n", @a); printa("b %@d\n", @b); }' -c 'sh -c "echo 50 >/proc/nmi-fire"' >/tmp/o
expect "exit() in the middle" "$(cat /tmp/o | tr -d '\n')" "a 1"
