/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: if and else, nested, with statements before and after. */
#pragma D option quiet
int n;
BEGIN
{
	n = 3;
	if (n == 3) { printf("three\n"); } else { printf("never\n"); }
	if (n > 5) printf("never\n"); else if (n > 2) printf("more than two\n"); else printf("never\n");
	if (n) { if (n == 4) { printf("never\n"); } n = 4; }
	printf("n is 4: %d\n", n);
	if (n == 3) { printf("never\n"); n = 9; }
	printf("n is 4: %d\n", n);
	if (execname == "dtrace") { this->a = 1; } else { this->a = 2; }
	printf("a is 1: %d\n", this->a);
	exit(n - 4);
}
