#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mallocstat: show the sizes that a program asks malloc for, as a distribution
 *
 * options:
 *   $1 -s  also the stacks that ask for the most bytes
 * process: required
 * overhead: A probe fires at each malloc, calloc and realloc: a program that does little else becomes clearly
 *   slower.
 * example:
 *   # mallocstat -c "ls /"
 *   Tracing sizes of allocations, in bytes. Hit Ctrl-C to end.
 *
 *   ...
 *                 32 |@@@@@@@@@@@@@@@@                         92
 *                 64 |@@@                                      19
 *                128 |@                                        4
 *                256 |@                                        4
 *                512 |                                         1
 *               1024 |                                         2
 *               2048 |                                         0
 *               4096 |                                         1
 *               8192 |                                         0
 *              16384 |                                         1
 *              32768 |                                         1
 *              65536 |                                         0
 */
BEGIN
{
	printf("Tracing sizes of allocations, in bytes. Hit Ctrl-C to end.\n");
}

pid$target:libc:malloc:entry
{
	@size[probefunc] = quantize(arg0);
}

pid$target:libc:calloc:entry
{
	@size[probefunc] = quantize(arg0 * arg1);
}

pid$target:libc:realloc:entry
{
	@size[probefunc] = quantize(arg1);
}

pid$target:libc:malloc:entry
/$1/
{
	@stack[ustack()] = sum(arg0);
}

END
{
	trunc(@stack, 10);
}
