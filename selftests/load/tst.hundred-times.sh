# SPDX-License-Identifier: GPL-2.0
# ASSERTION: the module can be inserted and removed a hundred times, with a driver's call sites in place
# or not, and leaves neither memory nor changed text behind.
# SECONDS: 500
. /src/selftests/lib/sh
rmmod dtrace
driver many
before=$(/src/selftests/lib/site-bytes many)
memory() { awk '/^SUnreclaim|^VmallocUsed/ { n += $2 } END { print n }' /proc/meminfo; }
for i in $(seq 100); do
	insmod "$module" || fail "insmod, round $i"
	[ "$i" != 30 ] || early=$(memory)
	rmmod dtrace || fail "rmmod, round $i"
done
expect "sites of many" "$(/src/selftests/lib/site-bytes many)" "$before"
# The tables of the decoder (0.34 MB) stay behind each time: known, and all that may.
grown=$(($(memory) - early))
[ "$grown" -lt $((70 * 400)) ] || fail "memory grew by $grown KiB in 70 rounds"
insmod "$module"
