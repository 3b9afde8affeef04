#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * probecount: count the firings of any probes
 *
 * PROBES is a description in D, such as 'sdt:::sched_*' or 'mydrv:::'. It may be a list.
 *
 * options:
 *   $1 PROBES  descriptions of probes
 * process: optional
 * overhead: Each firing costs some hundred instructions.
 * example:
 *   # probecount 'hworld:::'
 *   Counting firings. Hit Ctrl-C to end.
 *   PROVIDER     FUNCTION                       NAME                      COUNT
 *   hworld       open1                          entry                         1
 *   hworld       open1                          return                        1
 *   hworld       read1                          entry                         2
 *   hworld       read1                          return                        2
 */
BEGIN
{
	printf("Counting firings. Hit Ctrl-C to end.\n");
}

${1}
/$target == 0 || pid == $target/
{
	@n[probeprov, probefunc, probename] = count();
}

END
{
	printf("%-12s %-30s %-20s %10s\n", "PROVIDER", "FUNCTION", "NAME", "COUNT");
	printa("%-12s %-30s %-20s %@10d\n", @n);
	trunc(@n);
}
