#!/usr/sbin/dtrace -qs
/* SPDX-License-Identifier: GPL-2.0 */
/* How long threads wait for a CPU, and which programs: nanoseconds. */

sched:::enqueue
{
	waits[args[0]->pr_lwpid] = timestamp;
}

sched:::on-cpu
/waits[tid]/
{
	@runqueue_ns = quantize(timestamp - waits[tid]);
	@waited_ns[execname] = sum(timestamp - waits[tid]);
	waits[tid] = 0;
}
