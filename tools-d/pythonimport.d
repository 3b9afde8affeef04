#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pythonimport: print the modules that a Python program imports, with their time
 *
 * The time of a module includes the modules that it imports itself. The slowest imports make a program start
 * slowly.
 *
 * process: required
 * needs: Python must be built --with-dtrace, as Debian's python3 is.
 * overhead: Two probes fire at each import.
 * example:
 *   # pythonimport -p 1612
 *   TID       TIME(us) FOUND MODULE
 *   1612          3688 yes   _io
 *   1612           760 yes   marshal
 *   1612          3247 yes   posix
 *   1612         17088 yes   _frozen_importlib_external
 *   1612          3354 yes   time
 *   1612          6904 yes   zipimport
 *   1612          1585 yes   _codecs
 *   1612          6743 yes   codecs
 *   1612          8191 yes   encodings.aliases
 *   1612         25683 yes   encodings
 *   1612          4601 yes   encodings.utf_8
 *   1612          1181 yes   _signal
 *   1612           675 yes   _abc
 *   1612          2195 yes   abc
 *   ...
 */
BEGIN
{
	printf("%-7s %10s %-5s %s\n", "TID", "TIME(us)", "FOUND", "MODULE");
}

python$target:::import-find-load-start
{
	self->begun[copyinstr(arg0)] = timestamp;
}

python$target:::import-find-load-done
/self->begun[copyinstr(arg0)]/
{
	printf("%-7d %10d %-5s %s\n", tid, (timestamp - self->begun[copyinstr(arg0)]) / 1000, arg1 ? "yes" : "no", copyinstr(arg0));
	self->begun[copyinstr(arg0)] = 0;
}
