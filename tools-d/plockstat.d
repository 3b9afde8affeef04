#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * plockstat: show how long a program waits for its mutexes
 *
 * It measures calls of pthread_mutex_lock: the lock, the caller, how often, and how long in sum. A lock that is
 * free takes well below a microsecond without the probes.
 *
 * options:
 *   $1 -m MIN = 10   shortest wait in microseconds
 *   $2 -r ROWS = 20  rows to print
 * process: required
 * overhead: Two probes fire at each lock.
 * example:
 *   # plockstat -m 0 -p 1234
 *   Tracing mutexes. Hit Ctrl-C to end.
 *   LOCK               CALLER                                      WAITS     TIME(us)
 *   0x556bcccd0080     locks`both                                      2          454
 *   0x7fea6c0f8a08     ld-linux-x86-64.so.2`0x5af9                     1           43
 *   0x556bcccd0040     locks`both                                      2           11
 */
#pragma D option aggsortrev

BEGIN
{
	printf("Tracing mutexes. Hit Ctrl-C to end.\n");
}

pid$target:libc:pthread_mutex_lock:entry
{
	self->lock = arg0;
	self->caller = ucaller;
	self->begun = timestamp;
}

pid$target:libc:pthread_mutex_lock:return
/self->begun && (timestamp - self->begun) / 1000 >= $1/
{
	@n[self->lock, usym(self->caller)] = count();
	@t[self->lock, usym(self->caller)] = sum((timestamp - self->begun) / 1000);
}

pid$target:libc:pthread_mutex_lock:return
{
	self->lock = 0;
	self->caller = 0;
	self->begun = 0;
}

END
{
	printf("%-18s %-40s %8s %12s\n", "LOCK", "CALLER", "WAITS", "TIME(us)");
	setopt("aggsortpos", "1");
	setopt("aggrows", lltostr($2));
	printa("%#-18x %-40A %@8d %@12d\n", @n, @t);
	trunc(@n);
	trunc(@t);
}
