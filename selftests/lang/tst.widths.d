/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: a variable keeps what fits its type, with the type's sign. */
#pragma D option quiet
char c; unsigned char uc; short s; unsigned short us; int i; unsigned int u; long l; unsigned long ul;
int8_t i8; uint8_t b8; int16_t i16; uint16_t b16; int32_t i32; uint32_t b32; int64_t i64; uint64_t b64;
BEGIN
{
	c = uc = 200;
	printf("char 200 is -56: %d\n", c);
	printf("unsigned char 200 is 200: %d\n", uc);
	uc = 256 + 5; printf("unsigned char 261 is 5: %d\n", uc);
	s = 40000; printf("short 40000 is -25536: %d\n", s);
	us = 40000; printf("unsigned short 40000 is 40000: %d\n", us);
	us = -1; printf("unsigned short -1 is 65535: %d\n", us);
	i = 3000000000; printf("int 3000000000 is -1294967296: %d\n", i);
	u = 3000000000; printf("unsigned 3000000000 is 3000000000: %u\n", u);
	u = -1; printf("unsigned -1 is 4294967295: %u\n", u);
	l = 3000000000; printf("long 3000000000 is 3000000000: %d\n", l);
	ul = -1; printf("unsigned long -1 is 18446744073709551615: %u\n", ul);
	i8 = 128; printf("int8_t 128 is -128: %d\n", i8);
	b8 = -128; printf("uint8_t -128 is 128: %d\n", b8);
	i16 = 0x18000; printf("int16_t 0x18000 is -32768: %d\n", i16);
	b16 = 0x18000; printf("uint16_t 0x18000 is 32768: %d\n", b16);
	i32 = 0x180000000; printf("int32_t 0x180000000 is -2147483648: %d\n", i32);
	b32 = 0x180000000; printf("uint32_t 0x180000000 is 2147483648: %u\n", b32);
	i64 = 0x8000000000000000; printf("int64_t 1<<63 is -9223372036854775808: %d\n", i64);
	b64 = 0x8000000000000000; printf("uint64_t 1<<63 is 9223372036854775808: %u\n", b64);
	c = 100;
	printf("char 100 + 100 is 200: %d\n", c + c);
	printf("the value of (c = 300) is 44: %d\n", c = 300);
	printf("c++ of 127 is 127: %d\n", (c = 127, c++));
	printf("then c is -128: %d\n", c);
	printf("--b8 of 0 is 255: %d\n", (b8 = 0, --b8));
	exit(0);
}
