#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * opensnoop: print each file that a process opens
 *
 * It prints the path as the process gives it, the descriptor, and 0 or the error.
 *
 * options:
 *   $1 -T            print the time of day
 *   $2 -U            print the user
 *   $3 -x            only failed calls
 *   $4 -n NAME = ""  only processes with this name
 *   $5 -u UID = -1   only this user
 *   $6 -f FILE = ""  only paths that contain this
 * process: optional
 * overhead: The probes fire only at open, openat and openat2.
 * example:
 *   # opensnoop -c "cat /etc/hostname"
 *   PID     COMMAND           FD ERR PATH
 *   241     cat                3   0 /etc/ld.so.cache
 *   241     cat                3   0 /lib/x86_64-linux-gnu/libc.so.6
 *   241     cat               -1   2 /usr/lib/locale/locale-archive
 *   241     cat               -1   2 /usr/share/locale/locale.alias
 *   241     cat               -1   2 /usr/lib/locale/C.UTF-8/LC_IDENTIFICATION
 *   241     cat                3   0 /usr/lib/locale/C.utf8/LC_IDENTIFICATION
 *   241     cat                3   0 /usr/lib/x86_64-linux-gnu/gconv/gconv-modules.cache
 *   241     cat               -1   2 /usr/lib/locale/C.UTF-8/LC_MEASUREMENT
 *   241     cat                3   0 /usr/lib/locale/C.utf8/LC_MEASUREMENT
 *   241     cat               -1   2 /usr/lib/locale/C.UTF-8/LC_TELEPHONE
 *   241     cat                3   0 /usr/lib/locale/C.utf8/LC_TELEPHONE
 *   241     cat               -1   2 /usr/lib/locale/C.UTF-8/LC_ADDRESS
 *   241     cat                3   0 /usr/lib/locale/C.utf8/LC_ADDRESS
 *   241     cat               -1   2 /usr/lib/locale/C.UTF-8/LC_NAME
 *   ...
 */
BEGIN
{
	printf("%s%s%-7s %-16s %3s %3s %s\n", $1 ? "TIME                 " : "", $2 ? "UID    " : "", "PID", "COMMAND", "FD", "ERR", "PATH");
}

self uintptr_t path;

/* The page of the path is in memory after the call, except if the address is wrong. */
inline string PATH = errno == EFAULT ? "(bad address)" : copyinstr(self->path);

syscall::open:entry
/($target == 0 || pid == $target) && ($$4 == "" || execname == $$4) && ($5 < 0 || uid == $5)/
{
	self->path = arg0;
}

syscall::openat:entry,
syscall::openat2:entry
/($target == 0 || pid == $target) && ($$4 == "" || execname == $$4) && ($5 < 0 || uid == $5)/
{
	self->path = arg1;
}

syscall::open:return,
syscall::openat:return,
syscall::openat2:return
/self->path && (!$3 || errno) && ($$6 == "" || index(PATH, $$6) >= 0)/
{
	if ($1)
		printf("%Y ", walltimestamp);
	if ($2)
		printf("%-6d ", uid);
	printf("%-7d %-16s %3d %3d %s\n", pid, execname, (int)arg0, errno, PATH);
}

syscall::open:return,
syscall::openat:return,
syscall::openat2:return
/self->path/
{
	self->path = 0;
}
