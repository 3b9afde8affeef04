#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mysqlslower: print the commands of MariaDB that take long
 *
 * It prints the text that the client has sent. In MySQL the arguments of the function are others: use mysqlstat
 * there.
 *
 * options:
 *   $1 [MIN] = 1  shortest time in milliseconds
 * process: required
 * needs: The server must have its symbols: a stripped one needs the package with debugging symbols.
 * overhead: Two probes fire at each command, and copy up to a kilobyte of text.
 * example:
 *   # mysqlslower 0 -p 1572
 *   TID       TIME(ms) QUERY
 *   1572         0.462 select 2
 */
#pragma D option strsize=1k

BEGIN
{
	printf("%-7s %10s %s\n", "TID", "TIME(ms)", "QUERY");
}

pid$target:a.out:*dispatch_command*:entry
{
	/* The server puts its answer into the same memory. */
	this->bytes = (uint32_t)arg3;
	self->text = copyinstr(arg2, this->bytes < 1000 ? this->bytes + 1 : 1000);
	self->begun = timestamp;
}

pid$target:a.out:*dispatch_command*:return
/self->begun && timestamp - self->begun >= (int64_t)$1 * 1000000/
{
	this->us = (timestamp - self->begun) / 1000;
	printf("%-7d %6d.%03d %s\n", tid, this->us / 1000, this->us % 1000, self->text);
}

pid$target:a.out:*dispatch_command*:return
{
	self->text = 0;
	self->begun = 0;
}
