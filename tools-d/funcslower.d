#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * funcslower: print calls of a kernel function that take long
 *
 * options:
 *   $1 FUNCTION      the function, or a pattern
 *   $2 [MIN] = 1000  shortest time in microseconds
 * process: optional
 * overhead: Two probes fire at each call of a function.
 * example:
 *   # funcslower vfs_read 0 -c "cat /etc/hostname"
 *   COMMAND          PID       TIME(us)             RETURN CALL
 *   cat              1209           239              0x340 vfs_read(0xff2560c542a3ab40, 0x7ffea469d828, 0x340, 0xff7a662e823bfb48)
 *   cat              1209             7              0x348 vfs_read(0xff2560c542a3ab40, 0x7ffea469d3e0, 0x348, 0xff7a662e823bfda8)
 *   cat              1209             4              0x348 vfs_read(0xff2560c542a3ab40, 0x7ffea469d2c0, 0x348, 0xff7a662e823bfb78)
 */
BEGIN
{
	printf("%-16s %-7s %10s %18s %s\n", "COMMAND", "PID", "TIME(us)", "RETURN", "CALL");
}

fbt::${1}:entry
/$target == 0 || pid == $target/
{
	self->a = arg0;
	self->b = arg1;
	self->c = arg2;
	self->d = arg3;
	self->begun = timestamp;
}

fbt::${1}:return
/self->begun && (timestamp - self->begun) / 1000 >= $2/
{
	printf("%-16s %-7d %10d %#18x %s(%#x, %#x, %#x, %#x)\n", execname, pid, (timestamp - self->begun) / 1000, arg1, probefunc,
	    self->a, self->b, self->c, self->d);
}

fbt::${1}:return
/self->begun/
{
	self->begun = 0;
	self->a = 0;
	self->b = 0;
	self->c = 0;
	self->d = 0;
}
