# SPDX-License-Identifier: GPL-2.0
# ASSERTION: whichever allocation fails while the module starts, it is refused with ENOMEM and leaves
# nothing behind.
# SECONDS: 1200
. /src/selftests/lib/sh
driver hworld
rmmod dtrace
before=$(/src/selftests/lib/site-bytes hworld)
n=0
step=$(one_of 10)
until insmod "$module" fail_alloc=$n 2>/tmp/err; do
	grep -q "Cannot allocate memory" /tmp/err || fail "allocation $n: $(cat /tmp/err)"
	# Looking at the sites takes longer than all the rest.
	[ $((n % 64)) != 0 ] ||
		expect "sites after allocation $n" "$(/src/selftests/lib/site-bytes hworld)" "$before"
	# The many later ones are alike: one for each probe, symbol and list that grows.
	n=$((n + (n < 150 ? 1 : 7) * step))
	[ $n -lt 2000 ] || fail "never succeeds"
done
[ $n -gt 5 ] || fail "only $n allocations: the test reaches nothing"
echo "$n allocations" >&2
rmmod dtrace && insmod "$module"
