/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: && || ^^ ! ?: give 0 or 1, evaluate no more than they need, and ?: converts to a common type. */
#pragma D option quiet
int n; int64_t big; string s;
BEGIN
{
	n = 0; big = 0x100000000;
	printf("0 && n++ is 0: %d\n", n && n++);
	printf("1 || n++ is 1: %d\n", 1 || n++);
	printf("n is 0: %d\n", n);
	printf("1 && n++ is 0: %d\n", 1 && n++);
	printf("0 || n++ is 1: %d\n", 0 || n++);
	printf("n is 2: %d\n", n);
	printf("1 ^^ n++ is 0: %d\n", 1 ^^ n++);
	printf("n ^^ 0 is 1: %d\n", n ^^ 0);
	printf("0 ^^ 0 is 0: %d\n", 0 ^^ 0);
	printf("n is 3: %d\n", n);
	printf("!n is 0: %d\n", !n);
	printf("2 && 4 is 1: %d\n", 2 && 4);
	printf("big && 1 is 1: %d\n", big && 1);
	printf("!big is 0: %d\n", !big);
	printf("0 || 0 && 1 is 0: %d\n", 0 || 0 && 1);
	printf("1 || 0 && 0 is 1: %d\n", 1 || 0 && 0);
	printf("n == 3 ? 10 : 20 is 10: %d\n", n == 3 ? 10 : 20);
	printf("n ? n > 2 ? 1 : 2 : 3 is 1: %d\n", n ? n > 2 ? 1 : 2 : 3);
	printf("0 ? 1 : 0 ? 2 : 3 is 3: %d\n", 0 ? 1 : 0 ? 2 : 3);
	printf("(n == 3 ? n++ : n--) is 3: %d\n", n == 3 ? n++ : n--);
	printf("n is 4: %d\n", n);
	printf("(1 ? -1 : 0u) > 0 is 1: %d\n", (n ? -1 : 0u) > 0);
	printf("a string is yes: %s\n", n ? "yes" : "no");
	printf("another is no: %s\n", !n ? "yes" : "no");
	printf("an unset one && is 0: %d\n", s != NULL);
	printf("a cast is 5: %d\n", (int)(n ? big + 5 : 0));
	exit(0);
}
