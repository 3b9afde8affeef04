/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: the six comparisons, signed and unsigned, give 0 or 1 of type int. */
#pragma D option quiet
int a, b; unsigned int u; uint64_t q; char c; uint8_t uc;
BEGIN
{
	a = -5; b = 3; u = 3; q = 3; c = -1; uc = 255;
	printf("-5 < 3 is 1: %d\n", a < b);
	printf("-5 <= 3 is 1: %d\n", a <= b);
	printf("-5 > 3 is 0: %d\n", a > b);
	printf("-5 >= 3 is 0: %d\n", a >= b);
	printf("-5 == 3 is 0: %d\n", a == b);
	printf("-5 != 3 is 1: %d\n", a != b);
	printf("3 <= 3 is 1: %d\n", b <= b);
	printf("3 < 3 is 0: %d\n", b < b);
	printf("3 >= 3 is 1: %d\n", b >= b);
	printf("-5 < 3u is 0: %d\n", a < u);
	printf("-5 <= 3ull is 0: %d\n", a <= q);
	printf("-5 > 3ull is 1: %d\n", a > q);
	printf("3 == 3ull is 1: %d\n", b == q);
	printf("char -1 == unsigned char 255 is 0: %d\n", c == uc);
	printf("char -1 < unsigned char 255 is 1: %d\n", c < uc);
	printf("3 > 2 > 1 is 0: %d\n", b > 2 > 1);
	printf("sizeof (a < b) is 4: %d\n", sizeof (a < b));
	printf("(a < b) + (b > a) is 2: %d\n", (a < b) + (b > a));
	printf("NULL == 0 is 1: %d\n", NULL == 0);
	exit(0);
}
