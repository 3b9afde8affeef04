# SPDX-License-Identifier: GPL-2.0
# ASSERTION: %Y and %T print a moment as date(1) does; walltimestamp is now, timestamp runs on.
. /src/selftests/lib/sh
for zone in UTC Europe/Berlin America/New_York; do
	for t in 0 1700000000 1720000000 4000000000; do
		got=$(TZ=$zone dtrace -q -n 'BEGIN { printf("%Y|%T", $1 * 1000000000LL, $1 * 1000000000LL); exit(0); }' $t) || fail "dtrace"
		expect "$zone $t" "$got" "$(TZ=$zone LC_ALL=C date -d @$t '+%Y %b %e %H:%M:%S|%a, %d %b %Y %H:%M:%S %Z')"
	done
done
before=$(date +%s%N)
read -r now first second < <(dtrace -q -n 'BEGIN { this->a = timestamp; }
	BEGIN { printf("%d %d %d\n", walltimestamp, this->a, timestamp); exit(0); }')
after=$(date +%s%N)
[ "$now" -ge "$before" ] && [ "$now" -le "$after" ] || fail "walltimestamp $now is not within $before..$after"
[ "$second" -ge "$first" ] && [ $((second - first)) -le $((after - before)) ] || fail "timestamp: $first, then $second"
