#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pythongc: print the garbage collections of a Python program
 *
 * process: required
 * needs: Python must be built --with-dtrace, as Debian's python3 is.
 * overhead: Two probes fire at each collection.
 * example:
 *   # pythongc -p 1599
 *   PID     GENERATION   TIME(us)  COLLECTED
 *   1599             0       3099          0
 *   1599             0       3845         24
 *   1599             0       2532          0
 *   1599             2       4669          0
 *   1599             2       2139          0
 *   1599             2       5389        985
 *   1599             2       3620        795
 *   1599             2       1436        281
 */
BEGIN
{
	printf("%-7s %10s %10s %10s\n", "PID", "GENERATION", "TIME(us)", "COLLECTED");
}

python$target:::gc-start
{
	self->generation = (int)arg0;
	self->begun = timestamp;
}

python$target:::gc-done
/self->begun/
{
	printf("%-7d %10d %10d %10d\n", pid, self->generation, (timestamp - self->begun) / 1000, (int)arg0);
	self->begun = 0;
	self->generation = 0;
}
