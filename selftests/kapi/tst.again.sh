# SPDX-License-Identifier: GPL-2.0
# ASSERTION: insertion and removal leave nothing behind: fifty times (5 unless THOROUGH=1), and the kernel has as much memory as before.
# SECONDS: 300
. /src/selftests/lib/sh
once() {
	insmod "$drivers/kapi/kapi.ko" toggles=1 && rmmod kapi || fail "round $1: $(dmesg | grep 'kapi: FAILED')"
}
unused() { sync; echo 3 >/proc/sys/vm/drop_caches; awk '/^Slab|^VmallocUsed|^Percpu/ { n += $2 } END { print n }' /proc/meminfo; }
for n in 1 2 3; do once "$n"; done
before=$(unused)
all=$(rounds 50)
for n in $(seq "$all"); do once "$n"; done
after=$(unused)
[ $((after - before)) -lt $((1000 + 20 * all)) ] || fail "$all rounds took $((after - before)) kB"
