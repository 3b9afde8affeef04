#!/usr/sbin/dtrace -s
/*
 * Counts system calls by process and name.
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

syscall:::entry
/pid != $pid/
{
	@num[execname, probefunc] = count();
}

dtrace:::END
{
	printf(" %-20s %-24s %8s\n", "EXEC", "SYSCALL", "COUNT");
	printa(" %-20s %-24s %@8d\n", @num);
}
