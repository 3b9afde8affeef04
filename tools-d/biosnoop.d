#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * biosnoop: print each request of a disk, with its latency
 *
 * It shows the process that sent the request. Writes usually go through the page cache, so a kernel thread sends
 * them later.
 *
 * options:
 *   $1 -T            print the time of day
 *   $2 -k DISK = ""  only this disk or partition
 *   $3 -m MIN = 0    only requests that take at least so many microseconds
 * overhead: Two probes fire at each request of a disk.
 * example:
 *   # biosnoop -k loop0
 *   COMMAND          PID     DISK     D     SECTOR    BYTES  TIME(us)
 *   dd               724     loop0    R          0     4096       561
 *   dd               724     loop0    R          8     4096       163
 */
BEGIN
{
	printf("%s%-16s %-7s %-8s %1s %10s %8s %9s\n", $1 ? "TIME                 " : "", "COMMAND", "PID", "DISK", "D", "SECTOR", "BYTES", "TIME(us)");
}

io:::start
/$$2 == "" || args[1]->dev_statname == $$2/
{
	begun[arg0] = timestamp;
	sender[arg0] = execname;
	sender_pid[arg0] = pid;
	bytes[arg0] = args[0]->b_bcount;
}

io:::done
/begun[arg0] && (timestamp - begun[arg0]) / 1000 >= $3/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-16s %-7d %-8s %s %10d %8d %9d\n", sender[arg0], sender_pid[arg0], args[1]->dev_statname,
	    args[0]->b_flags & B_WRITE ? "W" : "R", args[0]->b_blkno, bytes[arg0], (timestamp - begun[arg0]) / 1000);
}

io:::done
/begun[arg0]/
{
	begun[arg0] = 0;
	sender[arg0] = 0;
	sender_pid[arg0] = 0;
	bytes[arg0] = 0;
}
