# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a driver can be removed while its probes are enabled; they vanish, the consumer lives on, and
# when the driver comes back its probes are enabled again.
. /src/selftests/lib/sh
driver hworld
trace /tmp/o -Z -n 'hworld:::entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }'
cat /proc/hello-world >/dev/null
for i in 1 2 3; do
	rmmod hworld || fail "rmmod hworld while enabled"
	expect "probes left" "$(dtrace -l -P hworld 2>/dev/null | grep -c hworld)" 0
	driver hworld
	expect "probes back" "$(dtrace -l -P hworld | grep -c hworld)" 4
	cat /proc/hello-world >/dev/null
done
end_trace
grep -q '^open1 4$' /tmp/o || fail "$(cat /tmp/o /tmp/o.err)"
expect "text" "$(/src/selftests/lib/site-bytes hworld | awk '{ print $2 }' | sort -u)" 0f1f440000
