# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the module can be inserted and removed a hundred times (10 unless THOROUGH=1), with a driver's call sites in place
# or not, and leaves neither memory nor changed text behind.
# SECONDS: 500
. /src/selftests/lib/sh
rmmod dtrace
driver many
before=$(/src/selftests/lib/site-bytes many)
memory() { awk '/^SUnreclaim|^VmallocUsed/ { n += $2 } END { print n }' /proc/meminfo; }
all=$(rounds 100)
for i in $(seq "$all"); do
	insmod "$module" || fail "insmod, round $i"
	[ "$i" != $((all * 3 / 10)) ] || early=$(memory)
	rmmod dtrace || fail "rmmod, round $i"
done
expect "sites of many" "$(/src/selftests/lib/site-bytes many)" "$before"
# The tables of the decoder (0.34 MB) stay behind each time: known, and all that may.
grown=$(($(memory) - early))
[ "$grown" -lt $(((all - all * 3 / 10) * 400)) ] || fail "memory grew by $grown KiB in $((all - all * 3 / 10)) rounds"
insmod "$module"
