# SPDX-License-Identifier: GPL-2.0
# ASSERTION: what is not mapped, was freed, is a device's or a process's is a fault with the clause, action, kind and address.
. /src/selftests/lib/sh
BADADDR=1
# faults WHAT ADDRESS [EXPRESSION]: the second action of the second clause.
faults() {
	local at=$2 load=${3:-*(char *)$2}
	local got
	got=$(dtrace -qn "BEGIN { first = 1; } BEGIN { ok = 1; trace($load); printf(\"went on\"); } ERROR { printf(\"%d %d %d %d %x\", arg1, arg2, arg3 > 0, arg4, arg5); } BEGIN { exit(0); }" 2>/tmp/err)
	expect "$1" "$got" "2 2 1 $BADADDR $(printf %x "$at")"
	grep -q "invalid address (0x$(printf %x "$at")) in action #2 at DIF offset" /tmp/err || fail "$1: $(cat /tmp/err)"
}
faults "NULL" 0
faults "the first page" 0x18
faults "an address of a process" 0x400000
faults "no canonical address" 0x8000000000000000
faults "the end of all" 0xffffffffffffffff
faults "nothing mapped" 0xffffc8fffffff000
driver shapes
code=0x$(awk '$4 == "[shapes]" && $3 == "shape_plain" { print $1 }' /proc/kallsyms)
[ "$(dtrace -qn "BEGIN { printf(\"%d\", *(unsigned char *)$code != 0); exit(0); }")" = 1 ] || fail "its code cannot be read"
rmmod shapes
# The kernel keeps the pages of code, and fills them with breakpoints.
freed=$(dtrace -qn "BEGIN { printf(\"%x\", *(unsigned char *)$code); exit(0); } ERROR { printf(\"fault %d\", arg4); exit(0); }" 2>/dev/null)
case $freed in cc | "fault $BADADDR") ;; *) fail "a module's code that was freed: $freed" ;; esac
# A device's registers: somebody has mapped them, a load may change them.
device=$(awk '/ ioremap/ || / phys=/ { split($1, a, "-"); print a[1]; exit }' /proc/vmallocinfo)
[ -n "$device" ] || fail "no device's memory is mapped"
faults "a device's memory" "$device"
base=$(dtrace -qn 'BEGIN { printf("0x%x", `page_offset_base); exit(0); }')
faults "the display's memory" "$(printf '0x%x' $((base + 0xa0000)))"
faults "a process's memory that is not there" 0x38 "*(char *)copyin(0x38, 1)"
faults "the kernel's, for a process's" 0xffffffff81000000 "copyinstr(0xffffffff81000000)"
exit 0
