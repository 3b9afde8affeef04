/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: printa with formats, columns of several aggregations (0 where one has no value), and no second print at the end. */
#pragma D option quiet
BEGIN
{
	@a["x", 1] = sum(10); @a["y", 2] = sum(-20);
	@b["x", 1] = count(); @b["z", 3] = count();
	@q = quantize(4);
	@alone = count();
	@rest = sum(99);
}
BEGIN { exit(0); }
END
{
	printa("%s and %d: %@d\n", @a);
	printa("[%-5s] [%4d] [%@8d] [%-@8d] [%@x]\n", @a);
	printa("%s %d %@d %@d\n", @a, @b);
	printa(@a, @b);
	printa("q:%@d", @q);
	printa("only a value: %@u\n", @alone);
	printa("no conversion\n", @alone);
	printa("%@d twice %@d\n", @alone);
}
