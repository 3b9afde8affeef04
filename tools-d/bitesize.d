#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * bitesize: show the sizes of disk requests by process, as distributions
 *
 * Small requests cost a disk as much time as large ones, so a program with large requests gets more data.
 *
 * overhead: A probe fires at each request of a disk.
 * example:
 *   # bitesize
 *   Tracing sizes of disk requests, in bytes. Hit Ctrl-C to end.
 *
 *     dd
 *              value  ------------- Distribution ------------- count
 *               2048 |                                         0
 *               4096 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 16
 *               8192 |                                         0
 */
BEGIN
{
	printf("Tracing sizes of disk requests, in bytes. Hit Ctrl-C to end.\n");
}

io:::start
{
	@size[execname] = quantize(args[0]->b_bcount);
}
