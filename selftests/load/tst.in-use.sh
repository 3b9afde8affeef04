# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the module cannot be removed while a consumer is open, and can afterwards.
. /src/selftests/lib/sh
exec 9<>/dev/dtrace/dtrace
rmmod dtrace 2>/dev/null && fail "removed while the device was open"
trace /tmp/o -n 'tick { }' -Z
rmmod dtrace 2>/dev/null && fail "removed while a consumer was tracing"
end_trace
rmmod dtrace 2>/dev/null && fail "removed while the device was still open"
exec 9>&-
rmmod dtrace || fail "not removed although nobody uses it"
[ ! -e /dev/dtrace/dtrace ] || fail "the device node is still there"
insmod "$module"
