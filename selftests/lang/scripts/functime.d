#!/usr/sbin/dtrace -Fs
/* What one system call calls, indented. */
#pragma D option strsize=64

syscall::write:entry
/execname == "dd" && arg0 == 1 && !done++/
{
	self->follow = 1;
}

fbt:vmlinux:vfs_*:entry
/self->follow/
{
	self->start[++self->depth] = vtimestamp;
	trace(arg2);
}

fbt:vmlinux:vfs_*:return
/self->follow && self->start[self->depth]/
{
	@[probefunc] = sum(vtimestamp - self->start[self->depth]);
	self->start[self->depth--] = 0;
	trace(arg1);
}

syscall::write:return
/self->follow/
{
	self->follow = 0;
}
