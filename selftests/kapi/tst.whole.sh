# SPDX-License-Identifier: GPL-2.0
# ASSERTION: all functions of the kernel that ftrace knows, and their returns, can have a probe at once; the machine
# goes on, and everything is as it was afterwards. The log says how long each step took.
# SECONDS: 300
. /src/selftests/lib/sh
insmod "$drivers/kapi/kapi.ko" whole=1 || fail "$(dmesg | grep 'kapi: FAILED')"
ls -lR /etc >/dev/null
rmmod kapi
log=$(dmesg | grep ' kapi: ')
echo "$log" | grep -q 'kapi: refused 0$' || fail "sites were refused: $log"
echo "$log" | grep -Eq 'kapi: kept 0; [0-9]{5,} entries, [0-9]{5,} returns' || fail "not all is as before, or nothing fired: $log"
ls -lR /etc >/dev/null
