/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: llquantize with underflow and overflow, buckets of each magnitude, a low magnitude above 0. */
#pragma D option quiet
BEGIN
{
	@all = llquantize(0, 10, 0, 2, 20); @all = llquantize(1, 10, 0, 2, 20); @all = llquantize(9, 10, 0, 2, 20);
	@all = llquantize(10, 10, 0, 2, 20); @all = llquantize(14, 10, 0, 2, 20); @all = llquantize(15, 10, 0, 2, 20);
	@all = llquantize(149, 10, 0, 2, 20); @all = llquantize(999, 10, 0, 2, 20); @all = llquantize(1000, 10, 0, 2, 20);
	@high["ten"] = llquantize(5, 10, 1, 3, 10); @high["ten"] = llquantize(2500, 10, 1, 3, 10);
	exit(0);
}
