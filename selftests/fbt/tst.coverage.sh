# SPDX-License-Identifier: GPL-2.0
# ASSERTION: 99 of 100 functions of the kernel that are safe to trace have an entry probe, and those that have none a reason.
# SECONDS: 900
. /src/selftests/lib/sh
mount -t debugfs none /sys/kernel/debug 2>/dev/null
/src/selftests/lib/fbt-coverage 99 || fail "coverage"
