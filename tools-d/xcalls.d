#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * xcalls: count the interrupts that CPUs send to other CPUs
 *
 * A CPU interrupts another one to wake a thread there, or so that it forgets addresses that a process has
 * unmapped.
 *
 * options:
 *   $1 -s  print the kernel's stacks
 * process: optional
 * stacks: yes
 * overhead: A probe fires at each such interrupt.
 * example:
 *   # xcalls
 *   Counting interrupts between CPUs. Hit Ctrl-C to end.
 *   COMMAND          PID          COUNT
 *   python3          1128            52
 */
BEGIN
{
	printf("Counting interrupts between CPUs. Hit Ctrl-C to end.\n");
}

sysinfo:::xcalls
/($target == 0 || pid == $target) && !$1/
{
	@n[execname, pid] = count();
}

sysinfo:::xcalls
/($target == 0 || pid == $target) && $1/
{
	@s[stack(), execname] = count();
}

END
/!$1/
{
	printf("%-16s %-7s %10s\n", "COMMAND", "PID", "COUNT");
	printa("%-16s %-7d %@10d\n", @n);
	trunc(@n);
}
