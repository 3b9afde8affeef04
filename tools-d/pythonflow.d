#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * pythonflow: print the functions that a Python program calls
 *
 * Each level of calls is indented.
 *
 * process: required
 * needs: Python must be built --with-dtrace and be older than 3.13, which has no probes at functions any more.
 *   Debian's python3 has the probes of pythongc and pythonimport.
 * overhead: A probe fires at each call of a function: the program becomes clearly slower.
 * example:
 *   # pythonflow -p 1585
 *   TID     FUNCTION                                 LINE
 *   1585    -> main                                  a.py:3
 *   1585    <- main                                  a.py:9
 */
BEGIN
{
	printf("%-7s %-40s %s\n", "TID", "FUNCTION", "LINE");
}

python$target:::function-entry
{
	printf("%-7d %*s-> %-*s %s:%d\n", tid, 2 * self->depth, "", 37 - 2 * self->depth, copyinstr(arg1), basename(copyinstr(arg0)), (int)arg2);
	self->depth = self->depth < 15 ? self->depth + 1 : 15;
}

python$target:::function-return
{
	self->depth = self->depth > 0 ? self->depth - 1 : 0;
	printf("%-7d %*s<- %-*s %s:%d\n", tid, 2 * self->depth, "", 37 - 2 * self->depth, copyinstr(arg1), basename(copyinstr(arg0)), (int)arg2);
}
