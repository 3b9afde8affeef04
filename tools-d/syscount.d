#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syscount: count system calls, or the time in them
 *
 * It begins with the calls that were made most often. With -L it adds up the time in the calls and sorts by it.
 *
 * options:
 *   $1 -L            show the time in calls, in microseconds
 *   $2 -P            count by process instead of by call
 *   $3 -x            only failed calls
 *   $4 -e ERRNO = 0  only calls that failed with this error
 *   $5 -T TOP = 10   lines to print
 * process: optional
 * overhead: Two probes fire at each system call. A program that does nothing but short calls becomes clearly
 *   slower.
 * example:
 *   # syscount -c "dd if=/dev/zero of=/dev/null bs=1 count=700 status=none"
 *   Counting system calls. Hit Ctrl-C to end.
 *   SYSCALL                   COUNT
 *   read                        701
 *   write                       700
 *   openat                       32
 *   mmap                         21
 *   close                        21
 *   fstat                        16
 *   rt_sigaction                  3
 *   mprotect                      3
 *   brk                           3
 *   pread64                       2
 */
#pragma D option aggsortrev

BEGIN
{
	printf("Counting system calls. Hit Ctrl-C to end.\n");
}

syscall:::entry
/$1 && ($target == 0 || pid == $target)/
{
	self->begun = timestamp;
}

syscall:::return
/($target == 0 || pid == $target) && (!$3 || errno) && ($4 == 0 || errno == $4)/
{
	@n[$2 ? execname : probefunc] = count();
}

syscall:::return
/self->begun && (!$3 || errno) && ($4 == 0 || errno == $4)/
{
	@ns[$2 ? execname : probefunc] = sum(timestamp - self->begun);
	self->begun = 0;
}

END
/!$1/
{
	printf("%-20s %10s\n", $2 ? "COMMAND" : "SYSCALL", "COUNT");
	trunc(@n, $5);
	printa("%-20s %@10d\n", @n);
	trunc(@n);
}

END
/$1/
{
	printf("%-20s %10s %12s\n", $2 ? "COMMAND" : "SYSCALL", "COUNT", "TIME(us)");
	normalize(@ns, 1000);
	setopt("aggsortpos", "1");
	setopt("aggrows", lltostr($5));
	printa("%-20s %@10d %@12d\n", @n, @ns);
	trunc(@n);
	trunc(@ns);
}
