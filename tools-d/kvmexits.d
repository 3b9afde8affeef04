#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * kvmexits: count the exits of virtual machines, with the time until they run again
 *
 * Each row is a thread of a virtual machine. Many exits, or long ones, mean work for the host on behalf of the
 * guest.
 *
 * needs: The module kvm must be loaded: modprobe kvm.
 * overhead: Two probes fire at each exit.
 * example:
 *   # kvmexits -d 10
 *   Tracing exits of virtual machines. Hit Ctrl-C to end.
 *   COMMAND          TID          EXITS    AVG(ns)
 *   CPU 0/KVM        3120         48210       2310
 *   CPU 1/KVM        3121          1290      41233
 */
BEGIN
{
	printf("Tracing exits of virtual machines. Hit Ctrl-C to end.\n");
}

sdt:kvm::kvm_exit
{
	self->exit = timestamp;
}

sdt:kvm::kvm_entry
/self->exit/
{
	@n[execname, tid] = count();
	@t[execname, tid] = avg(timestamp - self->exit);
	self->exit = 0;
}

END
{
	printf("%-16s %-7s %10s %10s\n", "COMMAND", "TID", "EXITS", "AVG(ns)");
	printa("%-16s %-7d %@10d %@10d\n", @n, @t);
	trunc(@n);
	trunc(@t);
}
