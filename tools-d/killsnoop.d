#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * killsnoop: print each signal that a process sends by a system call
 *
 * It shows the sender, the signal and the process that should get it. RESULT is 0 or the error. Signals of the
 * kernel, such as SIGCHLD, are not here; see signals.
 *
 * options:
 *   $1 -T             print the time of day
 *   $2 -x             only failed calls
 *   $3 -s SIGNAL = 0  only this signal
 * process: optional
 * overhead: The probes fire only when a process calls kill, tkill or tgkill.
 * example:
 *   # killsnoop -c "sh -c 'kill -0 \$\$; kill -15 \$\$'"
 *   PID     COMMAND          SIGNAL  TARGET RESULT
 *   522     sh                    0     522      0
 *   522     sh                   15     522      0
 */
BEGIN
{
	printf("%s%-7s %-16s %6s %7s %6s\n", $1 ? "TIME                 " : "", "PID", "COMMAND", "SIGNAL", "TARGET", "RESULT");
}

syscall::kill:entry,
syscall::tkill:entry
/$target == 0 || pid == $target/
{
	self->to = (int)arg0;
	self->signal = (int)arg1;
	self->is_on = 1;
}

syscall::tgkill:entry
/$target == 0 || pid == $target/
{
	self->to = (int)arg1;
	self->signal = (int)arg2;
	self->is_on = 1;
}

syscall::kill:return,
syscall::tkill:return,
syscall::tgkill:return
/self->is_on && (!$2 || errno) && ($3 == 0 || self->signal == $3)/
{
	if ($1)
		printf("%Y ", walltimestamp);
	printf("%-7d %-16s %6d %7d %6d\n", pid, execname, self->signal, self->to, errno);
}

/* A signal that kills its sender lets the call return first. */
syscall::kill:return,
syscall::tkill:return,
syscall::tgkill:return
/self->is_on/
{
	self->is_on = 0;
	self->to = 0;
	self->signal = 0;
}
