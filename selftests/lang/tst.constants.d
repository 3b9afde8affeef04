/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: every way to write a constant. */
#pragma D option quiet
BEGIN
{
	printf("0x1F is 31: %d\n", 0x1F);
	printf("0X1f is 31: %d\n", 0X1f);
	printf("017 is 15: %d\n", 017);
	printf("0 is 0: %d\n", 0);
	printf("1u is 1: %d\n", 1u);
	printf("1UL is 1: %d\n", 1UL);
	printf("1ull is 1: %d\n", 1ull);
	printf("4294967296 is 4294967296: %d\n", 4294967296);
	printf("18446744073709551615 is 18446744073709551615: %u\n", 18446744073709551615);
	printf("0xffffffffffffffff is 18446744073709551615: %u\n", 0xffffffffffffffff);
	printf("'A' is 65: %d\n", 'A');
	printf("'\\n' is 10: %d\n", '\n');
	printf("'\\0' is 0: %d\n", '\0');
	printf("'\\x41' is 65: %d\n", '\x41');
	printf("'\\101' is 65: %d\n", '\101');
	printf("'\\'' is 39: %d\n", '\'');
	printf("'\\\\' is 92: %d\n", '\\');
	printf("adjacent strings is abcd: %s\n", "ab" "cd");
	printf("escapes is A\tB\"C\\: %s\n", "\x41\tB\"C\\");
	printf("octal is AB: %s\n", "\101\102");
	printf("a question mark is ?: %s\n", "\?");
	exit(0);
}
