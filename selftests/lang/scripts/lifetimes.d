#!/usr/sbin/dtrace -qs
/* Commands that come and go, and how long each lived. */

self string command;

syscall::execve:entry
{
	self->path = arg0;
	births[pid] = timestamp;
}

syscall::execve:return
/errno == 0 && births[pid]/
{
	printf("%d <- %d %s [%s]\n", pid, ppid, curpsinfo->pr_psargs, execname);
	self->command = curpsinfo->pr_fname;
}

syscall::exit_group:entry
/births[pid]/
{
	@lived[self->command] = quantize((timestamp - births[pid]) / 1000000000);
	@status[self->command, arg0 == 0 ? "well" : "badly"] = count();
	births[pid] = 0;
}

END
{
	printa("%-12s ended %-8s %@u\n", @status);
	printa(@lived);
	clear(@status);
	trunc(@lived);
}
