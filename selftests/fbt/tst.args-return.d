/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: args[1] of a return has the function's type: an int's upper half of the register does not count. */
/* TRIGGER: stat /nonexistent */
#pragma D option quiet
fbt::vfs_statx:entry
/pid == $target && stringof(args[1]->name) == "/nonexistent"/
{
	self->wanted = 1;
}
fbt::vfs_statx:return
/self->wanted/
{
	self->wanted = 0;
	printf("%d %d\n", args[1], args[0] == arg0);
}
