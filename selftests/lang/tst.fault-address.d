/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: bad addresses, of kernel and user kind, for loads, stores and string reads. */
#pragma D option quiet
BEGIN { trace(*(int64_t *)0x10); }
BEGIN { trace(*(char *)0xffffffffffffffff); }
BEGIN { trace(*(char *)0x8000000000000000); }
BEGIN { trace(stringof(0x10)); }
BEGIN { trace(strlen((char *)0x18)); }
BEGIN { *(int *)0x20 = 1; }
BEGIN { *(int *)0xffffffff81000000 = 1; }
BEGIN { bcopy((void *)0x28, alloca(8), 8); }
BEGIN { trace(copyinstr(0)); }
BEGIN { trace(*(int *)copyin(0x30, 4)); }
BEGIN { trace(copyinstr(0xffffffff81000000)); }
BEGIN { copyinto(0x38, 4, alloca(4)); }
BEGIN { tracemem(0x40, 4); }
BEGIN { exit(0); }
