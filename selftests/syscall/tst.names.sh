# SPDX-License-Identifier: GPL-2.0
# ASSERTION: every system call that the kernel has is there, under the name that <sys/syscall.h> gives it, once.
. /src/selftests/lib/sh
export LC_ALL=C
dtrace -l -P syscall >/tmp/all || fail "list"
named() { awk -v m="$1" -v n="$2" '$3 == m && $5 == n { print $4 }' /tmp/all | sort; }
for abi in vmlinux:64:330 ia32:32:400; do
	IFS=: read -r module bits least <<<"$abi"
	# This kernel's own.
	unistd=$(ls /usr/src/linux*"$(uname -r)"/arch/x86/include/generated/uapi/asm/unistd_$bits.h | head -1)
	sed -n 's/^#define __NR_\([a-z0-9_]*\) [0-9]*$/\1/p' "$unistd" | sort >/tmp/unistd
	[ -s /tmp/unistd ] || fail "no $unistd"
	named $module entry >/tmp/entries
	expect "$module: once" "$(uniq -d /tmp/entries)" ""
	expect "$module: not in unistd" "$(comm -13 /tmp/unistd /tmp/entries)" ""
	[ "$(wc -l </tmp/entries)" -ge "$least" ] || fail "$module: $(wc -l </tmp/entries) calls"
	# Those that do not return, the one that ends elsewhere, and one that ends in a function of clocks, which probes need.
	expect "$module: without return" "$(comm -23 /tmp/entries <(named $module return) | grep -v '^times$' | tr '\n' ' ')" \
		"exit exit_group restart_syscall "
	for name in read openat execve stat fstat lstat uname umount2 sendfile clone rt_sigreturn futex; do
		grep -qx $name /tmp/entries || fail "$module: no $name"
	done
	for name in newstat newfstat newuname ni_syscall; do
		grep -qx $name /tmp/entries && fail "$module: $name"
	done
done
dtrace -ln syscall::openatt:entry 2>&1 | grep -q '`syscall::openat:entry`' || fail "no hint"
# All at once: none is left out.
dtrace -q -n 'syscall::: { @[probename] = count(); }' -c 'ls /' >/tmp/o 2>/tmp/e || fail "all: $?"
expect "left out" "$(cat /tmp/e)" ""
grep -q entry /tmp/o && grep -q return /tmp/o || fail "nothing: $(cat /tmp/o)"
