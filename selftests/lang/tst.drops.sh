# SPDX-License-Identifier: GPL-2.0
# ASSERTION: what a small buffer cannot hold is dropped and told: records printed + drops = firings, to the last one, however
# often buffers are switched; so for aggregations with more keys than room.
# SECONDS: 90
. /src/selftests/lib/sh
driver many
firings=3000
fire="bash -c 'echo $firings >/sys/module/many/parameters/fire'"
overload() {
	taskset -c 0 dtrace -q -x bufsize=4k "$@" -n 'many:main:args:one { printf("%d\n", arg0); }' -c "$fire" >/tmp/out 2>/tmp/err || fail "dtrace: $? $(cat /tmp/err)"
	records=$(grep -c '^[0-9]' /tmp/out)
	drops=$(sed -n 's/^dtrace: \([0-9]*\) drops* on CPU [0-9]*$/\1/p' /tmp/err | awk '{ n += $1 } END { print n + 0 }')
}
for rate in 1s 1ms; do
	overload -x switchrate=$rate
	expect "records + drops at $rate" $((records + drops)) $firings
	[ "$records" -gt 50 ] || fail "only $records records"
	expect "order" "$(grep '^[0-9]' /tmp/out | sort -n -u | wc -l)" "$records"
done
overload -x switchrate=1s
[ "$drops" -gt 1000 ] || fail "only $drops drops"
expect "nothing else is told" "$(grep -v ' drops on CPU 0$' /tmp/err)" ""
overload -x switchrate=1s -x droptags
# How often is up to how long it takes.
tagged=$(grep -c '^dtrace: \[DTRACEDROP_PRINCIPAL\] [0-9]* drops* on CPU 0$' /tmp/err)
[ "$tagged" -gt 0 ] || fail "no drop has its tag: $(cat /tmp/err)"
expect "droptags" "$tagged" "$(grep -c 'drops* on CPU' /tmp/err)"
# Aggregations have no records to drop.
expect "an aggregation counts all" "$(dtrace -q -x bufsize=4k -n 'many:main:args:one { @ = count(); }' -c "$fire" 2>&1 | tr -d ' \n')" "$firings"
# Sizes of a few bytes: what fits is recorded, the rest is dropped, and a clause that fits nowhere is told.
dtrace -q -x bufsize=16 -n 'BEGIN { exit(3); }' >/tmp/out 2>&1
expect "16 bytes hold an exit" $? 3
dtrace -q -x bufsize=512 -n 'BEGIN { trace("a"); } BEGIN { trace("b"); } BEGIN { exit(0); }' >/tmp/out 2>/tmp/err
expect "one of two records in 512 bytes" "$(cat /tmp/out) $(sed 's/CPU [01]$/CPU N/' /tmp/err)" "a dtrace: 1 drop on CPU N"
expect "a record that never fits" "$(dtrace -q -x bufsize=100 -n 'BEGIN { trace("a"); exit(0); }' 2>&1)" \
	"dtrace: could not enable tracing: Enabling exceeds size of buffer"
for size in 8 16 100 512 1000 1k; do
	dtrace -q -x aggsize=$size -x dynvarsize=$size -x specsize=$size -n 'BEGIN { self->x = speculation(); a[self->x] = 4; @ = sum(4); }
		BEGIN { speculate(self->x); printf("s"); } BEGIN { commit(self->x); } BEGIN { exit(0); }' >/tmp/out 2>/tmp/err || fail "$size: $(cat /tmp/err)"
	expect "only drops are told of $size bytes" "$(grep -v ' drops\?\| drops\? on CPU [01]$' /tmp/err)" ""
done
# More keys than room: entries and drops again make up all.
taskset -c 0 dtrace -q -x aggsize=16k -x aggrate=1s -n 'many:main:args:one { @[arg0] = count(); }' -c "$fire" >/tmp/out 2>/tmp/err
records=$(awk 'NF == 2 { n += $2 } END { print n + 0 }' /tmp/out)
drops=$(sed -n 's/^dtrace: \([0-9]*\) aggregation drops* on CPU [0-9]*$/\1/p' /tmp/err | awk '{ n += $1 } END { print n + 0 }')
expect "aggregated + drops" $((records + drops)) $firings
[ "$drops" -gt 0 ] || fail "no aggregation drops"
