#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * funccount: count the calls of kernel functions
 *
 * FUNCTION may be a pattern such as 'vfs_*'. The functions of a program are in ufunccount, all other probes in
 * probecount.
 *
 * options:
 *   $1 FUNCTION            the function, or a pattern
 *   $2 [INTERVAL] = 86400  seconds between outputs
 *   $3 [COUNT] = 0         end after so many outputs; 0: never
 * process: optional
 * overhead: Each call of a function takes about 120 instructions more. A pattern such as '*' slows the whole
 *   machine.
 * example:
 *   # funccount 'vfs_re*' -c "cat /etc/hostname"
 *   Counting calls. Hit Ctrl-C to end.
 *   FUNCTION                                      COUNT
 *   vfs_read                                          3
 */
BEGIN
{
	printf("Counting calls. Hit Ctrl-C to end.\n");
}

fbt::${1}:entry
/$target == 0 || pid == $target/
{
	@n[probefunc] = count();
}

tick-${2}s,
END
{
	printf("%-40s %10s\n", "FUNCTION", "COUNT");
	printa("%-40s %@10d\n", @n);
	trunc(@n);
}

tick-${2}s
/$3 && ++outputs >= $3/
{
	exit(0);
}
