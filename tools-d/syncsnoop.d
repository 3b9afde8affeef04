#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * syncsnoop: print each call that writes cached data to disks
 *
 * Such a call can wait for a disk, and other programs may wait for the same disk meanwhile.
 *
 * options:
 *   $1 -T  print the time of day
 * process: optional
 * overhead: The probes fire only at sync, syncfs, fsync, fdatasync, msync and sync_file_range.
 * example:
 *   # syncsnoop
 *   PID     COMMAND          CALL               TIME(us)
 *   850     sync             fsync                    88
 */
BEGIN
{
	printf("%s%-7s %-16s %-16s %10s\n", $1 ? "TIME                 " : "", "PID", "COMMAND", "CALL", "TIME(us)");
}

syscall::*sync:entry,
syscall::syncfs:entry,
syscall::sync_file_range:entry
/$target == 0 || pid == $target/
{
	self->begun = timestamp;
}

syscall::*sync:return,
syscall::syncfs:return,
syscall::sync_file_range:return
/self->begun/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-7d %-16s %-16s %10d\n", pid, execname, probefunc, (timestamp - self->begun) / 1000);
	self->begun = 0;
}
