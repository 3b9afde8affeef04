/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: each aggregating function over known values; what is printed at the end, in the order of the text. */
#pragma D option quiet
int64_t big;
BEGIN
{
	big = 0x7fffffffffffffff;
	@c = count(); @c = count();
	@s = sum(10); @s = sum(-3); @s = sum(big);
	@mi = min(5); @mi = min(-7); @mi = min(6);
	@ma = max(-5); @ma = max(-7);
	@av = avg(-5); @av = avg(-6);
	@sd = stddev(1); @sd = stddev(3); @sd = stddev(8);
	@one = stddev(100);
	@u = max((uint8_t)200);
	exit(0);
}
