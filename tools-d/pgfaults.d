#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pgfaults: count the page faults of processes
 *
 * MINOR are all faults, MAJOR those that waited for a disk, ZERO the pages that the kernel filled with zeros.
 *
 * options:
 *   $1 [INTERVAL] = 86400  seconds between outputs
 *   $2 [COUNT] = 0         end after so many outputs; 0: never
 * process: optional
 * overhead: Up to three probes fire at each page fault.
 * example:
 *   # pgfaults -c "cat /etc/hostname"
 *   Counting page faults. Hit Ctrl-C to end.
 *   COMMAND          PID          MINOR      MAJOR       ZERO
 *   cat              1469            68          0         14
 */
#pragma D option aggsortrev

BEGIN
{
	printf("Counting page faults. Hit Ctrl-C to end.\n");
}

vminfo:::as_fault
/$target == 0 || pid == $target/
{
	@n[execname, pid] = sum(arg0);
	@major[execname, pid] = sum(0);
	@zero[execname, pid] = sum(0);
}

vminfo:::maj_fault
/$target == 0 || pid == $target/
{
	@major[execname, pid] = sum(arg0);
}

vminfo:::zfod
/$target == 0 || pid == $target/
{
	@zero[execname, pid] = sum(arg0);
}

tick-${1}s,
END
{
	printf("%-16s %-7s %10s %10s %10s\n", "COMMAND", "PID", "MINOR", "MAJOR", "ZERO");
	printa("%-16s %-7d %@10d %@10d %@10d\n", @n, @major, @zero);
	trunc(@n);
	trunc(@major);
	trunc(@zero);
}

tick-${1}s
/$2 && ++outputs >= $2/
{
	exit(0);
}
