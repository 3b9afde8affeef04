#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * solisten: print each socket that begins to listen for connections
 *
 * options:
 *   $1 -T  print the time of day
 * process: optional
 * overhead: The probe fires once for each call of listen.
 * example:
 *   # solisten
 *   PID     COMMAND          IP ADDRESS           PORT BACKLOG ERR
 *   1390    python3           4 127.0.0.1         7210     128   0
 */
BEGIN
{
	printf("%s%-7s %-16s %2s %-16s %5s %7s %3s\n", $1 ? "TIME                 " : "", "PID", "COMMAND", "IP", "ADDRESS", "PORT", "BACKLOG", "ERR");
}

fbt:vmlinux:inet_listen:entry
/$target == 0 || pid == $target/
{
	self->s = args[0]->sk;
	self->backlog = (int)arg1;
}

fbt:vmlinux:inet_listen:return
/self->s/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-7d %-16s %2d %-16s %5d %7d %3d\n", pid, execname, xlate <ipinfo_t> (self->s).ip_ver, xlate <ipinfo_t> (self->s).ip_saddr,
	    self->s->__sk_common.skc_num, self->backlog, -(int)arg1);
	self->s = 0;
	self->backlog = 0;
}
