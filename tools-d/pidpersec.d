#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pidpersec: count the processes that are created in each second
 *
 * A machine that starts many short-lived processes spends its time on creating and ending them.
 *
 * options:
 *   $1 [INTERVAL] = 1  seconds between lines
 *   $2 [COUNT] = 0     end after so many lines; 0: never
 * overhead: The probe fires once for each new process.
 * example:
 *   # pidpersec 1 2 -c "sh -c 'while :; do /bin/true; done'"
 *   TIME                  PROCESSES
 *   2026 Nov 24 21:02:45        131
 *   2026 Nov 24 21:02:46        119
 */
BEGIN
{
	printf("%-20s %10s\n", "TIME", "PROCESSES");
}

proc:::create
{
	@n = count();
}

tick-${1}s
{
	printf("%Y ", walltimestamp);
	printa("%@10d\n", @n);
	clear(@n);
}

tick-${1}s
/$2 && ++lines >= $2/
{
	trunc(@n);
	exit(0);
}

END
{
	trunc(@n);
}
