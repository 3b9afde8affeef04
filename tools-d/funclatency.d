#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * funclatency: show how long kernel functions take, as a distribution
 *
 * The times include the functions that the function calls, and the time in which the thread sleeps.
 *
 * options:
 *   $1 FUNCTION  the function, or a pattern
 *   $2 -u        microseconds instead of nanoseconds
 *   $3 -m        milliseconds
 *   $4 -F        one distribution for each function
 * process: optional
 * overhead: Two probes fire at each call of a function.
 * example:
 *   # funclatency vfs_read -c "cat /etc/hostname"
 *   Tracing vfs_read, in nanoseconds. Hit Ctrl-C to end.
 *
 *              value  ------------- Distribution ------------- count
 *               8192 |                                         0
 *              16384 |@@@@@@@@@@@@@                            1
 *              32768 |@@@@@@@@@@@@@                            1
 *              65536 |                                         0
 *             131072 |                                         0
 *             262144 |@@@@@@@@@@@@@                            1
 *             524288 |                                         0
 */
BEGIN
{
	printf("Tracing %s, in %s. Hit Ctrl-C to end.\n", $$1, $3 ? "milliseconds" : $2 ? "microseconds" : "nanoseconds");
}

fbt::${1}:entry
/$target == 0 || pid == $target/
{
	self->begun[stackdepth] = timestamp;
}

fbt::${1}:return
/self->begun[stackdepth]/
{
	@t[$4 ? probefunc : ""] = quantize((timestamp - self->begun[stackdepth]) / ($3 ? 1000000 : $2 ? 1000 : 1));
	self->begun[stackdepth] = 0;
}
