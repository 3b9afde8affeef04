#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * execsnoop: print each program that is executed, with its arguments
 *
 * It prints a line when a process begins to run a new program. It also shows programs that live too short for ps
 * and top. With -x it prints failed attempts as well; RET is then the error.
 *
 * options:
 *   $1 -T            print the time of day
 *   $2 -x            also print failed attempts
 *   $3 -n NAME = ""  only programs whose name contains this
 *   $4 -u UID = -1   only this user
 *   $5 -P PPID = -1  only children of this process
 * overhead: The probes fire only at exec, which costs the kernel far more than the probe does.
 * example:
 *   # execsnoop -c "sh -c 'ls / >/dev/null; true'"
 *   UID    PID     PPID    RET ARGS
 *   0      193     192       0 ls /
 */
#pragma D option strsize=1k

inline int WANTED = ($4 < 0 || uid == $4) && ($5 < 0 || ppid == $5);

BEGIN
{
	printf("%s%-6s %-7s %-7s %3s %s\n", $1 ? "TIME                 " : "", "UID", "PID", "PPID", "RET", "ARGS");
}

proc:::exec
/$2/
{
	self->path = stringof(args[0]);
}

proc:::exec-success
/WANTED && index(execname, $$3) >= 0/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-6d %-7d %-7d %3d %s\n", uid, pid, ppid, 0, curpsinfo->pr_psargs);
}

proc:::exec-failure
/$2 && WANTED && index(self->path, $$3) >= 0/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-6d %-7d %-7d %3d %s\n", uid, pid, ppid, args[0], self->path);
}

proc:::exec-success,
proc:::exec-failure
/$2/
{
	self->path = 0;
}
