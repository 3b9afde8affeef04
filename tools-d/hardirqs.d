#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hardirqs: add up the time in the interrupts of devices
 *
 * options:
 *   $1 -D                  a distribution of the times, in microseconds
 *   $2 [INTERVAL] = 86400  seconds between outputs
 *   $3 [COUNT] = 0         end after so many outputs; 0: never
 * overhead: Two probes fire at each interrupt of a device.
 * example:
 *   # hardirqs -c "md5sum /src/README.md /src/HACKING.md"
 *   Tracing interrupts. Hit Ctrl-C to end.
 *   INTERRUPT                     COUNT     TIME(us)
 *   virtio1-requests.0               75         4506
 *   virtio2-requests.0               13         5134
 *   virtio4-requests.0                6          469
 */
#pragma D option aggsortrev

BEGIN
{
	printf("Tracing interrupts. Hit Ctrl-C to end.\n");
}

sdt:vmlinux::irq_handler_entry
{
	begun[cpu] = timestamp;
	name[cpu] = args[1]->name == NULL ? "?" : stringof(args[1]->name);
}

sdt:vmlinux::irq_handler_exit
/begun[cpu] && $1/
{
	@d[name[cpu]] = quantize((timestamp - begun[cpu]) / 1000);
}

sdt:vmlinux::irq_handler_exit
/begun[cpu] && !$1/
{
	@n[name[cpu]] = count();
	@t[name[cpu]] = sum(timestamp - begun[cpu]);
}

sdt:vmlinux::irq_handler_exit
/begun[cpu]/
{
	begun[cpu] = 0;
}

tick-${2}s,
END
/!$1/
{
	normalize(@t, 1000);
	printf("%-24s %10s %12s\n", "INTERRUPT", "COUNT", "TIME(us)");
	printa("%-24s %@10d %@12d\n", @n, @t);
	trunc(@n);
	trunc(@t);
}

tick-${2}s
/$1/
{
	printa(@d);
	trunc(@d);
}

tick-${2}s
/$3 && ++outputs >= $3/
{
	exit(0);
}
