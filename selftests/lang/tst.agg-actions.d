/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: clear keeps the keys, trunc removes them, trunc(n) keeps the n greatest, trunc(-n) the least; normalize divides. */
#pragma D option quiet
BEGIN
{
	@c["x"] = sum(5); @t["x"] = sum(5); @n["x"] = sum(100); @d["x"] = sum(100);
	@top[1] = sum(10); @top[2] = sum(30); @top[3] = sum(20);
	@low[1] = sum(10); @low[2] = sum(30); @low[3] = sum(20);
}
END
{
	clear(@c); trunc(@t); normalize(@n, 7); normalize(@d, 7); denormalize(@d);
	trunc(@top, 2); trunc(@low, -2);
	printf("clear\n"); printa(@c);
	printf("trunc\n"); printa(@t);
	printf("normalize\n"); printa(@n);
	printf("denormalize\n"); printa(@d);
	printf("the two greatest\n"); printa(@top);
	printf("the two least\n"); printa(@low);
}
BEGIN { exit(0); }
