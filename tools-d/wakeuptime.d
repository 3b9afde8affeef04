#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wakeuptime: add up the time that threads sleep, by the stack that wakes them
 *
 * The stack is that of the thread that ended the sleep: it shows what the sleeper waited for. The times are
 * microseconds.
 *
 * options:
 *   $1 -m MIN = 1  shortest sleep in microseconds
 * process: optional
 * stacks: yes
 * overhead: Two probes fire at each sleep, and each wake-up copies a stack.
 * example:
 *   # wakeuptime -c "sleep 0.1"
 *   Tracing sleeps by waker, in microseconds. Hit Ctrl-C to end.
 *
 *   ...
 *
 *                 vmlinux`pv_native_safe_halt+0xf
 *                 vmlinux`default_idle+0x9
 *                 vmlinux`default_idle_call+0x29
 *                 vmlinux`do_idle+0x1dd
 *                 vmlinux`cpu_startup_entry+0x29
 *                 vmlinux`rest_init+0x112
 *                 vmlinux`start_kernel+0x875
 *                 vmlinux`x86_64_start_reservations+0x24
 *                 vmlinux`x86_64_start_kernel+0x12f
 *                 vmlinux`common_startup_64+0x13e
 *     sleep                                               swapper/0                                                    100310
 */
BEGIN
{
	printf("Tracing sleeps by waker, in microseconds. Hit Ctrl-C to end.\n");
}

sched:::sleep
/$target == 0 || pid == $target/
{
	asleep[(uintptr_t)curthread] = timestamp;
}

sched:::wakeup
/asleep[args[0]->pr_addr] && (timestamp - asleep[args[0]->pr_addr]) / 1000 >= $1/
{
	@t[stack(), args[0]->pr_name, execname] = sum((timestamp - asleep[args[0]->pr_addr]) / 1000);
}

sched:::wakeup
/asleep[args[0]->pr_addr]/
{
	asleep[args[0]->pr_addr] = 0;
}
