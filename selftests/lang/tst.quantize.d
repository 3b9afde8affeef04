/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: powers of two, negative ones below 0; one empty row on either side; bars in 40ths. */
#pragma D option quiet
BEGIN
{
	@z = quantize(0);
	@p = quantize(1); @p = quantize(2); @p = quantize(3); @p = quantize(4); @p = quantize(1023); @p = quantize(1024);
	@n = quantize(-1); @n = quantize(-2); @n = quantize(-3); @n = quantize(-4); @n = quantize(0); @n = quantize(1);
	@k["one"] = quantize(16);
	@k["two"] = quantize(16); @k["two"] = quantize(17); @k["two"] = quantize(40);
	exit(0);
}
