// SPDX-License-Identifier: GPL-2.0
/* A 32-bit program without libraries: calls its functions TIMES times, writes what became of it, ends with status 7. */
#ifdef NOTED
#include <sys/sdt.h>
#endif
#define TIMES 1000

static int call(int number, int a, const void *b, int c)
{
	int value;

	asm volatile("int $0x80" : "=a"(value) : "0"(number), "b"(a), "c"(b), "d"(c) : "memory");
	return value;
}

/* Arguments are on the stack; one branch, a loop, a division, what is addressed absolutely. */
static int given = 3;
__attribute__((noinline)) int form(int a, int b, unsigned c)
{
	for (int i = 0; i < 3; i++)
		a += b ^ given;
	asm volatile("" : "+r"(a));
	return a < 0 ? -a : a + (int)(c / 7);
}

/* Several calls deep; how many is its argument. */
__attribute__((noinline)) int deep(int n)
{
	int less = n ? deep(n - 1) : -1;

	asm volatile("" : "+r"(less));
	return less + 1;
}

/* Jumps to another one. */
__attribute__((noinline)) int tail(int n) { asm volatile(""); return deep(n + 1); }

__attribute__((noinline)) void finish(unsigned sum)
{
	char text[9];

	for (int i = 0; i < 8; i++)
		text[i] = "0123456789abcdef"[sum >> (28 - 4 * i) & 15];
	text[8] = '\n';
	call(4, 1, text, sizeof(text));
	for (;;)
		call(1, 7, (void *)0, 0);
}

int main(void)
{
	unsigned sum = 0;

	for (int i = 0; i < TIMES; i++) {
#ifdef NOTED
		DTRACE_PROBE3(narrow, form__begin, i, -i, (char)i);
#endif
		sum = sum * 31 + form(i, -i, i * 7919u) + tail(i % 5);
	}
	finish(sum);
	return 0;
}

asm(".globl _start\n_start: xor %ebp, %ebp\n	and $-16, %esp\n	call main\n	hlt\n");
