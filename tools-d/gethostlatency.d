#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * gethostlatency: print each look-up of a host name, with its time
 *
 * It sees the calls of the C library: getaddrinfo and gethostbyname with its variants. Programs in Go and Java may have look-ups
 * of their own.
 *
 * process: required
 * overhead: Two probes fire at each look-up, which takes much longer than they do.
 * example:
 *   # gethostlatency -c "getent ahosts localhost"
 *   PID     COMMAND            TIME(us) HOST
 *   1401    getent               205540 localhost
 */
BEGIN
{
	printf("%-7s %-16s %10s %s\n", "PID", "COMMAND", "TIME(us)", "HOST");
}

pid$target:libc:getaddrinfo:entry,
pid$target:libc:gethostbyname:entry,
pid$target:libc:gethostbyname2:entry,
pid$target:libc:gethostbyname_r:entry,
pid$target:libc:gethostbyname2_r:entry
/!self->begun/
{
	self->host = arg0;
	self->begun = timestamp;
}

pid$target:libc:getaddrinfo:return,
pid$target:libc:gethostbyname:return,
pid$target:libc:gethostbyname2:return,
pid$target:libc:gethostbyname_r:return,
pid$target:libc:gethostbyname2_r:return
/self->begun/
{
	printf("%-7d %-16s %10d %s\n", pid, execname, (timestamp - self->begun) / 1000, self->host ? copyinstr(self->host) : "-");
	self->host = 0;
	self->begun = 0;
}
