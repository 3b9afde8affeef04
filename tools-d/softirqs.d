#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * softirqs: add up the time in the kernel's soft interrupts
 *
 * Soft interrupts process network packets, timers and the ends of disk requests, on the back of whatever runs on
 * the CPU.
 *
 * options:
 *   $1 -D                  a distribution of the times, in microseconds
 *   $2 [INTERVAL] = 86400  seconds between outputs
 *   $3 [COUNT] = 0         end after so many outputs; 0: never
 * overhead: Two probes fire at each soft interrupt, which may be a hundred thousand times in a second on a
 *   busy server.
 * example:
 *   # softirqs -c "sleep 0.3"
 *   Tracing soft interrupts. Hit Ctrl-C to end.
 *   SOFTIRQ         COUNT     TIME(us)
 *   SCHED              72         4762
 *   RCU                35         2642
 *   TIMER              20         1865
 */
#pragma D option aggsortrev

BEGIN
{
	printf("Tracing soft interrupts. Hit Ctrl-C to end.\n");
}

inline string NAME = arg0 == 0 ? "HI" : arg0 == 1 ? "TIMER" : arg0 == 2 ? "NET_TX" : arg0 == 3 ? "NET_RX" : arg0 == 4 ? "BLOCK" :
    arg0 == 5 ? "IRQ_POLL" : arg0 == 6 ? "TASKLET" : arg0 == 7 ? "SCHED" : arg0 == 8 ? "HRTIMER" : arg0 == 9 ? "RCU" : "?";

sdt:vmlinux::softirq_entry
{
	begun[cpu] = timestamp;
}

sdt:vmlinux::softirq_exit
/begun[cpu] && $1/
{
	@d[NAME] = quantize((timestamp - begun[cpu]) / 1000);
}

sdt:vmlinux::softirq_exit
/begun[cpu] && !$1/
{
	@n[NAME] = count();
	@t[NAME] = sum(timestamp - begun[cpu]);
}

sdt:vmlinux::softirq_exit
/begun[cpu]/
{
	begun[cpu] = 0;
}

tick-${2}s,
END
/!$1/
{
	normalize(@t, 1000);
	printf("%-10s %10s %12s\n", "SOFTIRQ", "COUNT", "TIME(us)");
	printa("%-10s %@10d %@12d\n", @n, @t);
	trunc(@n);
	trunc(@t);
}

tick-${2}s
/$1/
{
	printa(@d);
	trunc(@d);
}

tick-${2}s
/$3 && ++outputs >= $3/
{
	exit(0);
}
