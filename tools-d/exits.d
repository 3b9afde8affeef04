#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * exits: print each process that ends, with its age and status
 *
 * A process that a signal has ended shows the signal instead of a status. AGE is the time since the process was
 * created.
 *
 * options:
 *   $1 -T  print the time of day
 *   $2 -x  only processes that failed or were killed
 * process: optional
 * overhead: The probe fires once for each process.
 * example:
 *   # exits -c "sh -c 'exit 3'"
 *   COMMAND          PID     PPID       AGE(ms) STATUS SIGNAL
 *   sh               222     221            443      3      0
 */
inline int CODE = curthread->signal->group_exit_code ? curthread->signal->group_exit_code : curthread->exit_code;

BEGIN
{
	printf("%s%-16s %-7s %-7s %10s %6s %6s\n", $1 ? "TIME                 " : "", "COMMAND", "PID", "PPID", "AGE(ms)", "STATUS", "SIGNAL");
}

proc:::exit
/($target == 0 || pid == $target) && (!$2 || CODE)/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-16s %-7d %-7d %10d %6d %6d\n", execname, pid, ppid,
	    (timestamp - (int64_t)curthread->group_leader->start_time) / 1000000, CODE >> 8 & 0xff, CODE & 0x7f);
}
