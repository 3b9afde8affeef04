// SPDX-License-Identifier: GPL-2.0
/* Probes of <sys/sdt.h>, in C and C++. */
#ifdef COUNTED
#define _SDT_HAS_SEMAPHORES 1
#endif
#include <sys/sdt.h>
#include <stdio.h>

#ifdef COUNTED
unsigned short shop_order_semaphore __attribute__((section(".probes")));
unsigned short shop_none_semaphore __attribute__((section(".probes")));
unsigned short shop_many_semaphore __attribute__((section(".probes")));
#define TRACED shop_order_semaphore
#else
#define TRACED 0
#endif

enum way { UP, DOWN };

__attribute__((noinline)) static int order(char c, unsigned char u, short s, const char *text, long long big, enum way way)
{
	char array[8] = "array";

	DTRACE_PROBE8(shop, order, c, u, s, text, big, array, "constant", 7);
	STAP_PROBE(shop, none);
	STAP_PROBE12(shop, many, 1, 2, 3, 4, 5, 6, 7, 8, c, u, s, way);
	return TRACED;
}

int main(void)
{
	printf("%d\n", order(-1, 255, -2, "text", -(1ll << 40), DOWN));
	return 0;
}
