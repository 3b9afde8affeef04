/* SPDX-License-Identifier: GPL-2.0 */
/* ASSERTION: byte order and addresses. */
#pragma D option quiet
BEGIN
{
	printf("htons is 3412: %x\n", htons(0x1234));
	printf("ntohs is 3412: %x\n", ntohs(0x1234));
	printf("htonl is 78563412: %x\n", htonl(0x12345678));
	printf("ntohl is 78563412: %x\n", ntohl(0x12345678));
	printf("htonll is f0debc9a78563412: %x\n", htonll(0x123456789abcdef0));
	printf("ntohll is f0debc9a78563412: %x\n", ntohll(0x123456789abcdef0));
	this->a = (uint32_t *)alloca(16);
	*this->a = htonl(0xc0a80105);
	printf("inet_ntoa is 192.168.1.5: %s\n", inet_ntoa(this->a));
	printf("inet_ntop is 192.168.1.5: %s\n", inet_ntop(2, this->a));
	this->a[0] = htonl(0xfe800000); this->a[1] = 0; this->a[2] = 0; this->a[3] = htonl(1);
	printf("inet_ntoa6 is fe80::1: %s\n", inet_ntoa6(this->a));
	printf("inet_ntop is fe80::1: %s\n", inet_ntop(10, this->a));
	exit(0);
}
