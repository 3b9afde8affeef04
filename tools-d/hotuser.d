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
 *   # hotuser -l -c "sh -c 'i=0; while [ \$i -lt 60000 ]; do i=\$((i+1)); done'"
 *   Sampling process 1033. Hit Ctrl-C to end.
 *   LIBRARY                                                         COUNT
 *   dash                                                              637
 *   libc.so.6                                                         544
 *   ld-linux-x86-64.so.2                                                3
 */
#pragma D option aggsortrev

BEGIN
{
	printf("Sampling process %d. Hit Ctrl-C to end.\n", $target);
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
