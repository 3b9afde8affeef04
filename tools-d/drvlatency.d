#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drvlatency: show how long the functions of a driver with own probes take
 *
 * A driver that uses <dtrace/sdt.h> has probes with its own provider. This tool measures between the probes
 * entry and return of the same function.
 *
 * options:
 *   $1 PROVIDER  the driver's provider
 * process: optional
 * overhead: Two probes fire at each call of these functions.
 * example:
 *   # drvlatency hworld
 *   Tracing provider hworld, in nanoseconds. Hit Ctrl-C to end.
 *
 *     open1
 *              value  ------------- Distribution ------------- count
 *              32768 |                                         0
 *              65536 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
 *             131072 |                                         0
 *
 *     read1
 *              value  ------------- Distribution ------------- count
 *               8192 |                                         0
 *              16384 |@@@@@@@@@@@@@@@@@@@@                     1
 *              32768 |                                         0
 *              65536 |                                         0
 *             131072 |@@@@@@@@@@@@@@@@@@@@                     1
 *             262144 |                                         0
 */
BEGIN
{
	printf("Tracing provider %s, in nanoseconds. Hit Ctrl-C to end.\n", $$1);
}

${1}:::entry
/$target == 0 || pid == $target/
{
	self->begun[probefunc] = timestamp;
}

${1}:::return
/self->begun[probefunc]/
{
	@t[probefunc] = quantize(timestamp - self->begun[probefunc]);
	self->begun[probefunc] = 0;
}
