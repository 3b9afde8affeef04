/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: the last argument of quantize, lquantize and llquantize says how much a value counts for, with keys and without,
   as a constant or not, also less than nothing; distributions are sorted by their weighted total. */
#pragma D option quiet
BEGIN
{
	n = 5;
	@q = quantize(3, 10); @q = quantize(4, n * 4); @q = quantize(3);
	@l = lquantize(12, 0, 30, 10, 7); @l = lquantize(25, 0, 30, 10, -2); @l = lquantize(5, 0, 30, 10);
	@ll = llquantize(150, 10, 0, 3, 10, 1000000);
	@k["few", 1] = quantize(1024, 2); @k["many", 1] = quantize(1, 5000); @k["many", 1] = quantize(1, 1);
	exit(0);
}
END { normalize(@ll, 1000); printa(@q); printa(@l); printa(@ll); printa(@k); }
