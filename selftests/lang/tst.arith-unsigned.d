/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: unsigned arithmetic has 64 bits and is cut to its type where it is printed; mixed operands become unsigned as in C. */
#pragma D option quiet
unsigned int u, v;
int minus;
uint64_t q;
BEGIN
{
	u = 3; v = 5; minus = -1; q = 0;
	printf("3u - 5u is 4294967294: %u\n", u - v);
	printf("3u - 5u > 0 is 1: %d\n", u - v > 0);
	printf("(3u - 5u) / 2 is 4294967295: %d\n", (u - v) / 2);
	printf("(long)(3u - 5u) is -2: %d\n", (long)(u - v));
	printf("-1 < 3u is 0: %d\n", minus < u);
	printf("-1 > 3u is 1: %d\n", minus > u);
	printf("-1L < 3u is 1: %d\n", (long)minus < u);
	printf("-1 + 3u is 2: %d\n", minus + u);
	printf("~0u is 4294967295: %u\n", ~(u - u));
	printf("-1 / 2u is 4294967295: %d\n", minus / (u - 1));
	printf("-1 %% 5u is 0: %d\n", minus % v);
	printf("0ull - 1 is 18446744073709551615: %u\n", q - 1);
	printf("(0ull - 1) / 2 is 9223372036854775807: %u\n", (q - 1) / 2);
	printf("(0ull - 1) %% 10 is 5: %u\n", (q - 1) % 10);
	printf("0ull - 1 > 1 is 1: %d\n", q - 1 > 1);
	printf("-1 == 0ull - 1 is 1: %d\n", minus == q - 1);
	printf("-1 as uint8_t + 1 is 256: %d\n", (uint8_t)minus + 1);
	printf("3u * 0xffffffff is 4294967293: %u\n", u * 0xffffffff);
	exit(0);
}
