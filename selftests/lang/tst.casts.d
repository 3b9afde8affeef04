/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: casts cut and extend; pointers and numbers go to and fro; pointer arithmetic counts in elements. */
#pragma D option quiet
int64_t l;
BEGIN
{
	l = 0x123456789abcdef0;
	printf("(char) is -16: %d\n", (char)l);
	printf("(unsigned char) is 240: %d\n", (unsigned char)l);
	printf("(short) is -8464: %d\n", (short)l);
	printf("(uint16_t) is def0: %x\n", (uint16_t)l);
	printf("(int) is -1698898192: %d\n", (int)l);
	printf("(uint32_t) is 9abcdef0: %x\n", (uint32_t)l);
	printf("(uint64_t)(char) is fffffffffffffff0: %x\n", (uint64_t)(char)l);
	printf("(uint64_t)(uint8_t) is f0: %x\n", (uint64_t)(uint8_t)l);
	printf("(int)(char)-1 is -1: %d\n", (int)(char)-1);
	printf("(int)(unsigned char)-1 is 255: %d\n", (int)(unsigned char)-1);
	printf("(unsigned int)-1 + 1 is 0: %d\n", (unsigned int)-1 + 1);
	printf("(char)300 * 2 is 88: %d\n", (char)300 * 2);
	printf("-(char)-128 is 128: %d\n", -(char)-128);
	printf("(int *)100 + 1 is 104: %d\n", (long)((int *)100 + 1));
	printf("(char *)100 + 1 is 101: %d\n", (long)((char *)100 + 1));
	printf("(int64_t *)100 - 2 is 84: %d\n", (long)((int64_t *)100 - 2));
	printf("(int *)100 - (int *)80 is 5: %d\n", (int *)100 - (int *)80);
	printf("(int *)100 > (int *)80 is 1: %d\n", (int *)100 > (int *)80);
	printf("(uintptr_t)(void *)l is 123456789abcdef0: %x\n", (uintptr_t)(void *)l);
	exit(0);
}
