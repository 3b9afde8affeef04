#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * runqlat: show how long threads wait for a CPU, as a distribution
 *
 * It measures from when a thread can run to when it runs. If these times are long, the machine has too few CPUs
 * for its work.
 *
 * options:
 *   $1 -P                  one distribution for each program
 *   $2 -m                  milliseconds instead of microseconds
 *   $3 [INTERVAL] = 86400  seconds between outputs
 *   $4 [COUNT] = 0         end after so many outputs; 0: never
 * process: optional
 * overhead: Three probes fire at each change of threads, up to a hundred thousand times in a second on a busy
 *   machine.
 * example:
 *   # runqlat -P -c "sh -c 'sleep 0.1; true'"
 *   Tracing waits for a CPU, in microseconds. Hit Ctrl-C to end.
 *
 *     sh
 *              value  ------------- Distribution ------------- count
 *                  8 |                                         0
 *                 16 |@@@@@@@@@@@                              2
 *                 32 |@@@@@@                                   1
 *                 64 |@@@@@@@@@@@                              2
 *                128 |@@@@@@                                   1
 *                256 |@@@@@@                                   1
 *                512 |                                         0
 */
BEGIN
{
	printf("Tracing waits for a CPU, in %s. Hit Ctrl-C to end.\n", $2 ? "milliseconds" : "microseconds");
}

sched:::enqueue
/$target == 0 || args[1]->pr_pid == $target/
{
	waits[args[0]->pr_addr] = timestamp;
}

/* The thread stays in the queue. */
sched:::preempt
/$target == 0 || pid == $target/
{
	waits[(uintptr_t)curthread] = timestamp;
}

sched:::on-cpu
/waits[(uintptr_t)curthread]/
{
	@t[$1 ? execname : ""] = quantize((timestamp - waits[(uintptr_t)curthread]) / ($2 ? 1000000 : 1000));
	waits[(uintptr_t)curthread] = 0;
}

tick-${3}s
{
	printf("%Y\n", walltimestamp);
	printa(@t);
	trunc(@t);
}

tick-${3}s
/$4 && ++outputs >= $4/
{
	exit(0);
}
