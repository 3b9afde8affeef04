# SPDX-License-Identifier: GPL-2.0
# ASSERTION: whichever allocation fails while the module starts, it is refused with ENOMEM and leaves
# nothing behind.
# SECONDS: 120
. /src/selftests/lib/sh
driver many
rmmod dtrace
before=$(/src/selftests/lib/site-bytes many)
n=0
until insmod "$module" fail_alloc=$n 2>/tmp/err; do
	grep -q "Cannot allocate memory" /tmp/err || fail "allocation $n: $(cat /tmp/err)"
	expect "sites after allocation $n" "$(/src/selftests/lib/site-bytes many)" "$before"
	n=$((n + 1))
	[ $n -lt 2000 ] || fail "never succeeds"
done
[ $n -gt 5 ] || fail "only $n allocations: the test reaches nothing"
echo "$n allocations" >&2
rmmod dtrace && insmod "$module"
