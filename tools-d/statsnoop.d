#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * statsnoop: print each file that a process looks at with stat
 *
 * It shows the paths that programs look for, also those that do not exist.
 *
 * options:
 *   $1 -T  print the time of day
 *   $2 -x  only failed calls
 * process: optional
 * overhead: The probes fire only at stat, lstat, newfstatat, statx and access.
 * example:
 *   # statsnoop -c "stat /nosuch"
 *   PID     COMMAND          CALL       ERR PATH
 *   260     stat             access       2 /etc/ld.so.preload
 *   260     stat             access       2 /etc/selinux/config
 *   260     stat             statx        2 /nosuch
 */
BEGIN
{
	printf("%s%-7s %-16s %-10s %3s %s\n", $1 ? "TIME                 " : "", "PID", "COMMAND", "CALL", "ERR", "PATH");
}

self uintptr_t path;

/* The page of the path is in memory after the call, except if the address is wrong. */
inline string PATH = errno == EFAULT ? "(bad address)" : copyinstr(self->path);

syscall::stat:entry,
syscall::lstat:entry,
syscall::access:entry
/$target == 0 || pid == $target/
{
	self->path = arg0;
}

syscall::newfstatat:entry,
syscall::statx:entry,
syscall::faccessat:entry,
syscall::faccessat2:entry
/$target == 0 || pid == $target/
{
	self->path = arg1;
}

syscall::stat:return,
syscall::lstat:return,
syscall::access:return,
syscall::newfstatat:return,
syscall::statx:return,
syscall::faccessat:return,
syscall::faccessat2:return
/self->path && (!$2 || errno)/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-7d %-16s %-10s %3d %s\n", pid, execname, probefunc, errno, PATH);
}

syscall::stat:return,
syscall::lstat:return,
syscall::access:return,
syscall::newfstatat:return,
syscall::statx:return,
syscall::faccessat:return,
syscall::faccessat2:return
/self->path/
{
	self->path = 0;
}
