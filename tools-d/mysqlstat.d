#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * mysqlstat: show how long the commands of MariaDB or MySQL take, as a distribution
 *
 * Neither has probes of its own any more, so this tool traces the server's function dispatch_command.
 *
 * process: required
 * needs: The server must have its symbols: a stripped one needs the package with debugging symbols.
 * overhead: Two probes fire at each command.
 * example:
 *   # mysqlstat -p 1234
 *   Tracing commands, in microseconds. Hit Ctrl-C to end.
 *
 *     commands
 *              value  ------------- Distribution ------------- count
 *                512 |                                         0
 *               1024 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
 *               2048 |                                         0
 */
BEGIN
{
	printf("Tracing commands, in microseconds. Hit Ctrl-C to end.\n");
}

pid$target:a.out:*dispatch_command*:entry
{
	self->begun = timestamp;
}

pid$target:a.out:*dispatch_command*:return
/self->begun/
{
	@["commands"] = quantize((timestamp - self->begun) / 1000);
	self->begun = 0;
}
