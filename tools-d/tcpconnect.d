#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcpconnect: print each TCP connection that this machine opens
 *
 * It prints the attempt, whether or not the peer accepts it. tcpstates shows what becomes of it.
 *
 * options:
 *   $1 -T           print the time of day
 *   $2 -P PORT = 0  only connections to this port
 * process: optional
 * overhead: The probes fire once for each connection.
 * example:
 *   # tcpconnect -P 7201
 *   PID     COMMAND          IP SADDR            DADDR            DPORT
 *   264     python3           4 127.0.0.1        127.0.0.1         7201
 */
BEGIN
{
	printf("%s%-7s %-16s %2s %-16s %-16s %5s\n", $1 ? "TIME                 " : "", "PID", "COMMAND", "IP", "SADDR", "DADDR", "DPORT");
}

int sent[uintptr_t];

/* A request that is sent again fires again. */
tcp:::connect-request
/!sent[args[1]->cs_addr] && ($target == 0 || pid == $target) && ($2 == 0 || args[4]->tcp_dport == $2)/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-7d %-16s %2d %-16s %-16s %5d\n", pid, execname, args[2]->ip_ver, args[2]->ip_saddr, args[2]->ip_daddr,
	    args[4]->tcp_dport);
}

tcp:::connect-request
{
	sent[args[1]->cs_addr] = 1;
}

tcp:::state-change
/args[5]->tcps_state == TCP_STATE_SYN_SENT/
{
	sent[args[1]->cs_addr] = 0;
}
