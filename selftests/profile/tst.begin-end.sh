# SPDX-License-Identifier: GPL-2.0
# ASSERTION: however often probes fire, none does before BEGIN is over, nor when END begins; a fault in ERROR is counted
# and goes no further.
. /src/selftests/lib/sh
# BEGIN and END each stay on their CPU for 15 ms, which is 75 intervals of 200 us however fast the machine is.
run() {
	rm -f /tmp/o
	dtrace -q -w -o /tmp/o "$@" -n "
	BEGIN { t = walltimestamp; ended = 0; }
	BEGIN { chill(5000000); } BEGIN { chill(5000000); } BEGIN { chill(5000000); }
	BEGIN { took = walltimestamp - t; begun = 1; }
	tick-5000, profile-4999 /!begun/ { early++; }
	tick-5000, profile-4999 /ended/ { @late = count(); }
	tick-5000, profile-4999 { @all = count(); n++; }
	END { ended = 1; u = walltimestamp; }
	END { chill(5000000); } END { chill(5000000); } END { chill(5000000); }
	END { printf(\"early %d took %d %d fired %d\n\", early, took, walltimestamp - u, n); printa(\"late %@d\n\", @late); }" 2>/tmp/e ||
		{ head -c 300 /tmp/e; fail "dtrace: $?"; }
	read -r _ early _ began ended _ n </tmp/o
	cat /tmp/o
	expect "none before BEGIN is over" "$early" 0
	expect "none after END has begun" "$(grep -c '^late' /tmp/o)" 0
	[ "$n" -gt 10 ] || fail "few fired: $n"
	[ "$began" -ge 15000000 ] && [ "$ended" -ge 15000000 ] || fail "BEGIN and END were too short to tell"
}
for round in 1 2 3; do
	run -n 'tick-100 /j++ == 30/ { exit(0); }'
	run -c 'sleep 0.5'
done

rm -f /tmp/o
dtrace -q -o /tmp/o -n 'tick-997 { trace(*(int *)0); } profile-499 { trace(*(int *)8); }
	ERROR { errors++; trace(*(int *)16); } tick-997 /n++ == 300/ { exit(0); } END { printf("%d\n", errors); }' 2>/tmp/e
errors=$(head -1 /tmp/o)
[ "$errors" -gt 50 ] || fail "errors: $errors"
