# SPDX-License-Identifier: GPL-2.0
# ASSERTION: on a kernel whose text cannot be patched, sdt is off with a clear log line and the rest works.
. /src/selftests/lib/sh
driver hworld
rmmod dtrace
insmod "$module" without_text=1 || fail "insmod"
dmesg | tail -5 | grep -q "sdt: unsupported: .*cannot be patched" || fail "no clear line: $(dmesg | tail -5)"
expect "sdt probes" "$(dtrace -l -P hworld 2>/dev/null | grep -c hworld)" 0
expect "BEGIN" "$(dtrace -qn 'BEGIN { printf("%d", 6 * 7); exit(0); }')" 42
rmmod dtrace && insmod "$module"
