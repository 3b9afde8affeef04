#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * llcstat: count the references to the last cache, and the misses, by process
 *
 * It needs counters of the processor. A sample stands for 10,000 events.
 *
 * options:
 *   $1 -r ROWS = 20  rows to print
 * needs: The processor's counters must be visible. A virtual machine has them only if its host offers them; in
 *   QEMU with KVM that is -cpu host,pmu=on.
 * overhead: An interrupt for each 10,000 cache misses or references on a CPU.
 * example:
 *   # llcstat -d 10
 *   Counting events of the last cache. Hit Ctrl-C to end.
 *   COMMAND          PID       REFERENCES       MISSES
 *   postgres         2201        91240000      1030000
 *   swapper/3        0            2310000        80000
 */
BEGIN
{
	printf("Counting events of the last cache. Hit Ctrl-C to end.\n");
}

cpc:::cache_references-all-10000
{
	@r[execname, pid] = sum(10000);
	@m[execname, pid] = sum(0);
}

cpc:::cache_misses-all-10000
{
	@r[execname, pid] = sum(0);
	@m[execname, pid] = sum(10000);
}

END
{
	printf("%-16s %-7s %12s %12s\n", "COMMAND", "PID", "REFERENCES", "MISSES");
	setopt("aggrows", lltostr($1));
	printa("%-16s %-7d %@12d %@12d\n", @r, @m);
	trunc(@r);
	trunc(@m);
}
