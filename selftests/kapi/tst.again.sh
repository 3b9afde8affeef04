# SPDX-License-Identifier: GPL-2.0
# ASSERTION: insertion and removal leave nothing behind: fifty times, and the kernel has as much memory as before.
# SECONDS: 300
. /src/selftests/lib/sh
once() {
	insmod "$drivers/kapi/kapi.ko" toggles=1 && rmmod kapi || fail "round $1: $(dmesg | grep 'kapi: FAILED')"
}
unused() { sync; echo 3 >/proc/sys/vm/drop_caches; awk '/^Slab|^VmallocUsed|^Percpu/ { n += $2 } END { print n }' /proc/meminfo; }
for n in 1 2 3; do once "$n"; done
before=$(unused)
for n in $(seq 50); do once "$n"; done
after=$(unused)
[ $((after - before)) -lt 2000 ] || fail "50 rounds took $((after - before)) kB"
