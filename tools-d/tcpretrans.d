#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcpretrans: print each TCP packet that is sent again
 *
 * A packet that is sent again was lost, or its answer was. The program then waits for at least 200 ms.
 *
 * options:
 *   $1 -T  print the time of day
 *   $2 -c  count by connection, and print at the end
 * overhead: None as long as no packet is lost.
 * example:
 *   # tcpretrans -d 4
 *   LADDR            LPORT RADDR            RPORT STATE
 *   127.0.0.1        39474 127.0.0.1         7204 syn-sent
 *   127.0.0.1        39474 127.0.0.1         7204 syn-sent
 */
BEGIN
/!$2/
{
	printf("%s%-16s %5s %-16s %5s %s\n", $1 ? "TIME                 " : "", "LADDR", "LPORT", "RADDR", "RPORT", "STATE");
}

BEGIN
/$2/
{
	printf("Counting packets that are sent again. Hit Ctrl-C to end.\n");
}

sdt:vmlinux::tcp_retransmit_skb
{
	this->s = (struct sock *)args[0];
	this->laddr = xlate <tcpsinfo_t> (this->s).tcps_laddr;
	this->raddr = xlate <tcpsinfo_t> (this->s).tcps_raddr;
	this->lport = xlate <tcpsinfo_t> (this->s).tcps_lport;
	this->rport = xlate <tcpsinfo_t> (this->s).tcps_rport;
}

sdt:vmlinux::tcp_retransmit_skb
/!$2/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-16s %5d %-16s %5d %s\n", this->laddr, this->lport, this->raddr, this->rport,
	    substr(tcp_state_string[this->s->__sk_common.skc_state], 6));
}

sdt:vmlinux::tcp_retransmit_skb
/$2/
{
	@n[this->laddr, this->lport, this->raddr, this->rport] = count();
}

END
/$2/
{
	printf("%-16s %5s %-16s %5s %8s\n", "LADDR", "LPORT", "RADDR", "RPORT", "COUNT");
	printa("%-16s %5d %-16s %5d %@8d\n", @n);
	trunc(@n);
}
