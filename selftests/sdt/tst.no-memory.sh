# SPDX-License-Identifier: GPL-2.0
# ASSERTION: whichever allocation fails while the sites of a driver are noted, its text is what it was when dtrace.ko is
# gone.
# SECONDS: 300
. /src/selftests/lib/sh
# From the N-th allocation on, all fail; without N, none. Descriptor 9 is the open device.
memory() {
	python3 - "${1:-18446744073709551615}" <<-'P' || fail "ioctl FAIL"
		import fcntl, struct, sys
		fcntl.ioctl(9, 3 << 30 | 8 << 16 | ord('d') << 8 | 127, struct.pack('Q', int(sys.argv[1])))
	P
}
rmmod many rsdt hworld dtrace 2>/dev/null
driver many
before=$(/src/selftests/lib/site-bytes many)
n=0
# The later ones are alike: some for each probe.
part=$((32 / $(one_of 16)))
while :; do
	rmmod many
	insmod "$module" fail_ioctl=1 || fail "insmod dtrace"
	dmesg -C
	exec 9</dev/dtrace/dtrace
	memory $n
	driver many
	memory
	exec 9<&-
	fire_many 10
	rmmod dtrace || fail "rmmod dtrace"
	expect "sites after allocation $n" "$(/src/selftests/lib/site-bytes many)" "$before"
	dmesg | grep -q 'sdt: many: not all probes were found' || break
	n=$((n + 1 + n / part))
	[ $n -lt 5000 ] || fail "never succeeds"
done
[ $n -gt 10 ] || fail "only $n allocations: the test reaches nothing"
echo "$n allocations" >&2
insmod "$module" || fail insmod
