/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: args[0] of vfs_read is a struct file: pointers, structs in structs, members of unnamed unions. */
/* TRIGGER: sh -c "exec cat /etc/os-release >/dev/null" */
#pragma D option quiet
fbt::vfs_read:entry
/pid == $target && stringof(args[0]->f_path.dentry->d_name.name) == "os-release"/
{
	printf("%s %d %d\n", stringof(args[0]->f_path.dentry->d_name.name),
	    args[0]->f_path.dentry->d_name.len, args[2] == arg2 && args[2] > 0);
}
