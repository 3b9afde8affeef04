#!/usr/sbin/dtrace -s
#pragma D option quiet
#pragma D option switchrate=10hz

syscall::open:entry,
syscall::openat:entry
{
	self->pathp = probefunc == "open" ? arg0 : arg1;
	self->start = timestamp;
}

syscall::open:return,
syscall::openat:return
/self->start/
{
	this->path = copyinstr(self->pathp);
	printf("%-20Y %-6d %-12s %3d %3d %s\n", walltimestamp, pid, execname,
	    (int)arg0, errno, this->path);
	@worst["slowest, ns"] = max(timestamp - self->start);
	@mean["mean, ns"] = avg(timestamp - self->start);
	self->pathp = 0;
	self->start = 0;
}
