// SPDX-License-Identifier: GPL-2.0
/* A 32-bit program with probes and without libraries; it writes how often its probe was enabled. */
#include "narrow.h"

static int call(int number, int a, const void *b, int c)
{
	int value;

	asm volatile("int $0x80" : "=a"(value) : "0"(number), "b"(a), "c"(b), "d"(c) : "memory");
	return value;
}

__attribute__((noinline)) static void form(int n)
{
	NARROW_FORM_BEGIN(n, -1ll << 40, (signed char)-n, "words", 2.5, 0xffffffffu);
	NARROW_NOTHING();
}

int main(void)
{
	char text[] = "asked     \n";
	int i, asked = 0;

	for (i = 0; i < 1000; i++) {
		asked += NARROW_FORM_BEGIN_ENABLED();
		form(i);
	}
	for (i = 9; asked; asked /= 10)
		text[i--] = '0' + asked % 10;
	call(4, 1, text, sizeof(text) - 1);
	for (;;)
		call(1, 0, (void *)0, 0);
}

asm(".globl _start\n_start: xor %ebp, %ebp\n	and $-16, %esp\n	call main\n	hlt\n");
