#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * stackcount: count the stacks that lead to a probe
 *
 * PROBES is a description in D, such as 'fbt::submit_bio:entry' or 'io:::start'.
 *
 * options:
 *   $1 PROBES  descriptions of probes
 *   $2 -U      also the stacks of programs
 * process: optional
 * stacks: yes
 * overhead: Each firing copies a stack.
 * example:
 *   # stackcount fbt::vfs_read:entry -c "cat /etc/hostname"
 *   Counting stacks. Hit Ctrl-C to end.
 *
 *                 vmlinux`ksys_read+0x6b
 *                 vmlinux`do_syscall_64+0xc2
 *                 vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *     cat                                                               1
 *
 *                 vmlinux`__x64_sys_pread64+0x91
 *                 vmlinux`do_syscall_64+0xc2
 *                 vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *     cat                                                               2
 */
BEGIN
{
	printf("Counting stacks. Hit Ctrl-C to end.\n");
}

${1}
/($target == 0 || pid == $target) && !$2/
{
	@[stack(), execname] = count();
}

${1}
/($target == 0 || pid == $target) && $2/
{
	@u[stack(), ustack(), execname] = count();
}
