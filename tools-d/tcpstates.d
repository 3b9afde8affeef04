#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcpstates: print each change of state of TCP connections
 *
 * MS is the time that the connection was in the old state.
 *
 * options:
 *   $1 -T           print the time of day
 *   $2 -L PORT = 0  only connections with this local port
 *   $3 -D PORT = 0  only connections with this remote port
 * overhead: The probe fires about ten times for each connection.
 * example:
 *   # tcpstates -D 7206
 *   LADDR            LPORT RADDR            RPORT FROM         TO                 MS
 *   127.0.0.1            0 127.0.0.1         7206 closed       syn-sent            0
 *   127.0.0.1        36850 127.0.0.1         7206 syn-sent     established         1
 *   127.0.0.1        36850 127.0.0.1         7206 established  fin-wait-1          2
 *   127.0.0.1        36850 127.0.0.1         7206 fin-wait-1   fin-wait-2          0
 *   127.0.0.1        36850 127.0.0.1         7206 fin-wait-2   closed              0
 */
BEGIN
{
	printf("%s%-16s %5s %-16s %5s %-12s %-12s %8s\n", $1 ? "TIME                 " : "", "LADDR", "LPORT", "RADDR", "RPORT", "FROM", "TO", "MS");
}

uint64_t since[uintptr_t];

tcp:::state-change
/($2 == 0 || args[3]->tcps_lport == $2) && ($3 == 0 || args[3]->tcps_rport == $3)/
{
	this->since = since[args[1]->cs_addr] ? since[args[1]->cs_addr] : timestamp;
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-16s %5d %-16s %5d %-12s %-12s %8d\n", args[3]->tcps_laddr, args[3]->tcps_lport, args[3]->tcps_raddr,
	    args[3]->tcps_rport, substr(tcp_state_string[args[5]->tcps_state], 6), substr(tcp_state_string[args[3]->tcps_state], 6),
	    (timestamp - this->since) / 1000000);
}

tcp:::state-change
{
	since[args[1]->cs_addr] = args[3]->tcps_state == TCP_STATE_CLOSED ? 0 : timestamp;
}
