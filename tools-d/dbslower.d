#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dbslower: print the queries of PostgreSQL that take long
 *
 * It sees all servers that run when it starts, and their new processes.
 *
 * options:
 *   $1 [MIN] = 1  shortest time in milliseconds
 * process: optional
 * needs: A PostgreSQL that was built with its probes must run, as Debian's is. MySQL and MariaDB: see
 *   mysqlslower.
 * overhead: Two probes fire at each query.
 * example:
 *   # dbslower -d 2 0
 *   PID       TIME(ms) QUERY
 *   185        101.127 select 1
 *   185        101.591 select 1
 *   185        100.467 select 1
 *   185        100.517 select 1
 *   185        100.762 select 1
 *   185        100.583 select 1
 *   185        100.550 select 1
 *   185        103.698 select 1
 *   185        100.512 select 1
 *   185        102.353 select 1
 *   185        100.734 select 1
 *   185        100.552 select 1
 *   185        100.396 select 1
 *   185        100.609 select 1
 *   ...
 */
#pragma D option strsize=1k

BEGIN
{
	printf("%-7s %10s %s\n", "PID", "TIME(ms)", "QUERY");
}

postgresql*:::query-start
/$target == 0 || pid == $target/
{
	self->begun = timestamp;
}

/* The text is in memory once the server has parsed it. */
postgresql*:::query-done
/self->begun && timestamp - self->begun >= (int64_t)$1 * 1000000/
{
	this->us = (timestamp - self->begun) / 1000;
	printf("%-7d %6d.%03d %s\n", pid, this->us / 1000, this->us % 1000, copyinstr(arg0));
}

postgresql*:::query-done
/self->begun/
{
	self->begun = 0;
}
