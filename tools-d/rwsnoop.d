#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rwsnoop: print each read and write call, with the file
 *
 * options:
 *   $1 -T            print the time of day
 *   $2 -n NAME = ""  only processes with this name
 * process: optional
 * overhead: Probes fire at each read and write call. Use -p or -n on a busy machine.
 * example:
 *   # rwsnoop -c "dd if=/etc/hostname of=/dev/null count=1 status=none"
 *   UID    PID     COMMAND          D    BYTES FILE
 *   0      899     dd               R      832 /usr/lib/x86_64-linux-gnu/libc.so.6
 *   0      899     dd               R      840 /usr/lib/x86_64-linux-gnu/libc.so.6
 *   0      899     dd               R      840 /usr/lib/x86_64-linux-gnu/libc.so.6
 *   0      899     dd               R       10 /etc/hostname
 *   0      899     dd               W       10 /dev/null
 */
BEGIN
{
	printf("%s%-6s %-7s %-16s %1s %8s %s\n", $1 ? "TIME                 " : "", "UID", "PID", "COMMAND", "D", "BYTES", "FILE");
}

syscall::read:entry,
syscall::write:entry,
syscall::readv:entry,
syscall::writev:entry,
syscall::pread64:entry,
syscall::pwrite64:entry
/pid != $pid && ($target == 0 || pid == $target) && ($$2 == "" || execname == $$2)/
{
	self->fd = arg0;
	self->is_on = 1;
}

syscall::read:return,
syscall::write:return,
syscall::readv:return,
syscall::writev:return,
syscall::pread64:return,
syscall::pwrite64:return
/self->is_on && !errno/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-6d %-7d %-16s %s %8d %s\n", uid, pid, execname, index(probefunc, "read") >= 0 ? "R" : "W", arg0,
	    fds[self->fd].fi_pathname);
}

syscall::read:return,
syscall::write:return,
syscall::readv:return,
syscall::writev:return,
syscall::pread64:return,
syscall::pwrite64:return
/self->is_on/
{
	self->fd = 0;
	self->is_on = 0;
}
