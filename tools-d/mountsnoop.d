#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mountsnoop: print each mount and unmount
 *
 * It shows the old calls (mount, umount2) and the new ones (fsopen, fsmount, move_mount), which current mount
 * commands use.
 *
 * options:
 *   $1 -T  print the time of day
 * process: optional
 * overhead: The probes fire only at these system calls.
 * example:
 *   # mountsnoop
 *   COMMAND          PID     CALL       ERR WHAT
 *   python3          192     mount        0 none on /tmp/mnt2 as tmpfs
 *   python3          192     umount2      0 /tmp/mnt2
 */
BEGIN
{
	printf("%s%-16s %-7s %-10s %3s %s\n", $1 ? "TIME                 " : "", "COMMAND", "PID", "CALL", "ERR", "WHAT");
}

inline int ME = $target == 0 || pid == $target;

syscall::mount:entry
/ME/
{
	self->a = arg0;
	self->b = arg1;
	self->c = arg2;
}

syscall::mount:return
/self->b/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-16s %-7d %-10s %3d %s on %s as %s\n", execname, pid, probefunc, errno,
	    self->a ? copyinstr(self->a) : "none", copyinstr(self->b), self->c ? copyinstr(self->c) : "none");
}

syscall::umount2:entry,
syscall::fsopen:entry
/ME/
{
	self->b = arg0;
}

syscall::move_mount:entry
/ME/
{
	self->b = arg3;
}

syscall::umount2:return,
syscall::fsopen:return,
syscall::move_mount:return
/self->b/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-16s %-7d %-10s %3d %s\n", execname, pid, probefunc, errno, copyinstr(self->b));
}

syscall::mount:return,
syscall::umount2:return,
syscall::fsopen:return,
syscall::move_mount:return
/self->b/
{
	self->a = 0;
	self->b = 0;
	self->c = 0;
}

syscall::fsmount:return
/ME/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-16s %-7d %-10s %3d -\n", execname, pid, probefunc, errno);
}
