#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * oomkill: print each process that the kernel kills because memory is short
 *
 * It shows the process whose request for memory led to it, the victim, and the memory of the victim in pages.
 *
 * options:
 *   $1 -T  print the time of day
 * overhead: None until the kernel runs out of memory.
 * example:
 *   # oomkill
 *   PID     COMMAND          VICTIM  COMMAND               PAGES
 *   592     python3          592     python3               29220
 */
BEGIN
{
	printf("%s%-7s %-16s %-7s %-16s %10s\n", $1 ? "TIME                 " : "", "PID", "COMMAND", "VICTIM", "COMMAND", "PAGES");
}

sdt:vmlinux::mark_victim
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-7d %-16s %-7d %-16s %10d\n", pid, execname, args[0]->tgid, stringof(args[0]->comm),
	    args[0]->mm == NULL ? 0 : args[0]->mm->total_vm);
}
