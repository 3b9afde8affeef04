#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * biolatency: show how long disks take, as a distribution
 *
 * It measures each request from when the kernel sends it to the disk until the disk has finished it.
 *
 * options:
 *   $1 -D                  one distribution for each disk
 *   $2 -F                  one distribution for reads and one for writes
 *   $3 -m                  milliseconds instead of microseconds
 *   $4 -k DISK = ""        only this disk or partition: sda, nvme0n1p2
 *   $5 [INTERVAL] = 86400  seconds between outputs
 *   $6 [COUNT] = 0         end after so many outputs; 0: never
 * overhead: Two probes fire at each request of a disk. That is little beside the work of the request.
 * example:
 *   # biolatency
 *   Tracing requests of disks, in microseconds. Hit Ctrl-C to end.
 *
 *     all disks
 *              value  ------------- Distribution ------------- count
 *                 32 |                                         0
 *                 64 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@             11
 *                128 |@@@@@@@@@@                               4
 *                256 |                                         0
 *                512 |@@@                                      1
 *               1024 |                                         0
 */
BEGIN
{
	printf("Tracing requests of disks, in %s. Hit Ctrl-C to end.\n", $3 ? "milliseconds" : "microseconds");
}

io:::start
/$$4 == "" || args[1]->dev_statname == $$4/
{
	begun[arg0] = timestamp;
}

io:::done
/begun[arg0]/
{
	@t[$1 ? args[1]->dev_statname : "all disks", !$2 ? "" : args[0]->b_flags & B_WRITE ? "write" : "read"] =
	    quantize((timestamp - begun[arg0]) / ($3 ? 1000000 : 1000));
	begun[arg0] = 0;
}

tick-${5}s
{
	printf("%Y\n", walltimestamp);
	printa(@t);
	trunc(@t);
}

tick-${5}s
/$6 && ++outputs >= $6/
{
	exit(0);
}
