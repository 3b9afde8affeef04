#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * locks: show the locks of the kernel for which threads wait
 *
 * For each lock and caller it shows how often threads waited, and how long in sum.
 *
 * options:
 *   $1 -r ROWS = 20  rows to print
 * overhead: None as long as no thread waits for a lock.
 * example:
 *   # locks
 *   Tracing waits for locks. Hit Ctrl-C to end.
 *   KIND     LOCK                                     COMMAND               WAITS     TIME(us)
 *   mutex    many`__this_module                       bash                     11      2416436
 *   spin     0xff2560c57ec32608                       bash                      2         4283
 *   rwsem    0xff2560c5415341e0                       bash                      1         2033
 *   spin     0xff2560c5419264c8                       kworker/0:0               2         1447
 *   spin     vmlinux`rcu_state                        rcu_preempt               1         1417
 *   spin     0xff2560c57ec32608                       swapper/1                 1         1406
 *   spin     0xff2560c57ec32608                       kworker/1:0               5         1185
 *   spin     0xff2560c54131d4f4                       bash                      2         1052
 *   spin     0xff2560c5417972c0                       bash                      1          722
 *   spin     0xff2560c57ed32608                       kworker/0:0               1          526
 *   spin     0xff2560c57ec32608                       swapper/0                 1          526
 *   spin     0xff2560c57ed32608                       swapper/1                 1          495
 *   spin     0xff2560c5425d1b00                       kworker/1:0               2          303
 *   ...
 */
#pragma D option aggsortrev

BEGIN
{
	printf("Tracing waits for locks. Hit Ctrl-C to end.\n");
}

inline string KIND = probename == "adaptive-block" || probename == "adaptive-spin" ? "mutex" : probename == "rw-block" ? "rwsem" :
    probename == "spin-spin" ? "spin" : "rwlock";

lockstat:::adaptive-block,
lockstat:::adaptive-spin,
lockstat:::rw-block,
lockstat:::rw-spin,
lockstat:::spin-spin
{
	@n[KIND, sym(arg0), execname] = count();
	@t[KIND, sym(arg0), execname] = sum(arg1);
}

END
{
	normalize(@t, 1000);
	printf("%-8s %-40s %-16s %10s %12s\n", "KIND", "LOCK", "COMMAND", "WAITS", "TIME(us)");
	setopt("aggsortpos", "1");
	setopt("aggrows", lltostr($1));
	printa("%-8s %-40a %-16s %@10d %@12d\n", @n, @t);
	trunc(@n);
	trunc(@t);
}
