#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offcputime: add up the time that threads wait, by stack
 *
 * It shows where programs wait: for disks, locks, the network or sleep, with the stacks of the kernel and of the
 * program. The times are microseconds. With -f you get the lines that flame-graph tools read.
 *
 * options:
 *   $1 -K          only the stack of the kernel
 *   $2 -U          only the stack of the program
 *   $3 -m MIN = 1  shortest wait in microseconds
 * process: optional
 * stacks: yes
 * overhead: Two probes fire at each change of threads, and each wait copies a stack.
 * example:
 *   # offcputime -K -c "sleep 0.1"
 *   Tracing waits by stack, in microseconds. Hit Ctrl-C to end.
 *
 *   ...
 *                 vmlinux`asm_exc_int3+0x39
 *     sleep                                                         24301
 *
 *                 vmlinux`__schedule+0x784
 *                 vmlinux`schedule+0x28
 *                 vmlinux`do_nanosleep+0x53
 *                 vmlinux`hrtimer_nanosleep+0x86
 *                 vmlinux`common_nsleep+0x43
 *                 vmlinux`__x64_sys_clock_nanosleep+0xf7
 *                 vmlinux`do_syscall_64+0xc2
 *                 vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *     sleep                                                        100522
 */
BEGIN
{
	printf("Tracing waits by stack, in microseconds. Hit Ctrl-C to end.\n");
}

sched:::off-cpu
/($target == 0 || pid == $target) && pid/
{
	self->since = timestamp;
}

sched:::on-cpu
/self->since && (timestamp - self->since) / 1000 >= $3/
{
	if ($1)
		@k[stack(), execname] = sum((timestamp - self->since) / 1000);
	else if ($2)
		@u[ustack(), execname] = sum((timestamp - self->since) / 1000);
	else
		@b[stack(), ustack(), execname] = sum((timestamp - self->since) / 1000);
}

sched:::on-cpu
/self->since/
{
	self->since = 0;
}
