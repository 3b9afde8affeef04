/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: keys of every kind, several of them; columns; unsigned keys; the empty string. Ascending by value, then key. */
#pragma D option quiet
BEGIN
{
	@a["b", 2] = sum(5); @a["b", 1] = sum(5); @a["a", 3] = sum(5); @a["z", 0] = sum(-1); @a["", -1] = sum(9);
	@b[1LL] = count(); @b[-1LL] = count();
	@c[(char)1, (short)2, 3, 4LL, "five"] = sum(6);
	@u[(uint8_t)255] = count(); @u[(uint8_t)1] = count();
	@e[execname, probename, pid == $pid] = count();
	@same["x"] = count(); @same[strjoin("", "x")] = count();
	@long["a string of more than fifty characters is not cut, it shifts"] = count();
	exit(0);
}
