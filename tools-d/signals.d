#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * signals: count the signals that are sent, by sender, receiver and signal
 *
 * It counts all signals, also those of the kernel: SIGCHLD at the end of a child, SIGALRM of a timer. The sender
 * is the process that runs when the kernel sends the signal; for a timer this may be any process.
 *
 * options:
 *   $1 -i  also count signals that the receiver ignores
 * process: optional
 * overhead: The probes fire once for each signal.
 * example:
 *   # signals -c "sh -c 'kill -15 \$\$'"
 *   Counting signals. Hit Ctrl-C to end.
 *   SENDER           RECEIVER         SIGNAL    COUNT
 *   sh               sh                   15        1
 */
BEGIN
{
	printf("Counting signals. Hit Ctrl-C to end.\n");
}

proc:::signal-send
/$target == 0 || pid == $target || args[1]->pr_pid == $target/
{
	@n[execname, args[1]->pr_fname, args[2]] = count();
}

proc:::signal-discard
/$1 && ($target == 0 || pid == $target || args[1]->pr_pid == $target)/
{
	@n[execname, args[1]->pr_fname, args[2]] = count();
}

END
{
	printf("%-16s %-16s %6s %8s\n", "SENDER", "RECEIVER", "SIGNAL", "COUNT");
	printa("%-16s %-16s %6d %@8d\n", @n);
}
