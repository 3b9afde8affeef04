#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * zombies: print processes that their parents left waiting after the end
 *
 * A process that has ended stays as a zombie until its parent asks for its status. It prints a line when the
 * parent at last does so after more than MIN milliseconds.
 *
 * options:
 *   $1 [MIN] = 100  shortest time in milliseconds
 * overhead: The probes fire twice for each process. They need memory for each zombie.
 * example:
 *   # zombies 200
 *   PID     COMMAND          PPID    PARENT           WAITED(ms)
 *   556     python3          555     python3                 498
 */
BEGIN
{
	printf("%-7s %-16s %-7s %-16s %10s\n", "PID", "COMMAND", "PPID", "PARENT", "WAITED(ms)");
}

proc:::exit
{
	ended[pid] = timestamp;
}

fbt:vmlinux:release_task:entry
/args[0]->pid == args[0]->tgid && ended[args[0]->tgid]/
{
	this->p = args[0];
	this->ms = (timestamp - ended[this->p->tgid]) / 1000000;
	ended[this->p->tgid] = 0;
	if (this->ms >= $1)
		printf("%-7d %-16s %-7d %-16s %10d\n", this->p->tgid, stringof(this->p->comm), this->p->real_parent->tgid,
		    stringof(this->p->real_parent->comm), this->ms);
}
