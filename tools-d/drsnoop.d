#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * drsnoop: print each time that a process must free memory before it gets some
 *
 * If memory is short, a process that asks for memory must first find pages that can be freed. It waits
 * meanwhile.
 *
 * options:
 *   $1 -T  print the time of day
 * process: optional
 * overhead: None as long as memory is not short.
 * example:
 *   # drsnoop
 *   COMMAND          PID       TIME(us)    PAGES
 */
BEGIN
{
	printf("%s%-16s %-7s %10s %8s\n", $1 ? "TIME                 " : "", "COMMAND", "PID", "TIME(us)", "PAGES");
}

sdt:vmlinux::mm_vmscan_direct_reclaim_begin,
sdt:vmlinux::mm_vmscan_memcg_reclaim_begin
/$target == 0 || pid == $target/
{
	self->begun = timestamp;
}

sdt:vmlinux::mm_vmscan_direct_reclaim_end,
sdt:vmlinux::mm_vmscan_memcg_reclaim_end
/self->begun/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-16s %-7d %10d %8d\n", execname, pid, (timestamp - self->begun) / 1000, args[0]);
	self->begun = 0;
}
