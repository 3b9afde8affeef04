#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * javagc: print the garbage collections of a Java program
 *
 * A full collection stops the program until it has ended.
 *
 * process: required
 * needs: The Java machine must be built with its probes, as Debian's OpenJDK is, and must have loaded
 *   libjvm.so: give a running one with -p.
 * overhead: Two probes fire at each collection.
 * example:
 *   # javagc -p 1666
 *   PID     FULL   TIME(us)
 *   1666    yes          29
 */
BEGIN
{
	printf("%-7s %-4s %10s\n", "PID", "FULL", "TIME(us)");
}

hotspot$target:::gc-begin
{
	self->is_full = (int)arg0;
	self->begun = timestamp;
}

hotspot$target:::gc-end
/self->begun/
{
	printf("%-7d %-4s %10d\n", pid, self->is_full ? "yes" : "no", (timestamp - self->begun) / 1000);
	self->begun = 0;
	self->is_full = 0;
}
