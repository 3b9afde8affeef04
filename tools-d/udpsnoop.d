#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * udpsnoop: print each datagram that is sent or received
 *
 * The process of a datagram that is received is the one that ran when it came, so it is not printed.
 *
 * options:
 *   $1 -T           print the time of day
 *   $2 -P PORT = 0  only datagrams from or to this port
 * overhead: A probe fires at each datagram.
 * example:
 *   # udpsnoop -P 7209
 *   WAY     PID     COMMAND          SADDR            SPORT DADDR            DPORT  BYTES
 *   send    1378    python3          127.0.0.1         7209 127.0.0.1         7209     77
 *   receive -       -                127.0.0.1         7209 127.0.0.1         7209     77
 */
BEGIN
{
	printf("%s%-7s %-7s %-16s %-16s %5s %-16s %5s %6s\n", $1 ? "TIME                 " : "", "WAY", "PID", "COMMAND", "SADDR", "SPORT", "DADDR", "DPORT",
	    "BYTES");
}

udp:::send,
udp:::receive
/$2 == 0 || args[4]->udp_sport == $2 || args[4]->udp_dport == $2/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-7s %-7s %-16s %-16s %5d %-16s %5d %6d\n", probename, probename == "send" ? lltostr(pid) : "-",
	    probename == "send" ? execname : "-", args[2]->ip_saddr, args[4]->udp_sport, args[2]->ip_daddr, args[4]->udp_dport,
	    args[4]->udp_length - 8);
}
