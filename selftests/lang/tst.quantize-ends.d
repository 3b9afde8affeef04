/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: the first and the last bucket of quantize. */
#pragma D option quiet
BEGIN
{
	@least = quantize((int64_t)0x8000000000000000);
	@most = quantize(0x7fffffffffffffff);
	exit(0);
}
