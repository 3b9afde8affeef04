/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: bit operators, and where they stand among the others: comparisons bind closer than & ^ |, as in C. */
#pragma D option quiet
int a, b; uint8_t m;
BEGIN
{
	a = 0x0ff0; b = 0x00ff; m = 0x0f;
	printf("a & b is f0: %x\n", a & b);
	printf("a | b is fff: %x\n", a | b);
	printf("a ^ b is f0f: %x\n", a ^ b);
	printf("~m is fffffff0: %x\n", ~m);
	printf("(uint8_t)~m is f0: %x\n", (uint8_t)~m);
	printf("a & ~b is f00: %x\n", a & ~b);
	printf("1 | 6 ^ 2 & 3 is 5: %d\n", 1 | 6 ^ 2 & 3);
	printf("4 & 4 == 4 is 0: %d\n", 4 & 4 == 4);
	printf("(4 & 4) == 4 is 1: %d\n", (4 & 4) == 4);
	printf("6 & 3 + 1 is 4: %d\n", 6 & 3 + 1);
	printf("a & 0xffffffffffffffff is ff0: %x\n", a & 0xffffffffffffffff);
	printf("-1 & 0xffffffffffffffff is ffffffffffffffff: %x\n", (b = -1, b & 0xffffffffffffffff));
	printf("-1 & 0xffffffff is ffffffff: %x\n", b & 0xffffffff);
	printf("!m is 0: %d\n", !m);
	printf("!!a is 1: %d\n", !!a);
	exit(0);
}
