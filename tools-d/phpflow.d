#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * phpflow: print the functions that a PHP program calls
 *
 * Each level of calls is indented.
 *
 * process: required
 * needs: PHP must be built with --enable-dtrace and run with USE_ZEND_DTRACE=1. Debian's php is not, and has no probes.
 * overhead: A probe fires at each call of a function: the program becomes clearly slower.
 * example:
 *   # phpflow -p 1639
 *   TID     FUNCTION                                 LINE
 *   1639    -> sell                                  a.php:3
 *   1639    <- sell                                  a.php:9
 */
BEGIN
{
	printf("%-7s %-40s %s\n", "TID", "FUNCTION", "LINE");
}

php$target:::function-entry
{
	printf("%-7d %*s-> %-*s %s:%d\n", tid, 2 * self->depth, "", 37 - 2 * self->depth, copyinstr(arg0), basename(copyinstr(arg1)), (int)arg2);
	self->depth = self->depth < 15 ? self->depth + 1 : 15;
}

php$target:::function-return
{
	self->depth = self->depth > 0 ? self->depth - 1 : 0;
	printf("%-7d %*s<- %-*s %s:%d\n", tid, 2 * self->depth, "", 37 - 2 * self->depth, copyinstr(arg0), basename(copyinstr(arg1)), (int)arg2);
}
