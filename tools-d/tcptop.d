#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tcptop: show the TCP connections with the most bytes, by process
 *
 * It counts the bytes that processes send and receive by TCP.
 *
 * options:
 *   $1 -r ROWS = 20    rows in each output
 *   $2 [INTERVAL] = 1  seconds between outputs
 *   $3 [COUNT] = 0     end after so many outputs; 0: never
 * process: optional
 * overhead: Probes fire at each send and receive call of a TCP connection.
 * example:
 *   # tcptop 9
 *   PID     COMMAND          LADDR            LPORT RADDR            RPORT         TX         RX
 *   1329    python3          127.0.0.1        48742 127.0.0.1         7205       1000        300
 *   1329    python3          127.0.0.1         7205 127.0.0.1        48742        300       1000
 */
#pragma D option aggsortrev

inline struct tcp_sock *TCP[uintptr_t s] = (struct tcp_sock *)s;

fbt:vmlinux:tcp_sendmsg:entry
/$target == 0 || pid == $target/
{
	this->s = (struct sock *)arg0;
	@tx[pid, execname, xlate <tcpsinfo_t> (this->s).tcps_laddr, xlate <tcpsinfo_t> (this->s).tcps_lport,
	    xlate <tcpsinfo_t> (this->s).tcps_raddr, xlate <tcpsinfo_t> (this->s).tcps_rport] = sum(arg2);
	@rx[pid, execname, xlate <tcpsinfo_t> (this->s).tcps_laddr, xlate <tcpsinfo_t> (this->s).tcps_lport,
	    xlate <tcpsinfo_t> (this->s).tcps_raddr, xlate <tcpsinfo_t> (this->s).tcps_rport] = sum(0);
}

fbt:vmlinux:tcp_cleanup_rbuf:entry
/($target == 0 || pid == $target) && (int)arg1 > 0/
{
	this->s = (struct sock *)arg0;
	@tx[pid, execname, xlate <tcpsinfo_t> (this->s).tcps_laddr, xlate <tcpsinfo_t> (this->s).tcps_lport,
	    xlate <tcpsinfo_t> (this->s).tcps_raddr, xlate <tcpsinfo_t> (this->s).tcps_rport] = sum(0);
	@rx[pid, execname, xlate <tcpsinfo_t> (this->s).tcps_laddr, xlate <tcpsinfo_t> (this->s).tcps_lport,
	    xlate <tcpsinfo_t> (this->s).tcps_raddr, xlate <tcpsinfo_t> (this->s).tcps_rport] = sum((int)arg1);
}

tick-${2}s,
END
{
	printf("%-7s %-16s %-16s %5s %-16s %5s %10s %10s\n", "PID", "COMMAND", "LADDR", "LPORT", "RADDR", "RPORT", "TX", "RX");
	setopt("aggrows", lltostr($1));
	printa("%-7d %-16s %-16s %5d %-16s %5d %@10d %@10d\n", @tx, @rx);
	trunc(@tx);
	trunc(@rx);
}

tick-${2}s
/$3 && ++outputs >= $3/
{
	exit(0);
}
