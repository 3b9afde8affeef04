# SPDX-License-Identifier: GPL-2.0
# ASSERTION: crate kapi keeps its promises: probe context and its recursion guard, memory per CPU, publications,
# cross calls, loads from bad addresses and from device memory, allocation, symbols, text patching under running
# threads, registers and stack trace at a patched site. selftests/drivers/kapi/main.rs has the checks.
. /src/selftests/lib/sh
# Device memory: a timer's registers, whose address the kernel tells root if asked to.
echo 1 >/proc/sys/kernel/kptr_restrict
device=$(awk '/hpet_enable/ { split($1, a, "-"); print a[1] }' /proc/vmallocinfo)
[ -n "$device" ] || fail "no device memory to try"
insmod "$drivers/kapi/kapi.ko" "device=$device" toggles=40 || fail "$(dmesg | grep 'kapi: FAILED')"
dmesg | grep -q 'kapi: all passed' || fail "not said"
rmmod kapi
