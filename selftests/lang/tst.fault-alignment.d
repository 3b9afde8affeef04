/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: loads must be aligned to their size. */
#pragma D option quiet
BEGIN { trace(*(short *)0x1001); }
BEGIN { trace(*(int *)0x1002); }
BEGIN { trace(*(int64_t *)0x1004); }
BEGIN { exit(0); }
