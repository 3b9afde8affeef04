/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: assignments have values, associate to the right, and compound ones compute in the common type. */
#pragma D option quiet
int a, b; uint8_t c; string s, t;
BEGIN
{
	a = b = 5;
	printf("a = b = 5 is 10: %d\n", a + b);
	printf("a += b *= 2 is 15: %d\n", a += b *= 2);
	a -= 20; printf("a -= 20 is -5: %d\n", a);
	a *= a; printf("a *= a is 25: %d\n", a);
	a /= 4; printf("a /= 4 is 6: %d\n", a);
	a %= 4; printf("a %%= 4 is 2: %d\n", a);
	a <<= 4; printf("a <<= 4 is 32: %d\n", a);
	a >>= 1; printf("a >>= 1 is 16: %d\n", a);
	a |= 3; printf("a |= 3 is 19: %d\n", a);
	a &= 0x12; printf("a &= 0x12 is 18: %d\n", a);
	a ^= 0xff; printf("a ^= 0xff is 237: %d\n", a);
	c = 250; c += 10; printf("c += 10 is 4: %d\n", c);
	c = 200; c = c * 2 / 4; printf("c * 2 / 4 is 100: %d\n", c);
	printf("++a is 238: %d\n", ++a);
	printf("a++ is 238: %d\n", a++);
	printf("--a is 238: %d\n", --a);
	printf("a-- is 238: %d\n", a--);
	printf("a is 237: %d\n", a);
	printf("the comma is 3: %d\n", (1, 2, 3));
	printf("(a = 1, a + 1) is 2: %d\n", (a = 1, a + 1));
	fresh++; printf("a fresh one ++ is 1: %d\n", fresh);
	other += 7; printf("a fresh one += 7 is 7: %d\n", other);
	s = t = "text"; printf("s = t = text is text/text: %s/%s\n", s, t);
	t = strjoin(s, "!"); printf("s keeps its own is text/text!: %s/%s\n", s, t);
	s = NULL; printf("s = NULL is : %s\n", s);
	exit(0);
}
