#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpuwalk: show on which CPUs a program runs
 *
 * A program with one thread on one CPU cannot use more of them. It samples 97 times in a second.
 *
 * process: optional
 * overhead: Little: a timer on each CPU, 97 times in a second.
 * example:
 *   # cpuwalk -c "taskset 2 sh -c 'i=0; while [ \$i -lt 60000 ]; do i=\$((i+1)); done'"
 *   Sampling CPUs by program. Hit Ctrl-C to end.
 *
 *     taskset
 *              value  ------------- Distribution ------------- count
 *                < 0 |                                         0
 *                  0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@              2
 *                  1 |@@@@@@@@@@@@@                            1
 *                  2 |                                         0
 *
 *     sh
 *              value  ------------- Distribution ------------- count
 *                  0 |                                         0
 *                  1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 193
 *                  2 |                                         0
 */
BEGIN
{
	printf("Sampling CPUs by program. Hit Ctrl-C to end.\n");
}

profile-97
/pid && ($target == 0 || pid == $target)/
{
	@[execname] = lquantize(cpu, 0, 256, 1);
}
