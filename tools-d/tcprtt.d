#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcprtt: show the round-trip times of TCP connections, as a distribution
 *
 * It is the kernel's own smoothed estimate for the connection, at each packet that arrives.
 *
 * options:
 *   $1 -a           one distribution for each remote address
 *   $2 -P PORT = 0  only connections with this local or remote port
 * overhead: A probe fires at each TCP packet that arrives.
 * example:
 *   # tcprtt -a -P 7207
 *   Tracing round-trip times, in microseconds. Hit Ctrl-C to end.
 *
 *     127.0.0.1
 *              value  ------------- Distribution ------------- count
 *                 64 |                                         0
 *                128 |@@@@@@@@@@@@@@@@@@@@@@@@@                5
 *                256 |@@@@@@@@@@@@@@@                          3
 *                512 |                                         0
 */
BEGIN
{
	printf("Tracing round-trip times, in microseconds. Hit Ctrl-C to end.\n");
}

tcp:::receive
/args[3]->tcps_rtt && ($2 == 0 || args[3]->tcps_lport == $2 || args[3]->tcps_rport == $2)/
{
	@[$1 ? args[3]->tcps_raddr : "all"] = quantize(args[3]->tcps_rtt);
}
