#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * iotop: show the bytes that processes read from and write to disks
 *
 * It is about disks, not about files: reads that the page cache answers do not count. Times and latencies are in
 * biotop.
 *
 * options:
 *   $1 -r ROWS = 20    rows in each output
 *   $2 [INTERVAL] = 5  seconds between outputs
 *   $3 [COUNT] = 0     end after so many outputs; 0: never
 * overhead: A probe fires at each request of a disk.
 * example:
 *   # iotop
 *   UID    PID     PPID    COMMAND          DISK     D        BYTES
 *   0      758     757     dd               loop0    R        65536
 */
#pragma D option aggsortrev

io:::start
{
	@b[uid, pid, ppid, execname, args[1]->dev_statname, args[0]->b_flags & B_WRITE ? "W" : "R"] = sum(args[0]->b_bcount);
}

tick-${2}s,
END
{
	printf("%-6s %-7s %-7s %-16s %-8s %1s %12s\n", "UID", "PID", "PPID", "COMMAND", "DISK", "D", "BYTES");
	trunc(@b, $1);
	printa("%-6d %-7d %-7d %-16s %-8s %1s %@12d\n", @b);
	trunc(@b);
}

tick-${2}s
/$3 && ++outputs >= $3/
{
	exit(0);
}
