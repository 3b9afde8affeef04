#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hotkernel: show which functions of the kernel use the CPUs
 *
 * It samples what the CPUs do 997 times in a second, and counts the kernel's function, or with -m its module.
 *
 * options:
 *   $1 -m            modules instead of functions
 *   $2 -r ROWS = 30  rows to print
 * overhead: Little: a timer on each CPU, 997 times in a second.
 * example:
 *   # hotkernel -c "dd if=/dev/zero of=/dev/null bs=1M count=400 status=none"
 *   Sampling the kernel. Hit Ctrl-C to end.
 *   FUNCTION                                                        COUNT
 *   vmlinux`pv_native_safe_halt                                      1441
 *   vmlinux`read_zero                                                 687
 *   vmlinux`kallsyms_expand_symbol.constprop.0                         85
 *   vmlinux`clear_highpages_kasan_tagged                               70
 *   vmlinux`vsnprintf                                                  66
 *   vmlinux`number                                                     66
 *   vmlinux`format_decode                                              46
 *   vmlinux`handle_softirqs                                            43
 *   vmlinux`string                                                     39
 *   vmlinux`_copy_to_iter                                              39
 *   vmlinux`iowrite16                                                  20
 *   vmlinux`sched_balance_update_blocked_averages                      18
 *   vmlinux`pointer                                                    17
 *   ...
 */
#pragma D option aggsortrev

BEGIN
{
	printf("Sampling the kernel. Hit Ctrl-C to end.\n");
}

profile-997
/arg0 && !$1/
{
	@f[func(arg0)] = count();
}

profile-997
/arg0 && $1/
{
	@m[mod(arg0)] = count();
}

END
{
	printf("%-60s %8s\n", $1 ? "MODULE" : "FUNCTION", "COUNT");
	trunc(@f, $2);
	trunc(@m, $2);
	printa("%-60a %@8d\n", @f);
	printa("%-60A %@8d\n", @m);
	trunc(@f);
	trunc(@m);
}
