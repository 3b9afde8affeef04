/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: a clause runs if its predicate is not zero, in all 64 bits; a fault in it means no. */
#pragma D option quiet
int64_t big; int n;
BEGIN { big = 0x100000000; n = 0; }
BEGIN /0/ { printf("never 0\n"); }
BEGIN /1/ { printf("1\n"); }
BEGIN /-1/ { printf("-1\n"); }
BEGIN /big/ { printf("big\n"); }
BEGIN /(int)big/ { printf("never: cut to 0\n"); }
BEGIN /!big/ { printf("never !big\n"); }
BEGIN /n/ { printf("never n\n"); }
BEGIN /n == 0 && big > 5/ { printf("both\n"); n = 3; }
BEGIN /n == 3/ { printf("sees what was set before\n"); }
BEGIN /probename == "BEGIN"/ { printf("strings\n"); }
BEGIN /execname != "dtrace"/ { printf("never execname\n"); }
BEGIN /n++ == 3/ { printf("predicates may assign: %d\n", n); }
BEGIN /(n ? 1 : 0) ^^ 0/ { printf("any operator\n"); }
BEGIN /(void *)big/ { printf("pointers\n"); }
BEGIN /(10 / 5) == 2/ { printf("division\n"); }
BEGIN { exit(0); }
