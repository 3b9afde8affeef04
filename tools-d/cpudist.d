#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * cpudist: show how long threads run before they leave a CPU, as a distribution
 *
 * With -O it shows how long they stay off the CPU: the time in which they sleep or wait.
 *
 * options:
 *   $1 -O                  the time off the CPU
 *   $2 -P                  one distribution for each program
 *   $3 -m                  milliseconds instead of microseconds
 *   $4 [INTERVAL] = 86400  seconds between outputs
 *   $5 [COUNT] = 0         end after so many outputs; 0: never
 * process: optional
 * overhead: Two probes fire at each change of threads, up to a hundred thousand times in a second on a busy
 *   machine.
 * example:
 *   # cpudist -O -P -c "sleep 0.3"
 *   Tracing time off CPUs, in microseconds. Hit Ctrl-C to end.
 *
 *     sleep
 *              value  ------------- Distribution ------------- count
 *                 16 |                                         0
 *                 32 |@                                        1
 *                 64 |@@@                                      3
 *                128 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@             31
 *                256 |@@@@                                     4
 *                512 |@@                                       2
 *               1024 |@@                                       2
 *               2048 |                                         0
 *               4096 |                                         0
 *               8192 |                                         0
 *              16384 |                                         0
 *   ...
 */
BEGIN
{
	printf("Tracing time %s CPUs, in %s. Hit Ctrl-C to end.\n", $1 ? "off" : "on", $3 ? "milliseconds" : "microseconds");
}

sched:::on-cpu
/self->since && $1/
{
	@t[$2 ? execname : ""] = quantize((timestamp - self->since) / ($3 ? 1000000 : 1000));
}

sched:::off-cpu
/self->since && !$1/
{
	@t[$2 ? execname : ""] = quantize((timestamp - self->since) / ($3 ? 1000000 : 1000));
}

sched:::on-cpu
/$target == 0 || pid == $target/
{
	self->since = $1 ? 0 : timestamp;
}

sched:::off-cpu
/$target == 0 || pid == $target/
{
	self->since = $1 ? timestamp : 0;
}

tick-${4}s
{
	printf("%Y\n", walltimestamp);
	printa(@t);
	trunc(@t);
}

tick-${4}s
/$5 && ++outputs >= $5/
{
	exit(0);
}
