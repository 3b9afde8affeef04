// SPDX-License-Identifier: GPL-2.0
/*
 * A program to be traced. It prints where its functions are and waits for a line on its input. Then
 * THREADS threads call them TIMES times each, and it reports wrong results.
 *
 *	calls THREADS TIMES
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* One instruction of each kind that the provider treats differently. */
asm(".text\n.globl form, form_end, given\n.type form, @function\n"
    "form: endbr64\n"			/* skipped */
    "	push %rbp\n"			/* in its slot, which is faster than emulation */
    "	mov %rsp, %rbp\n"		/* displaced */
    "	mov given(%rip), %eax\n"	/* displaced, with an operand relative to itself */
    "	test %edi, %edi\n"
    "	js 1f\n"			/* a branch that is never taken */
    "	add %edi, %eax\n"
    "	call 2f\n"
    "	lea 3f(%rip), %rcx\n"
    "	call *%rcx\n"
    "	push $4f - 3f\n"
    "	add %rcx, (%rsp)\n"
    "	call *(%rsp)\n"
    "	pop %rcx\n"
    "	jmp 5f\n"
    "1:	ud2\n"
    "2:	inc %eax\n"
    "	ret\n"
    "3:	inc %eax\n"
    "	ret\n"
    "4:	inc %eax\n"
    "	ret\n"
    "5:	mov $3, %ecx\n"
    "6:	inc %eax\n"
    "	loop 6b\n"
    "	pop %rbp\n"
    "	ret\n"
    "form_end:\n.size form, . - form\n"
    ".data\ngiven: .long 3\n.text\n");
extern int form(int);
extern char form_end[];

__attribute__((noinline)) int leaf(int x) { asm volatile(""); return x * 2; }
__attribute__((noinline)) int tail(int x) { asm volatile(""); return leaf(x + 1); }

static long times;

static void *run(void *arg)
{
	long bad = 0, i;

	for (i = 0; i < times; i++)
		bad += (form(i) != (int)i + 9) + (tail(i) != ((int)i + 1) * 2);
	return (void *)bad;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, i;
	pthread_t threads[64];
	long bad = 0;
	void *one;

	times = argc > 2 ? atol(argv[2]) : 1;
	printf("form %lx %lx\nleaf %lx 20\ntail %lx 20\nready\n", (long)form, form_end - (char *)form, (long)leaf, (long)tail);
	fflush(stdout);
	getchar();
	for (i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, run, NULL);
	for (i = 0; i < n; i++) {
		pthread_join(threads[i], &one);
		bad += (long)one;
	}
	printf("calls %ld bad %ld\n", n * times, bad);
	return bad != 0;
}
