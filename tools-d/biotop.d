#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * biotop: show the processes that use the disks most
 *
 * It prints the requests, kilobytes and average latency of each process and disk, the busiest first.
 *
 * options:
 *   $1 -r ROWS = 20    rows in each output
 *   $2 [INTERVAL] = 1  seconds between outputs
 *   $3 [COUNT] = 0     end after so many outputs; 0: never
 * overhead: Two probes fire at each request of a disk.
 * example:
 *   # biotop
 *   PID     COMMAND          DISK     D REQUESTS     KBYTES   AVG(us)
 *   735     dd               loop0    R       16         64       188
 */
#pragma D option aggsortrev

io:::start
{
	begun[arg0] = timestamp;
	sender[arg0] = execname;
	sender_pid[arg0] = pid;
	@n[pid, execname, args[1]->dev_statname, args[0]->b_flags & B_WRITE ? "W" : "R"] = count();
	@kb[pid, execname, args[1]->dev_statname, args[0]->b_flags & B_WRITE ? "W" : "R"] = sum(args[0]->b_bcount);
}

io:::done
/begun[arg0]/
{
	@us[sender_pid[arg0], sender[arg0], args[1]->dev_statname, args[0]->b_flags & B_WRITE ? "W" : "R"] =
	    avg((timestamp - begun[arg0]) / 1000);
	begun[arg0] = 0;
	sender[arg0] = 0;
	sender_pid[arg0] = 0;
}

tick-${2}s,
END
{
	printf("%-7s %-16s %-8s %1s %8s %10s %9s\n", "PID", "COMMAND", "DISK", "D", "REQUESTS", "KBYTES", "AVG(us)");
	normalize(@kb, 1024);
	setopt("aggsortpos", "1");
	setopt("aggrows", lltostr($1));
	printa("%-7d %-16s %-8s %1s %@8d %@10d %@9d\n", @n, @kb, @us);
	trunc(@n);
	trunc(@kb);
	trunc(@us);
}

tick-${2}s
/$3 && ++outputs >= $3/
{
	exit(0);
}
