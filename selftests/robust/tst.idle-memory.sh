# SPDX-License-Identifier: GPL-2.0
# ASSERTION: an idle consumer has the buffers that its options name and little else: what snapshots are exchanged with is
# there while there is something to take, and what is recorded later still comes out.
. /src/selftests/lib/sh
used() { awk '/^VmallocUsed/ { print $2 }' /proc/meminfo; }
cpus=$(nproc)

none=$(used)
trace out -x bufsize=8m -x aggsize=8m -n 'syscall::getcwd:entry { printf("%s %s\n", probefunc, execname); @[execname] = count(); }'
# BEGIN's record has been taken by one more buffer, which is given up.
most=$((cpus * 16 * 1024 + 4096))
little() { kb=$(($(used) - none)); [ "$kb" -le $most ]; }
until_ok little
[ "$kb" -ge $((cpus * 16 * 1024)) ] || fail "an idle consumer has $kb kB, less than its buffers"
for _ in 1 2 3; do
	bash -c 'pwd -P' >/dev/null
	sleep 1.5
done
/bin/pwd >/dev/null
end_trace
lines=$(grep -c '^getcwd pwd$' out)
expect "lines of the last call" "$lines" 1
expect "its aggregation" "$(awk '$1 == "pwd" { print $2 }' out)" 1
[ "$(grep -c '^getcwd ' out)" = "$(awk '$2 ~ /^[0-9]+$/ { n += $2 } END { print n }' out)" ] || fail "records and counts differ: $(cat out)"
