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
# More keys than room: entries and drops again make up all.
taskset -c 0 dtrace -q -x aggsize=16k -x aggrate=1s -n 'many:main:args:one { @[arg0] = count(); }' -c "$fire" >/tmp/out 2>/tmp/err
records=$(awk 'NF == 2 { n += $2 } END { print n + 0 }' /tmp/out)
drops=$(sed -n 's/^dtrace: \([0-9]*\) aggregation drops* on CPU [0-9]*$/\1/p' /tmp/err | awk '{ n += $1 } END { print n + 0 }')
expect "aggregated + drops" $((records + drops)) $firings
[ "$drops" -gt 0 ] || fail "no aggregation drops"
