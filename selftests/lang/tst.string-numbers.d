/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: lltostr and strtoll, bases included. */
#pragma D option quiet
int64_t least;
BEGIN
{
	least = 0x8000000000000000;
	printf("lltostr is 1234: %s\n", lltostr(1234));
	printf("lltostr is -1: %s\n", lltostr(-1));
	printf("lltostr 0 is 0: %s\n", lltostr(0));
	printf("lltostr least is -9223372036854775808: %s\n", lltostr(least));
	printf("lltostr 16 is 0xff: %s\n", lltostr(255, 16));
	printf("lltostr 8 is 0377: %s\n", lltostr(255, 8));
	printf("lltostr 2 is 1010: %s\n", lltostr(10, 2));
	printf("lltostr 36 is zz: %s\n", lltostr(1295, 36));
	printf("strtoll is 1234: %d\n", strtoll("1234"));
	printf("strtoll blanks is -17: %d\n", strtoll("  -17abc"));
	printf("strtoll 16 is 255: %d\n", strtoll("0xff", 16));
	printf("strtoll 16 is 255: %d\n", strtoll("ff", 16));
	printf("strtoll 2 is 5: %d\n", strtoll("101", 2));
	printf("strtoll 36 is 1295: %d\n", strtoll("zz", 36));
	printf("strtoll x is 0: %d\n", strtoll("x"));
	printf("both ways is 4711: %s\n", lltostr(strtoll("4711")));
	exit(0);
}
