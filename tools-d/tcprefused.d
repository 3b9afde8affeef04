#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcprefused: print connections that this machine or a peer refuses
 *
 * BY is "here" if nobody listens on the port of this machine, and "peer" if a program here tried to connect in
 * vain.
 *
 * options:
 *   $1 -T  print the time of day
 * overhead: None until a connection is refused.
 * example:
 *   # tcprefused
 *   BY   FROM              PORT TO                PORT
 *   here 127.0.0.1        47174 127.0.0.1         7208
 *   peer 127.0.0.1        47174 127.0.0.1         7208
 */
BEGIN
{
	printf("%s%-4s %-16s %5s %-16s %5s\n", $1 ? "TIME                 " : "", "BY", "FROM", "PORT", "TO", "PORT");
}

/* The packet is the answer: it goes the other way. */
tcp:::accept-refused
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-4s %-16s %5d %-16s %5d\n", "here", args[2]->ip_daddr, args[4]->tcp_dport, args[2]->ip_saddr, args[4]->tcp_sport);
}

tcp:::connect-refused
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-4s %-16s %5d %-16s %5d\n", "peer", args[2]->ip_daddr, args[4]->tcp_dport, args[2]->ip_saddr, args[4]->tcp_sport);
}
