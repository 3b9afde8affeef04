#!/usr/sbin/dtrace -Cqs

#define DIRECTION(name)	(name == "read" ? "R" : "W")

inline int OPT_name = $$1 != "";
inline string NAME = $$1;

#pragma D option switchrate=10hz
#pragma D option defaultargs

dtrace:::BEGIN
{
	printf("%5s %6s %-16s %1s %7s %s\n", "UID", "PID", "CMD", "D", "BYTES", "FILE");
}

syscall::read:entry,
syscall::write:entry
/!OPT_name || execname == NAME/
{
	self->fd = arg0;
	self->ok = 1;
}

syscall::read:return,
syscall::write:return
/self->ok && (int)arg0 >= 0/
{
	printf("%5d %6d %-16s %s %7d %s\n", uid, pid, execname,
	    DIRECTION(probefunc), arg0, fds[self->fd].fi_pathname);
}

syscall::read:return,
syscall::write:return
{
	self->fd = 0;
	self->ok = 0;
}
