#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * dcsnoop: count the names that the directory cache does not know
 *
 * The kernel keeps the names of files in memory. If a name is not there, it asks the file system, which may read
 * from a disk. It counts these questions by process and name.
 *
 * options:
 *   $1 -r ROWS = 30  rows to print
 * process: optional
 * overhead: A probe fires at each name that is not in the cache.
 * example:
 *   # dcsnoop
 *   Counting names that are not in the directory cache. Hit Ctrl-C to end.
 *   COMMAND          NAME                                        COUNT
 *   cat              C.UTF-8/LC_ADDRESS                              1
 *   cat              C.UTF-8/LC_COLLATE                              1
 *   cat              C.UTF-8/LC_CTYPE                                1
 *   cat              C.UTF-8/LC_IDENTIFICATION                       1
 *   cat              C.UTF-8/LC_MEASUREMENT                          1
 *   cat              C.UTF-8/LC_MESSAGES                             1
 *   cat              C.UTF-8/LC_MONETARY                             1
 *   cat              C.UTF-8/LC_NAME                                 1
 *   cat              C.UTF-8/LC_NUMERIC                              1
 *   cat              C.UTF-8/LC_PAPER                                1
 *   cat              C.UTF-8/LC_TELEPHONE                            1
 *   cat              C.UTF-8/LC_TIME                                 1
 *   cat              ld.so.preload                                   1
 *   ...
 */
BEGIN
{
	printf("Counting names that are not in the directory cache. Hit Ctrl-C to end.\n");
}

fbt:vmlinux:d_alloc_parallel:entry
/$target == 0 || pid == $target/
{
	@n[execname, stringof(args[1]->name)] = count();
}

END
{
	printf("%-16s %-40s %8s\n", "COMMAND", "NAME", "COUNT");
	trunc(@n, $1);
	printa("%-16s %-40s %@8d\n", @n);
}
