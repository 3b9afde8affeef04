#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * deadlock: print mutexes that a program locks in both orders
 *
 * If one thread locks A and then B, and another one B and then A, both may wait for ever. It prints each such
 * pair once, even if the threads have not met yet. It knows the last mutex that a thread holds, not all of them.
 *
 * process: required
 * overhead: Two probes fire at each lock and unlock.
 * example:
 *   # deadlock -p 330
 *   PID     TID     HELD               WANTED             CALLER
 *   330     330     0x55e0edf65040     0x55e0edf65080     locks`both+0x19
 */
BEGIN
{
	printf("%-7s %-7s %-18s %-18s %s\n", "PID", "TID", "HELD", "WANTED", "CALLER");
}

self uint64_t held;
int order[uint64_t, uint64_t];
uint64_t before[id_t, uint64_t];

pid$target:libc:pthread_mutex_lock:entry
/self->held && self->held != arg0 && order[arg0, self->held] && !order[self->held, arg0]/
{
	printf("%-7d %-7d %#-18x %#-18x %A\n", pid, tid, self->held, arg0, ucaller);
}

pid$target:libc:pthread_mutex_lock:entry
/self->held && self->held != arg0/
{
	order[self->held, arg0] = 1;
}

pid$target:libc:pthread_mutex_lock:entry
{
	before[tid, arg0] = self->held;
	self->held = arg0;
}

pid$target:libc:pthread_mutex_unlock:entry
/self->held == arg0/
{
	self->held = before[tid, arg0];
	before[tid, arg0] = 0;
}
