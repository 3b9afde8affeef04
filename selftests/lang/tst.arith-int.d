/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: arithmetic of int has 64 bits, and is cut to int where it is stored, cast or printed; each line says what it
   expects. Variables keep the compiler from folding. */
#pragma D option quiet
int a, b, m;
BEGIN
{
	a = 7; b = -2; m = 2147483647;
	printf("7 + -2 is 5: %d\n", a + b);
	printf("7 - -2 is 9: %d\n", a - b);
	printf("7 * -2 is -14: %d\n", a * b);
	printf("7 / -2 is -3: %d\n", a / b);
	printf("7 %% -2 is 1: %d\n", a % b);
	printf("-7 / 2 is -3: %d\n", -a / 2);
	printf("-7 %% 2 is -1: %d\n", -a % 2);
	printf("-2 / 7 is 0: %d\n", b / a);
	printf("-(-2) is 2: %d\n", -b);
	printf("+(-2) is -2: %d\n", +b);
	printf("~7 is -8: %d\n", ~a);
	printf("~-2 is 1: %d\n", ~b);
	printf("INT_MAX + 1 is -2147483648: %d\n", m + 1);
	printf("INT_MAX * 2 is -2: %d\n", m * 2);
	printf("-(INT_MAX + 1) is -2147483648: %d\n", -(m + 1));
	printf("(INT_MAX + 1) / 2 is 1073741824: %d\n", (m + 1) / 2);
	printf("(INT_MAX + 1) >> 1 is 1073741824: %d\n", (m + 1) >> 1);
	printf("INT_MAX + 1 < 0 is 0: %d\n", m + 1 < 0);
	printf("(long)(INT_MAX + 1) is -2147483648: %d\n", (long)(m + 1));
	printf("(long)INT_MAX + 1 is 2147483648: %d\n", (long)m + 1);
	printf("2 + 3 * 4 - 8 / 2 is 10: %d\n", 2 + 3 * 4 - 8 / 2);
	printf("7 - -2 - 1 is 8: %d\n", a - b - 1);
	printf("100 / 7 / 2 is 7: %d\n", 100 / a / 2);
	exit(0);
}
