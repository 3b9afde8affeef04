#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rubyflow: print the methods that a Ruby program calls
 *
 * Each level of calls is indented.
 *
 * process: required
 * needs: Ruby must be built with --enable-dtrace and SystemTap's sdt.h. Debian's ruby is not, and has no probes.
 * overhead: A probe fires at each call of a method: the program becomes clearly slower.
 * example:
 *   # rubyflow -p 1625
 *   TID     METHOD                                   LINE
 *   1625    -> Shop#sell                             a.rb:3
 *   1625    <- Shop#sell                             a.rb:9
 */
BEGIN
{
	printf("%-7s %-40s %s\n", "TID", "METHOD", "LINE");
}

ruby$target:::method-entry
{
	printf("%-7d %*s-> %-*s %s:%d\n", tid, 2 * self->depth, "", 37 - 2 * self->depth,
	    strjoin(copyinstr(arg0), strjoin("#", copyinstr(arg1))), basename(copyinstr(arg2)), (int)arg3);
	self->depth = self->depth < 15 ? self->depth + 1 : 15;
}

ruby$target:::method-return
{
	self->depth = self->depth > 0 ? self->depth - 1 : 0;
	printf("%-7d %*s<- %-*s %s:%d\n", tid, 2 * self->depth, "", 37 - 2 * self->depth,
	    strjoin(copyinstr(arg0), strjoin("#", copyinstr(arg1))), basename(copyinstr(arg2)), (int)arg3);
}
