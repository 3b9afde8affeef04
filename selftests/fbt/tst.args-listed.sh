# SPDX-License-Identifier: GPL-2.0
# SECONDS: 600
# ASSERTION: dtrace -lv writes the arguments of a function as C declares them, and the value of its return.
. /src/selftests/lib/sh
types() { dtrace -lvn "$1" | sed -n 's/^\t\targs/args/p' | tr '\n' ' '; }
expect entry "$(types fbt::vfs_read:entry)" \
	"args[0]: struct file * args[1]: char * args[2]: size_t args[3]: loff_t * "
expect return "$(types fbt::vfs_read:return)" "args[0]: int64_t args[1]: ssize_t "
expect "a system call's entry" "$(types fbt::__x64_sys_read:entry)" "args[0]: const struct pt_regs * "
