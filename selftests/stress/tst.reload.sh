# SPDX-License-Identifier: GPL-2.0
# ASSERTION: drivers come and go and consumers are killed while probes fire, all at once; the probes are back with the
# driver, and the last consumer sees them.
# SECONDS: 150
. /src/selftests/lib/sh
driver many
stop=/tmp/stop
rm -f $stop
: >/tmp/reloads
: >/tmp/kills
enough() { [ "$(wc -l </tmp/reloads)" -ge 8 ] && [ "$(wc -l </tmp/kills)" -ge 8 ]; }
loops() { while [ ! -e $stop ]; do "$@" 2>/dev/null; done; }
reload() { rmmod many && sleep 0.1; insmod "$drivers/many/many.ko" && echo >>/tmp/reloads; sleep 0.3; }
killed() {
	dtrace -qn 'many::: { @[probename, arg0] = count(); self->n++; } many:second::/self->n/ { trace(arg0); self->n = 0; }' \
		>/dev/null 2>&1 &
	sleep 0.7
	echo >>/tmp/kills
	kill -9 $!
	wait $!
}
# One that lives through it all, and follows the driver.
driver many
trace /tmp/o -n 'many:main:args:one { @ = count(); } END { printa("%@d\n", @); }'
loops reload & a=$!
loops killed & b=$!
loops killed & c=$!
loops fire_many 20 & d=$!
until_ok enough
touch $stop
wait $a $b $c $d
driver many
before=$(dtrace -l -P many | wc -l)
fire_many 50
end_trace
seen=$(grep -E '^[0-9]' /tmp/o)
[ "${seen:-0}" -ge 50 ] || fail "the long one saw '$seen': $(cat /tmp/o.err)"
[ "$before" -gt 20 ] || fail "only $before probes"
expect "text" "$(/src/selftests/lib/site-bytes many | awk '{ print $2 }' | sort -u)" 0f1f440000
rmmod dtrace || fail "rmmod dtrace"
rmmod many || fail "rmmod many"
insmod "$module"
