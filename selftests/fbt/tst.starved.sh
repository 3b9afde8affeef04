# SPDX-License-Identifier: GPL-2.0
# ASSERTION: a module whose functions are traced can be unloaded although ftrace has no memory to stop tracing them: nothing of
# them is left in ftrace, other functions are still traced, and so are those of the module when it is back at the same address.
# SECONDS: 240
. /src/selftests/lib/everything
address() { awk '$3 == "patched_inner" { print $1 }' /proc/kallsyms; }
calls() { ftraced | grep -c ' D'; }
run() { echo "$1" >/sys/module/patched/parameters/run; }
reads() { dd if=/proc/self/stat of=/dev/null bs=1 count=100 2>/dev/null; }

driver patched
was=$(address)
trace /tmp/o -n 'fbt:patched::entry, fbt:vmlinux:vfs_read:entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }'
run 1 2>/dev/null
[ "$(calls)" -gt 4 ] || fail "no calls: $(ftraced)"
dmesg -C
# What rmmod has no memory to attach again, a thread of the kernel attaches each second.
insmod $drivers/starved/starved.ko || fail "insmod starved"
rmmod patched || fail "rmmod patched"
[ "$(cat /sys/module/starved/parameters/refused)" -gt 0 ] || fail "ftrace has had all memory that it wanted"
rmmod starved || fail "rmmod starved"
attached() { ftraced | grep -q '^vfs_read .* D'; }
until_ok attached
reads
end_trace || fail "$(cat /tmp/o.err)"
[ "$(awk '$1 == "vfs_read" { print $2 }' /tmp/o)" -ge 100 ] || fail "vfs_read: $(cat /tmp/o)"
expect "what is left in ftrace" "$(calls)" 0

# The kernel may use the memory again at once, or late.
for n in 1 2 3 4 5 6 7 8; do
	insmod $drivers/patched/patched.ko || fail "insmod patched"
	[ "$(address)" = "$was" ] && break
	echo "another address" >&2
	[ $n = 8 ] || rmmod patched || fail "rmmod patched"
done
trace /tmp/o -n 'fbt:patched:patched_inner:entry, fbt:patched:patched_tail:entry { @[probefunc] = count(); } END { printa("%s %@d\n", @); }'
run 10 2>/dev/null
end_trace || fail "$(cat /tmp/o.err)"
grep -q '^patched_tail 10' /tmp/o || fail "after it: $(cat /tmp/o)"
rmmod patched || fail "rmmod patched"
! dmesg | grep -E 'WARNING|ftrace has failed|ftrace faulted' || fail "ftrace complains"
# Nothing keeps the module that traces.
until_ok rmmod dtrace
insmod "$module" || fail "insmod dtrace"
