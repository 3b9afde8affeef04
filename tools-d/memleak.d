#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * memleak: show the memory that a program has allocated and not freed, by caller
 *
 * It begins to count when it starts. What is left at the end may be a leak, or still in use: run it for a while,
 * and again for longer, and look for the numbers that grow.
 *
 * options:
 *   $1 -r ROWS = 20  rows to print
 * process: required
 * overhead: Three probes fire at each allocation: a program that does little else becomes clearly slower.
 * example:
 *   # memleak -p 1234
 *   Tracing allocations. Hit Ctrl-C to end.
 *   CALLER                                                    BYTES    COUNT
 *   leak`leaks                                                 7000        7
 */
#pragma D option aggsortrev
#pragma D option dynvarsize=16m

BEGIN
{
	printf("Tracing allocations. Hit Ctrl-C to end.\n");
}

int64_t bytes[uint64_t];
uint64_t owner[uint64_t];

pid$target:libc:malloc:entry
{
	self->bytes = arg0;
	self->caller = ucaller;
}

pid$target:libc:calloc:entry
{
	self->bytes = arg0 * arg1;
	self->caller = ucaller;
}

pid$target:libc:realloc:entry
/bytes[arg0]/
{
	@left[usym(owner[arg0])] = sum(-bytes[arg0]);
	@n[usym(owner[arg0])] = sum(-1);
	bytes[arg0] = 0;
	owner[arg0] = 0;
}

pid$target:libc:realloc:entry
{
	self->bytes = arg1;
	self->caller = ucaller;
}

pid$target:libc:malloc:return,
pid$target:libc:calloc:return,
pid$target:libc:realloc:return
/self->caller && arg1/
{
	bytes[arg1] = (int64_t)self->bytes;
	owner[arg1] = self->caller;
	@left[usym(self->caller)] = sum((int64_t)self->bytes);
	@n[usym(self->caller)] = sum(1);
}

pid$target:libc:malloc:return,
pid$target:libc:calloc:return,
pid$target:libc:realloc:return
{
	self->bytes = 0;
	self->caller = 0;
}

pid$target:libc:free:entry
/bytes[arg0]/
{
	@left[usym(owner[arg0])] = sum(-bytes[arg0]);
	@n[usym(owner[arg0])] = sum(-1);
	bytes[arg0] = 0;
	owner[arg0] = 0;
}

END
{
	printf("%-50s %12s %8s\n", "CALLER", "BYTES", "COUNT");
	setopt("aggrows", lltostr($1));
	printa("%-50A %@12d %@8d\n", @left, @n);
	trunc(@left);
	trunc(@n);
}
