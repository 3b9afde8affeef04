# SPDX-License-Identifier: GPL-2.0
# ASSERTION: on a kernel without BTF, functions, system calls, drivers, programs, stacks and arg0.. are traced; what needs
# types is refused with a sentence that names the missing file, and the doctor names it, too.
. /src/selftests/lib/sh
driver hworld
# The others go on to see it.
[ -n "${alone:-}" ] || alone=1 exec unshare -m --propagation private bash "$0"
[ ! -d /sys/kernel/btf ] || mount -t tmpfs none /sys/kernel/btf || fail "mount"
works() {
	dtrace -qn "$1 END { printa(\"seen %@d\\n\", @); }" -c "$2" >/tmp/o 2>/tmp/e || fail "$1: $(cat /tmp/e)"
	grep -qE '^seen [1-9]' /tmp/o || fail "$1: $(cat /tmp/o)"
}
for d in 'fbt::vfs_read:entry /arg2 > 0/ { @ = count(); }' 'syscall::read:return /execname == "cat"/ { @ = count(); }' 'hworld:::entry { @ = count(); }' \
	'pid$target:libc:read:entry { @ = count(); }' 'proc:::exit { @ = count(); }' 'sched:::on-cpu { @ = count(); }' \
	'profile-997 /stackdepth > 0/ { @ = count(); }' 'BEGIN /`jiffies != 0 && pid/ { @ = count(); }'; do
	works "$d" 'cat /etc/hostname /proc/hello-world'
done
refused() {
	dtrace -qn "$1" >/tmp/o 2>&1 && fail "$1 is accepted"
	grep -q '/sys/kernel/btf/vmlinux' /tmp/o || fail "$1: $(cat /tmp/o)"
}
refused 'fbt::vfs_read:entry { @[args[0]->f_flags] = count(); }'
refused 'io:::start { @[args[0]->b_bcount] = count(); }'
refused 'tcp:::send { @[args[2]->ip_saddr] = count(); }'
refused 'BEGIN { trace(curthread->pid); }'
dtrace --doctor >/tmp/o
grep -q '^warn  types  *.*/sys/kernel/btf/vmlinux is missing$' /tmp/o || fail "doctor: $(cat /tmp/o)"
exit 0
