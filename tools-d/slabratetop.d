#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * slabratetop: show which caches of the kernel are allocated from most
 *
 * It counts the allocations of objects from slab caches, with their bytes.
 *
 * options:
 *   $1 -r ROWS = 20    rows in each output
 *   $2 [INTERVAL] = 1  seconds between outputs
 *   $3 [COUNT] = 0     end after so many outputs; 0: never
 * overhead: A probe fires at each allocation in the kernel, up to a million times in a second on a busy
 *   machine.
 * example:
 *   # slabratetop 9 -c "cat /etc/hostname"
 *   CACHE                                ALLOCS        BYTES
 *   fuse_request                             72        12672
 *   maple_node                               46        11776
 *   vm_area_struct                           34         6528
 *   names_cache                              32         6144
 *   filp                                     31         5456
 *   ftrace_event_field                       31         1736
 *   dentry                                   15         2880
 *   anon_vma_chain                           14          896
 *   anon_vma                                  7          616
 *   fsnotify_inode_mark_connector             1           40
 */
#pragma D option aggsortrev

sdt:vmlinux::kmem_cache_alloc
/arg1/
{
	@n[stringof(args[2]->name)] = count();
	@b[stringof(args[2]->name)] = sum(args[2]->object_size);
}

tick-${2}s,
END
{
	printf("%-32s %10s %12s\n", "CACHE", "ALLOCS", "BYTES");
	setopt("aggrows", lltostr($1));
	printa("%-32s %@10d %@12d\n", @n, @b);
	trunc(@n);
	trunc(@b);
}

tick-${2}s
/$3 && ++outputs >= $3/
{
	exit(0);
}
