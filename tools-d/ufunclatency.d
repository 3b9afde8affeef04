#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ufunclatency: show how long a program's functions take, as a distribution
 *
 * OBJECT is a library such as libc, or a.out for the program itself; FUNCTION may be a pattern.
 *
 * options:
 *   $1 OBJECT    the library, or a.out
 *   $2 FUNCTION  the function, or a pattern
 *   $3 -u        microseconds instead of nanoseconds
 *   $4 -F        one distribution for each function
 * process: required
 * overhead: Two probes fire at each call of a function. Each costs about 600 instructions.
 * example:
 *   # ufunclatency libc malloc -c "ls /"
 *   Tracing malloc, in nanoseconds. Hit Ctrl-C to end.
 *
 *              value  ------------- Distribution ------------- count
 *              16384 |                                         0
 *              32768 |@@@@@@@@@@@@@@@@@@@@@                    32
 *              65536 |@@@@@                                    7
 *             131072 |@@@@@@@                                  11
 *             262144 |@@                                       3
 *             524288 |@@                                       3
 *            1048576 |@@@                                      4
 *            2097152 |@                                        1
 *            4194304 |@                                        1
 *            8388608 |                                         0
 */
BEGIN
{
	printf("Tracing %s, in %s. Hit Ctrl-C to end.\n", $$2, $3 ? "microseconds" : "nanoseconds");
}

pid$target:${1}:${2}:entry
{
	self->begun[probefunc, ustackdepth] = timestamp;
}

pid$target:${1}:${2}:return
/self->begun[probefunc, ustackdepth]/
{
	@t[$4 ? probefunc : ""] = quantize((timestamp - self->begun[probefunc, ustackdepth]) / ($3 ? 1000 : 1));
	self->begun[probefunc, ustackdepth] = 0;
}
