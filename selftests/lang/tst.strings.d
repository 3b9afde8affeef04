/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: strings compare by their bytes; NULL, an unset variable and "" are the same text. */
#pragma D option quiet
string unset;
BEGIN
{
	a = "abc"; b = "abd"; c = "ab"; e = "";
	printf("abc == abc is 1: %d\n", a == "abc");
	printf("abc == abd is 0: %d\n", a == b);
	printf("abc != abd is 1: %d\n", a != b);
	printf("abc < abd is 1: %d\n", a < b);
	printf("abc <= abc is 1: %d\n", a <= a);
	printf("abc > abd is 0: %d\n", a > b);
	printf("abc > ab is 1: %d\n", a > c);
	printf("ab < abc is 1: %d\n", c < a);
	printf("'' < a is 1: %d\n", e < a);
	printf("ABC < abc is 1: %d\n", "ABC" < a);
	printf("a high byte is greater is 1: %d\n", "\x80" > "a");
	printf("unset == '' is 1: %d\n", unset == "");
	printf("unset == abc is 0: %d\n", unset == a);
	printf("strlen(unset) is 0: %d\n", strlen(unset));
	printf("strchr finds nothing is 1: %d\n", strchr(a, 'z') == NULL);
	printf("stringof(arg) of NULL is []: [%s]\n", (unset == NULL) ? "" : "x");
	exit(0);
}
