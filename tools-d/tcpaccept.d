#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcpaccept: print each TCP connection that a program accepts
 *
 * The process is the one that calls accept, which may be some time after the connection was made.
 *
 * options:
 *   $1 -T           print the time of day
 *   $2 -P PORT = 0  only connections to this port
 * process: optional
 * overhead: The probe fires once for each accepted connection.
 * example:
 *   # tcpaccept -P 7202
 *   PID     COMMAND          IP RADDR            RPORT LADDR            LPORT
 *   1305    python3           4 127.0.0.1        35112 127.0.0.1         7202
 */
BEGIN
{
	printf("%s%-7s %-16s %2s %-16s %5s %-16s %5s\n", $1 ? "TIME                 " : "", "PID", "COMMAND", "IP", "RADDR", "RPORT", "LADDR", "LPORT");
}

fbt:vmlinux:inet_csk_accept:return
/arg1 && ($target == 0 || pid == $target)/
{
	this->s = (struct sock *)arg1;
	this->lport = xlate <tcpsinfo_t> (this->s).tcps_lport;
}

fbt:vmlinux:inet_csk_accept:return
/arg1 && ($target == 0 || pid == $target) && ($2 == 0 || this->lport == $2)/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-7d %-16s %2d %-16s %5d %-16s %5d\n", pid, execname, xlate <ipinfo_t> (this->s).ip_ver,
	    xlate <tcpsinfo_t> (this->s).tcps_raddr, xlate <tcpsinfo_t> (this->s).tcps_rport,
	    xlate <tcpsinfo_t> (this->s).tcps_laddr, this->lport);
}
