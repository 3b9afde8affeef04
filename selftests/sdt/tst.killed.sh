# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a consumer killed while tracing leaves nothing enabled: the text is as before, the module and
# the driver can be removed, and the next consumer works.
. /src/selftests/lib/sh
driver many
for i in 1 2 3 4 5; do
	trace /tmp/o -n 'many::: { @[probename] = count(); }'
	(for i in $(seq 20); do fire_many 50; done) &
	busy=$!
	/src/selftests/lib/site-bytes many | grep -v 0f1f440000 | grep -q . || fail "nothing is enabled"
	kill -9 $tracer
	wait $tracer 2>/dev/null
	wait $busy
	expect "text" "$(/src/selftests/lib/site-bytes many | awk '{ print $2 }' | sort -u)" 0f1f440000
done
rmmod dtrace || fail "rmmod dtrace"
insmod "$module"
expect "next consumer" "$(dtrace -qn 'BEGIN { trace("ok"); exit(0); }')" ok
