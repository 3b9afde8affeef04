#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * runqlen: show how many threads wait in the queues of the CPUs
 *
 * It samples each CPU's queue 99 times in a second. The thread that runs does not count.
 *
 * options:
 *   $1 -C                  one distribution for each CPU
 *   $2 [INTERVAL] = 86400  seconds between outputs
 *   $3 [COUNT] = 0         end after so many outputs; 0: never
 * overhead: Little: a timer on each CPU, 99 times in a second.
 * example:
 *   # runqlen -c "sh -c 'i=0; while [ \$i -lt 20000 ]; do i=\$((i+1)); done'"
 *   Sampling the queues of the CPUs. Hit Ctrl-C to end.
 *
 *     all CPUs
 *              value  ------------- Distribution ------------- count
 *                < 0 |                                         0
 *                  0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 81
 *                  1 |                                         1
 *                  2 |                                         0
 */
BEGIN
{
	printf("Sampling the queues of the CPUs. Hit Ctrl-C to end.\n");
}

profile-99
{
	@n[$1 ? strjoin("CPU ", lltostr(cpu)) : "all CPUs"] = lquantize(`runqueues.nr_running > 0 ? `runqueues.nr_running - 1 : 0, 0, 32, 1);
}

tick-${2}s
{
	printf("%Y\n", walltimestamp);
	printa(@n);
	trunc(@n);
}

tick-${2}s
/$3 && ++outputs >= $3/
{
	exit(0);
}
