#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hotuser: show which functions of a program use the CPUs
 *
 * It samples what the CPUs do 997 times in a second, and counts the program's function, or with -l its library.
 *
 * options:
 *   $1 -l            libraries instead of functions
 *   $2 -r ROWS = 30  rows to print
 * process: required
 * overhead: Little: a timer on each CPU, 997 times in a second.
 * example:
 *   # hotuser -c "sh -c 'i=0; while [ \$i -lt 60000 ]; do i=\$((i+1)); done'"
 *   Sampling the process. Hit Ctrl-C to end.
 *   FUNCTION                                                        COUNT
 *   libc.so.6`0x16509f                                                145
 *   dash`0x42b0                                                        68
 *   libc.so.6`0x165070                                                 60
 *   dash`0x15a7c                                                       42
 *   libc.so.6`free                                                     29
 *   dash`0x163ed                                                       24
 *   libc.so.6`0x184e3f                                                 17
 *   libc.so.6`0x182200                                                 14
 *   dash`0xa439                                                        14
 *   libc.so.6`0x182267                                                 13
 *   libc.so.6`0x182210                                                 12
 *   dash`0x9ec0                                                        12
 *   libc.so.6`0x184da0                                                 11
 *   ...
 */
#pragma D option aggsortrev

BEGIN
{
	printf("Sampling the process. Hit Ctrl-C to end.\n");
}

profile-997
/arg1 && pid == $target && !$1/
{
	@f[ufunc(arg1)] = count();
}

profile-997
/arg1 && pid == $target && $1/
{
	@m[umod(arg1)] = count();
}

END
{
	printf("%-60s %8s\n", $1 ? "LIBRARY" : "FUNCTION", "COUNT");
	trunc(@f, $2);
	trunc(@m, $2);
	printa("%-60A %@8d\n", @f);
	printa("%-60A %@8d\n", @m);
	trunc(@f);
	trunc(@m);
}
