#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * nodegc: print the garbage collections of a Node.js program
 *
 * process: required
 * needs: Node.js must be older than version 19 and built --with-dtrace; later versions have no probes.
 * overhead: Two probes fire at each collection.
 * example:
 *   # nodegc -p 1653
 *   PID       TIME(us)
 *   1653            36
 */
BEGIN
{
	printf("%-7s %10s\n", "PID", "TIME(us)");
}

node$target:::gc-start
{
	self->begun = timestamp;
}

node$target:::gc-done
/self->begun/
{
	printf("%-7d %10d\n", pid, (timestamp - self->begun) / 1000);
	self->begun = 0;
}
