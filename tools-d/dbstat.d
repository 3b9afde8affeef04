#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dbstat: show how long the queries of PostgreSQL take, as a distribution
 *
 * It sees all servers that run when it starts, and their new processes.
 *
 * process: optional
 * needs: A PostgreSQL that was built with its probes must run, as Debian's is. MySQL and MariaDB: see
 *   mysqlstat.
 * overhead: Two probes fire at each query.
 * example:
 *   # dbstat -d 2
 *   Tracing queries, in microseconds. Hit Ctrl-C to end.
 *
 *     PostgreSQL
 *              value  ------------- Distribution ------------- count
 *              32768 |                                         0
 *              65536 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 19
 *             131072 |                                         0
 */
BEGIN
{
	printf("Tracing queries, in microseconds. Hit Ctrl-C to end.\n");
}

postgresql*:::query-start
/$target == 0 || pid == $target/
{
	self->begun = timestamp;
}

postgresql*:::query-done
/self->begun/
{
	@["PostgreSQL"] = quantize((timestamp - self->begun) / 1000);
	self->begun = 0;
}
