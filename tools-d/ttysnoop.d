#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ttysnoop: print what is written to terminals
 *
 * It shows what the users of a machine see. Without -t it prints the writes to all terminals.
 *
 * options:
 *   $1 -t TTY = ""  only this terminal: pts3, tty1
 * process: optional
 * overhead: The probe fires at each write to a terminal.
 * example:
 *   # ttysnoop
 *   TTY      PID     COMMAND          TEXT
 *   pts0     603     python3          seen by all
 */
#pragma D option strsize=1k

BEGIN
{
	printf("%-8s %-7s %-16s %s\n", "TTY", "PID", "COMMAND", "TEXT");
}

fbt:vmlinux:n_tty_write:entry
/($target == 0 || pid == $target) && ($$1 == "" || strjoin(stringof(args[0]->driver->name), lltostr(args[0]->index)) == $$1)/
{
	this->name = strjoin(stringof(args[0]->driver->name), lltostr(args[0]->index));
	this->text = (char *)alloca(arg3 < 1000 ? arg3 + 1 : 1001);
	bcopy((void *)arg2, this->text, arg3 < 1000 ? arg3 : 1000);
	this->text[arg3 < 1000 ? arg3 : 1000] = 0;
	printf("%-8s %-7d %-16s %s\n", this->name, pid, execname, stringof(this->text));
}
