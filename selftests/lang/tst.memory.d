/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: alloca gives memory that can be written in every width and copied; it is zero to begin with. */
#pragma D option quiet
BEGIN
{
	this->p = (uint8_t *)alloca(16);
	printf("fresh is 0: %d\n", this->p[0] + this->p[15]);
	*(uint64_t *)this->p = 0x1122334455667788;
	printf("byte 0 is 88: %x\n", this->p[0]);
	printf("byte 7 is 11: %x\n", this->p[7]);
	printf("half 1 is 5566: %x\n", ((uint16_t *)this->p)[1]);
	printf("signed byte 0 is -120: %d\n", ((int8_t *)this->p)[0]);
	((uint16_t *)this->p)[3] = 0xabcd;
	((uint32_t *)this->p)[0] = 0x99999999;
	this->p[3] = 1;
	printf("all is abcd334401999999: %x\n", *(uint64_t *)this->p);
	this->p[0] += 0x70; printf("+= in memory is 9: %x\n", this->p[0]);
	bcopy(this->p, this->p + 8, 8);
	printf("bcopy is abcd334401999909: %x\n", ((uint64_t *)this->p)[1]);
	this->s = (char *)alloca(6);
	bcopy("hello", this->s, 6);
	printf("stringof is hello: %s\n", stringof(this->s));
	this->s[0] = 'j';
	printf("changed is jello: %s\n", stringof(this->s));
	printf("strlen is 5: %d\n", strlen(this->s));
	printf("&p[2] - p is 2: %d\n", &this->p[2] - this->p);
	exit(0);
}
