# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a driver that is loaded while a consumer traces is traced from its first probe on, its init
# code included; both with dtrace.ko there before and after the driver.
. /src/selftests/lib/sh
rmmod many 2>/dev/null
trace /tmp/o -Z -n 'many:main:init: { printf("%s %d\n", probename, arg0); }'
driver many
end_trace
grep -q '^entry 42$' /tmp/o || fail "$(cat /tmp/o /tmp/o.err)"
grep -q '^called 43$' /tmp/o || fail "$(cat /tmp/o /tmp/o.err)"
expect "init probes of a live driver" "$(dtrace -l -n many:main:init: 2>/dev/null | grep -c many)" 0
rmmod dtrace
insmod "$module"
[ "$(dtrace -l -P many | grep -c many)" -gt 20 ] || fail "probes of a driver that was there first"
