/* SPDX-License-Identifier: GPL-2.0 */
#pragma D depends_on library procfs.d
#pragma D depends_on module vmlinux
#pragma D depends_on provider fbt
inline string what = "depends";
BEGIN { printf("%s %d", what, SIGKILL); exit(0); }
