#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * swapin: count the pages that processes get back from swap
 *
 * A process that waits for swapped pages is slow however fast the processor is.
 *
 * options:
 *   $1 [INTERVAL] = 1  seconds between outputs
 *   $2 [COUNT] = 0     end after so many outputs; 0: never
 * overhead: A probe fires at each page that is swapped in.
 * example:
 *   # swapin
 *   COMMAND          PID        PAGES
 *   python3          204          256
 */
fbt:vmlinux:do_swap_page:entry
{
	@n[execname, pid] = count();
}

tick-${1}s,
END
{
	printf("%-16s %-7s %8s\n", "COMMAND", "PID", "PAGES");
	printa("%-16s %-7d %@8d\n", @n);
	trunc(@n);
}

tick-${1}s
/$2 && ++outputs >= $2/
{
	exit(0);
}
