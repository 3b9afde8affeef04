#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ufunccount: count the calls of a program's functions
 *
 * OBJECT is a library such as libc, or a.out for the program itself; FUNCTION may be a pattern.
 *
 * options:
 *   $1 OBJECT    the library, or a.out
 *   $2 FUNCTION  the function, or a pattern
 * process: required
 * overhead: A probe costs about 600 instructions for each call of a function.
 * example:
 *   # ufunccount libc 'mem*' -c "ls /"
 *   Counting calls. Hit Ctrl-C to end.
 *   OBJECT               FUNCTION                                      COUNT
 *   libc.so.6            memcmp                                            1
 *   libc.so.6            memset                                            1
 *   libc.so.6            memmem                                           12
 *   libc.so.6            memchr                                           37
 *   libc.so.6            mempcpy                                          44
 *   libc.so.6            memcpy                                          276
 */
BEGIN
{
	printf("Counting calls. Hit Ctrl-C to end.\n");
}

pid$target:${1}:${2}:entry
{
	@n[probemod, probefunc] = count();
}

END
{
	printf("%-20s %-40s %10s\n", "OBJECT", "FUNCTION", "COUNT");
	printa("%-20s %-40s %@10d\n", @n);
	trunc(@n);
}
