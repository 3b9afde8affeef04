/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: shifts work in the width of the left operand; >> of a signed value keeps its sign. */
#pragma D option quiet
int i, n; unsigned int u; int64_t l; uint64_t q; char c;
BEGIN
{
	i = -16; n = 2; u = 0x80000000; l = -16; q = 0x8000000000000000; c = -1;
	printf("-16 >> 2 is -4: %d\n", i >> n);
	printf("-16 << 2 is -64: %d\n", i << n);
	printf("0x80000000u >> 31 is 1: %d\n", u >> 31);
	printf("0x80000000u << 1 is 0: %d\n", u << 1);
	printf("-16L >> 2 is -4: %d\n", l >> n);
	printf("1<<63 >> 63 is 1: %d\n", q >> 63);
	printf("1 << 31 is -2147483648: %d\n", (i = 1, i << 31));
	printf("1L << 32 is 4294967296: %d\n", (l = 1, l << 32));
	printf("(char)-1 >> 4 is -1: %d\n", c >> 4);
	printf("(unsigned char)-1 >> 4 is 15: %d\n", (unsigned char)c >> 4);
	printf("1 << 2 + 1 is 8: %d\n", 1 << 2 + 1);
	printf("1 << 3 >> 1 is 4: %d\n", 1 << 3 >> 1);
	printf("folded -16 >> 2 is -4: %d\n", -16 >> 2);
	printf("folded 0x80000000 >> 31 is 1: %d\n", 0x80000000 >> 31);
	i = -16; i >>= 2; printf("i >>= 2 is -4: %d\n", i);
	u >>= 31; printf("u >>= 31 is 1: %d\n", u);
	i <<= 30; printf("i <<= 30 is 0: %d\n", i);
	exit(0);
}
