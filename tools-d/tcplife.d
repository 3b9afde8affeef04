#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcplife: print each TCP connection that ends, with its time and bytes
 *
 * The process is the one that opened the connection; for an accepted one, the one that closed it first, as far
 * as a process did. TX and RX are the bytes that were sent and received. In RX the end of the connection counts
 * as one.
 *
 * options:
 *   $1 -T           print the time of day
 *   $2 -L PORT = 0  only connections with this local port
 *   $3 -D PORT = 0  only connections with this remote port
 * overhead: The probe fires about ten times for each connection.
 * example:
 *   # tcplife -D 7203
 *   PID     COMMAND          LADDR            LPORT RADDR            RPORT        TX        RX  TIME(ms)
 *   345     python3          127.0.0.1        59600 127.0.0.1         7203      1000       301        28
 */
BEGIN
{
	printf("%s%-7s %-16s %-16s %5s %-16s %5s %9s %9s %9s\n", $1 ? "TIME                 " : "", "PID", "COMMAND", "LADDR", "LPORT", "RADDR", "RPORT",
	    "TX", "RX", "TIME(ms)");
}

int owner[uintptr_t];
string name[uintptr_t];
uint64_t begun[uintptr_t];

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_SYN_SENT || args[3]->tcps_state == TCP_STATE_FIN_WAIT_1 || args[3]->tcps_state == TCP_STATE_LAST_ACK/
{
	owner[args[1]->cs_addr] = owner[args[1]->cs_addr] ? owner[args[1]->cs_addr] : pid;
	name[args[1]->cs_addr] = name[args[1]->cs_addr] != NULL ? name[args[1]->cs_addr] : execname;
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_ESTABLISHED/
{
	begun[args[1]->cs_addr] = timestamp;
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSED && begun[args[1]->cs_addr] && ($2 == 0 || args[3]->tcps_lport == $2) &&
    ($3 == 0 || args[3]->tcps_rport == $3)/
{
	this->s = (struct tcp_sock *)args[1]->cs_addr;
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-7d %-16s %-16s %5d %-16s %5d %9d %9d %9d\n", owner[args[1]->cs_addr], name[args[1]->cs_addr], args[3]->tcps_laddr,
	    args[3]->tcps_lport, args[3]->tcps_raddr, args[3]->tcps_rport, this->s->bytes_sent - this->s->bytes_retrans,
	    this->s->bytes_received, (timestamp - begun[args[1]->cs_addr]) / 1000000);
}

tcp:::state-change
/args[3]->tcps_state == TCP_STATE_CLOSED/
{
	begun[args[1]->cs_addr] = 0;
	owner[args[1]->cs_addr] = 0;
	name[args[1]->cs_addr] = 0;
}
