/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: each way to divide by zero is a fault, in actions, predicates and keys; the offset is that of the division. */
#pragma D option quiet
int zero; unsigned int uzero; int64_t lzero;
BEGIN { trace(1 / zero); }
BEGIN { trace(1 % zero); }
BEGIN { trace(1u / uzero); }
BEGIN { trace(1u % uzero); }
BEGIN { trace(1LL / lzero); }
BEGIN /1 % zero/ { trace(0); }
BEGIN { trace(1); trace(2); trace(3 / zero); }
BEGIN { @a[1 / zero] = count(); }
BEGIN { @b = sum(1 / zero); }
BEGIN { n = 5; n /= zero; }
BEGIN { printf("n is 5: %d\n", n); exit(0); }
