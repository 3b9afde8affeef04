/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: inline names, typedefs, comments, and names that look like words of D. */
#pragma D option quiet
inline int LIMIT = 6 * 7;
inline string GREETING = "hello";
typedef unsigned char byte;
byte b; /* a comment // in a comment */
int probes, begin, counting;
BEGIN
{
	b = LIMIT + 256; // to the end of the line
	printf("b is 42: %d\n", b);
	printf("LIMIT * 2 is 84: %d\n", LIMIT * 2);
	printf("GREETING is hello: %s\n", GREETING);
	probes = 1; begin = 2; counting = 3;
	printf("sum is 6: %d\n", probes + begin + counting);
	exit(0);
}
