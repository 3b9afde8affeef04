#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * setuids: print each process that changes its user or group
 *
 * It shows logins, sudo, and servers that give up their privileges: the user before the call, the call with its
 * first argument, and 0 or the error.
 *
 * options:
 *   $1 -T  print the time of day
 * process: optional
 * overhead: The probes fire only at these system calls.
 * example:
 *   # setuids
 *   UID    PID     COMMAND          CALL           ID RESULT
 *   0      578     python3          setgid          7      0
 *   0      578     python3          setuid          1      0
 */
BEGIN
{
	printf("%s%-6s %-7s %-16s %-10s %6s %6s\n", $1 ? "TIME                 " : "", "UID", "PID", "COMMAND", "CALL", "ID", "RESULT");
}

syscall::setuid:entry,
syscall::setgid:entry,
syscall::setfsuid:entry,
syscall::setfsgid:entry
/$target == 0 || pid == $target/
{
	self->id = (int)arg0;
	self->from = uid;
	self->is_on = 1;
}

/* The effective user is what counts. */
syscall::setreuid:entry,
syscall::setregid:entry,
syscall::setresuid:entry,
syscall::setresgid:entry
/$target == 0 || pid == $target/
{
	self->id = (int)arg1;
	self->from = uid;
	self->is_on = 1;
}

syscall::set*id:return
/self->is_on/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-6d %-7d %-16s %-10s %6d %6d\n", self->from, pid, execname, probefunc, self->id, errno);
	self->id = 0;
	self->from = 0;
	self->is_on = 0;
}
