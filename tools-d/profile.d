#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * profile: count the stacks that the CPUs run
 *
 * It samples each CPU at a fixed rate, with the stacks of the kernel and of the program. With -f you get the
 * lines that flame-graph tools read. A CPU that has nothing to do is not counted.
 *
 * options:
 *   $1 -F HZ = 49  samples in a second on each CPU
 *   $2 -K          only stacks of the kernel
 *   $3 -U          only stacks of programs
 * process: optional
 * stacks: yes
 * overhead: Each sample copies a stack. At the default rate you will hardly measure it.
 * example:
 *   # profile -F 199 -c "sh -c 'i=0; while [ \$i -lt 60000 ]; do i=\$((i+1)); done'"
 *   Sampling stacks at 199 Hz. Hit Ctrl-C to end.
 *
 *   ...
 *                 dash`0x6df9
 *                 dash`0x7583
 *                 dash`0x6297
 *                 dash`0x696e
 *                 dash`0x6297
 *                 dash`0x6297
 *                 dash`0x6ceb
 *                 dash`0x4677
 *                 libc.so.6`0x29ca8
 *                 libc.so.6`__libc_start_main+0x85
 *                 dash`0x4781
 *     sh                                                               16
 */
BEGIN
{
	printf("Sampling stacks at %d Hz. Hit Ctrl-C to end.\n", $1);
}

profile-${1}
/pid && ($target == 0 || pid == $target) && !$2 && !$3/
{
	@[stack(), ustack(), execname] = count();
}

profile-${1}
/pid && ($target == 0 || pid == $target) && $2 && arg0/
{
	@k[stack(), execname] = count();
}

profile-${1}
/pid && ($target == 0 || pid == $target) && $3/
{
	@u[ustack(), execname] = count();
}
