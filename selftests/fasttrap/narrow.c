// SPDX-License-Identifier: GPL-2.0
/*
 * A 32-bit program without libraries: calls its functions TIMES times, prints a checksum of the
 * results, and ends with status 7.
 */
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

/* Has arguments on the stack, a branch, a loop, a division, an operand at an absolute address. */
static int given = 3;
__attribute__((noinline)) int form(int a, int b, unsigned c)
{
	for (int i = 0; i < 3; i++)
		a += b ^ given;
	asm volatile("" : "+r"(a));
	return a < 0 ? -a : a + (int)(c / 7);
}

/* Calls itself; the argument is the depth. */
__attribute__((noinline)) int deep(int n)
{
	int less = n ? deep(n - 1) : -1;

	asm volatile("" : "+r"(less));
	return less + 1;
}

/* Ends with a jump to another function. */
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
