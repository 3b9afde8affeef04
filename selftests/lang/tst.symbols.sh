# SPDX-License-Identifier: GPL-2.0
# ASSERTION: `name is the kernel's variable or function: values agree with /proc, per-CPU ones are this CPU's.
. /src/selftests/lib/sh
one() { dtrace -q -n "BEGIN { $1 exit(0); }" 2>&1; }
is() { expect "$1" "$(one "$2")" "$3"; }

is banner 'printf("%s", `linux_banner);' "$(cat /proc/version)"
is "a string behind a pointer" 'printf("%s", stringof(`saved_command_line));' "$(cat /proc/cmdline)"
is "a member" 'printf("%s %d", `init_task.comm, `init_task.pid);' "swapper/0 0"
is "by its module" 'printf("%s", vmlinux`init_task.comm);' "swapper/0"
is "an int" 'printf("%d", `panic_timeout);' "$(cat /proc/sys/kernel/panic)"
is "an array's element" 'printf("%d", `console_printk[0]);' "$(cut -f1 /proc/sys/kernel/printk)"
is "CPUs" 'printf("%d", `__num_online_cpus.counter);' "$(nproc)"
is "jiffies" 'printf("%d", `jiffies == `jiffies_64);' 1
is "with a cast" 'printf("%d", *(int *)&`panic_timeout);' "$(cat /proc/sys/kernel/panic)"
at() { grep -m1 -E " [tT] $1\$" /proc/kallsyms | cut -d' ' -f1; }
is "a function" 'printf("%x %x", (uintptr_t)&`vfs_read, (uintptr_t)`vfs_read);' "$(at vfs_read) $(at vfs_read)"
is "a function's name" 'sym((uintptr_t)&`vfs_read); func((uintptr_t)`vfs_read);' "  vmlinux\`vfs_read                                    vmlinux\`vfs_read                                  "
forks=$(one 'printf("%d", `total_forks);')
after=$(awk '$1 == "processes" { print $2 }' /proc/stat)
[ "$forks" -gt 0 ] && [ "$forks" -le "$after" ] || fail "total_forks $forks, /proc/stat has $after"
# Per CPU: the current task is the one that fires, and each CPU has its own number.
is "this CPU's task" 'printf("%d", (uint64_t)`current_task == (uint64_t)curthread);' 1
cpus=$(dtrace -q -n 'profile-97 { @[cpu, `cpu_number == cpu] = count(); } tick-1s { exit(0); }' 2>&1)
expect "each CPU's number" "$(echo "$cpus" | awk 'NF { print $2 }' | sort | uniq -c | awk '{ print $1, $2 }')" "$(nproc) 1"
is "its queue" 'printf("%d", `runqueues.cpu == cpu);' 1
# Of a module.
driver shapes
fn=$(awk '$4 == "[shapes]" && $2 ~ /[tT]/ && $3 !~ /[.]/ { print $3; exit }' /proc/kallsyms)
want=$(awk -v f="$fn" '$4 == "[shapes]" && $3 == f { print $1; exit }' /proc/kallsyms)
is "a module's function" "printf(\"%x\", (uintptr_t)&shapes\`$fn);" "$want"
rmmod shapes

bad() {
	dtrace -q -n "BEGIN { $1 }" >/tmp/o 2>&1 && fail "compiled: $1"
	grep -q "$2" /tmp/o || { cat /tmp/o; fail "$1: expected $2"; }
}
bad 'trace(`no_such_symbol_here);' 'failed to resolve vmlinux`no_such_symbol_here: Unknown symbol name'
bad 'trace(shapes`vfs_read);' 'failed to resolve shapes`vfs_read'
bad 'trace(vmlinux`no_such);' 'Unknown symbol name'
bad 'trace(`__per_cpu_offset);' 'the type of .__per_cpu_offset is not known'
bad '`panic_timeout = 3;' "the kernel's memory cannot be written"
exit 0
