/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: a conversion adapts to the value: its size for %x %o %u, its sign for %d. */
#pragma D option quiet
BEGIN
{
	printf("char x is ff: %x\n", (char)-1);
	printf("short x is ffff: %x\n", (short)-1);
	printf("int x is ffffffff: %x\n", -1);
	printf("long x is ffffffffffffffff: %x\n", -1L);
	printf("char u is 255: %u\n", (char)-1);
	printf("short u is 65535: %u\n", (short)-1);
	printf("int u is 4294967295: %u\n", -1);
	printf("long u is 18446744073709551615: %u\n", -1L);
	printf("char d is -1: %d\n", (char)-1);
	printf("unsigned char d is 255: %d\n", (unsigned char)-1);
	printf("unsigned short d is 65535: %d\n", (unsigned short)-1);
	printf("unsigned int d is 4294967295: %d\n", (unsigned int)-1);
	printf("unsigned long d is 18446744073709551615: %d\n", (unsigned long)-1);
	printf("least d is -9223372036854775808: %d\n", (int64_t)0x8000000000000000);
	printf("least o is 1000000000000000000000: %o\n", (int64_t)0x8000000000000000);
	printf("pointer is 1000: %p\n", (void *)0x1000);
	printf("pointer x is 1000: %x\n", (char *)0x1000);
	exit(0);
}
