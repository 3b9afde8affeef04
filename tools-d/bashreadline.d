#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bashreadline: print the command lines that a user types into bash
 *
 * It needs the process of the shell.
 *
 * process: required
 * needs: bash must export the function readline. A bash that is linked with libreadline.so has it there: use
 *   dtrace -n 'pid$target:libreadline:readline:return' instead.
 * overhead: The probe fires once for each line.
 * example:
 *   # bashreadline -c "bash --norc -i"
 *   TIME                 PID     LINE
 *   2026 Nov 24 21:03:06 614     echo typed
 */
BEGIN
{
	printf("%-20s %-7s %s\n", "TIME", "PID", "LINE");
}

pid$target:a.out:readline:return
/arg1/
{
	printf("%Y %-7d %s\n", walltimestamp, pid, copyinstr(arg1));
}
