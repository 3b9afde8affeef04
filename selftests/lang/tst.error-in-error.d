/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: a fault within ERROR does not fire it again; tracing goes on. */
#pragma D option quiet
BEGIN { trace(*(int *)0x10); }
ERROR { printf("error once\n"); }
ERROR { trace(*(int *)0x18); }
BEGIN { printf("goes on\n"); exit(0); }
