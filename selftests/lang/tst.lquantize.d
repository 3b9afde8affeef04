/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: lquantize with underflow, overflow, a step that does not divide the range, a negative base, default step. */
#pragma D option quiet
BEGIN
{
	@all = lquantize(-11, -10, 10, 5); @all = lquantize(-10, -10, 10, 5); @all = lquantize(-6, -10, 10, 5);
	@all = lquantize(-5, -10, 10, 5); @all = lquantize(9, -10, 10, 5); @all = lquantize(10, -10, 10, 5);
	@step["by one"] = lquantize(3, 0, 5);
	@under = lquantize(-100, 0, 100, 10);
	@over = lquantize(100, 0, 100, 10);
	@uneven = lquantize(9, 0, 10, 3);
	exit(0);
}
