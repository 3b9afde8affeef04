# SPDX-License-Identifier: GPL-2.0
# ASSERTION: what belongs to a CPU that is off can still be reached, and its CPU is left alone by patching and waiting.
. /src/selftests/lib/sh
cpu=/sys/devices/system/cpu/cpu1/online
echo 0 >$cpu || fail "cpu1 stays on"
insmod "$drivers/kapi/kapi.ko" || fail "$(dmesg | grep 'kapi: FAILED')"
rmmod kapi
echo 1 >$cpu
insmod "$drivers/kapi/kapi.ko" || fail "with cpu1 back: $(dmesg | grep 'kapi: FAILED')"
rmmod kapi
