#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * runqslower: print each thread that waited long for a CPU
 *
 * options:
 *   $1 [MIN] = 10000  shortest time in microseconds
 * process: optional
 * overhead: Three probes fire at each change of threads, up to a hundred thousand times in a second on a busy
 *   machine.
 * example:
 *   # runqslower 0 -c "sh -c 'sleep 0.1; true'"
 *   TIME                 COMMAND          TID       WAIT(us)
 *   2026 Nov 24 21:04:00 sh               922            133
 *   2026 Nov 24 21:04:00 sh               922             43
 *   2026 Nov 24 21:04:00 sh               922             26
 *   2026 Nov 24 21:04:00 sh               922             50
 *   2026 Nov 24 21:04:00 sh               922            221
 *   2026 Nov 24 21:04:00 sh               922            102
 *   2026 Nov 24 21:04:00 sh               922             36
 *   2026 Nov 24 21:04:00 sh               922             19
 *   2026 Nov 24 21:04:00 sh               922             19
 */
BEGIN
{
	printf("%-20s %-16s %-7s %10s\n", "TIME", "COMMAND", "TID", "WAIT(us)");
}

sched:::enqueue
/$target == 0 || args[1]->pr_pid == $target/
{
	waits[args[0]->pr_addr] = timestamp;
}

sched:::preempt
/$target == 0 || pid == $target/
{
	waits[(uintptr_t)curthread] = timestamp;
}

sched:::on-cpu
/waits[(uintptr_t)curthread] && (timestamp - waits[(uintptr_t)curthread]) / 1000 >= $1/
{
	printf("%Y %-16s %-7d %10d\n", walltimestamp, execname, tid, (timestamp - waits[(uintptr_t)curthread]) / 1000);
}

sched:::on-cpu
/waits[(uintptr_t)curthread]/
{
	waits[(uintptr_t)curthread] = 0;
}
