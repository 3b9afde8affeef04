#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * offwaketime: add up the time that threads sleep, by waker and by their own stack
 *
 * For each place where a program sleeps it shows which thread ended the sleep. The stack is that of the sleeper;
 * wakeuptime has that of the waker. The times are microseconds.
 *
 * options:
 *   $1 -m MIN = 1  shortest sleep in microseconds
 * process: optional
 * stacks: yes
 * overhead: Three probes fire at each sleep, and each sleep copies a stack.
 * example:
 *   # offwaketime -c "sh -c '(sleep 0.1) & wait'"
 *   Tracing sleeps by waker and stack, in microseconds. Hit Ctrl-C to end.
 *
 *   ...
 *                 vmlinux`x64_sys_call+0x1567
 *                 vmlinux`do_syscall_64+0xc2
 *                 vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *     kworker/1:1                                         sh                                                              518
 *
 *                 vmlinux`__schedule+0x784
 *                 vmlinux`schedule+0x28
 *                 vmlinux`sigsuspend.isra.0+0x6f
 *                 vmlinux`__x64_sys_rt_sigsuspend+0x70
 *                 vmlinux`do_syscall_64+0xc2
 *                 vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *     sleep                                               sh                                                           181313
 */
BEGIN
{
	printf("Tracing sleeps by waker and stack, in microseconds. Hit Ctrl-C to end.\n");
}

sched:::sleep
/$target == 0 || pid == $target/
{
	self->since = timestamp;
	waker[(uintptr_t)curthread] = "?";
}

sched:::wakeup
/waker[args[0]->pr_addr] != NULL/
{
	waker[args[0]->pr_addr] = execname;
}

sched:::on-cpu
/self->since && (timestamp - self->since) / 1000 >= $1/
{
	@t[stack(), waker[(uintptr_t)curthread], execname] = sum((timestamp - self->since) / 1000);
}

sched:::on-cpu
/self->since/
{
	self->since = 0;
	waker[(uintptr_t)curthread] = 0;
}
