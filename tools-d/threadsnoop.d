#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * threadsnoop: print each thread that a process creates
 *
 * The first thread of a process is not printed; execsnoop and pidpersec are about processes.
 *
 * options:
 *   $1 -T  print the time of day
 * process: optional
 * overhead: The probe fires once for each new thread.
 * example:
 *   # threadsnoop
 *   PID     COMMAND          NEWTID
 *   248     python3          249
 */
BEGIN
{
	printf("%s%-7s %-16s %s\n", $1 ? "TIME                 " : "", "PID", "COMMAND", "NEWTID");
}

proc:::lwp-create
/args[1]->pr_pid == pid && ($target == 0 || pid == $target)/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-7d %-16s %d\n", pid, execname, args[0]->pr_lwpid);
}
