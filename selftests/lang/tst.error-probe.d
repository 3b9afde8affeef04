/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: a fault fires dtrace:::ERROR with arg1 EPID, arg2 action, arg3 offset, arg4 fault, arg5 address. */
#pragma D option quiet
int zero;
BEGIN { trace(*(int *)0x10); }
BEGIN { n = 1; trace(1 / zero); }
BEGIN /*the second clause's predicate*/ / *(char *)0x18 / { trace(0); }
BEGIN { alloca(100000000); }
BEGIN { trace(*(int *)0x1001); }
ERROR { printf("epid %d action %d offset %d fault %d address %x\n", arg1, arg2, arg3, arg4, arg5); }
BEGIN { exit(0); }
