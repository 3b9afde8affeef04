/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: reading address 0 ends the clause, leaves no record of it, and is told with action and offset. */
#pragma D option quiet
BEGIN { printf("never, the record is gone\n"); trace(*(int *)0); printf("never\n"); }
BEGIN { printf("the next clause runs\n"); exit(0); }
