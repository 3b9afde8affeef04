// SPDX-License-Identifier: GPL-2.0
/*
 * A program in situations that most programs never reach. It prints "ready" and the addresses of
 * its functions, and takes one more step for each line of its input:
 *
 *	corners calls		calls `form` ten times
 *	corners text		makes the text of `form` not executable, restores it, then calls it ten times
 *	corners leader		ends its first thread; another one then calls `form` ten times
 *	corners cancel		cancels a thread that waits in a system call, in glibc's cancellation wrapper
 *
 * It ends at the end of its input.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

asm(".text\n.balign 4096\n.globl form\n.type form, @function\n"
    "form: lea 3(%rdi), %eax\n"
    "	ret\n.size form, . - form\n.balign 4096\n");
extern int form(int);

/* A critical section for rseq(2), which the program never runs. */
asm(".globl sequence\n.type sequence, @function\n"
    "sequence: nop\n"
    "1:	mov $1, %eax\n"
    "	mov $2, %eax\n"
    "2:	ret\n.size sequence, . - sequence\n"
    ".pushsection __rseq_cs, \"aw\"\n.balign 32\n"
    "	.long 0, 0\n	.quad 1b, 2b - 1b, sequence\n.popsection\n");

static int step(void)
{
	char line[64];

	return fgets(line, sizeof(line), stdin) != NULL;
}

static void calls(void)
{
	int i;

	for (i = 0; i < 10; i++)
		if (form(i) != i + 3)
			puts("bad result");
	puts("called");
}

static void protect(int how)
{
	if (mprotect((void *)form, 4096, how))
		puts("bad mprotect");
	puts("protected");
}

static void *second(void *arg)
{
	while (step())
		calls();
	_exit(0);
}

static void *waits(void *arg)
{
	char byte;
	int ends[2];

	if (pipe(ends))
		puts("bad pipe");
	puts("waits");
	while (read(ends[0], &byte, 1) >= 0)
		;
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t thread;
	void *result;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("form %p 8\nready\n", (void *)form);
	if (!strcmp(what, "leader")) {
		pthread_create(&thread, NULL, second, NULL);
		pthread_exit(NULL);
	} else if (!strcmp(what, "calls")) {
		second(NULL);
	} else if (!strcmp(what, "text")) {
		step();
		protect(PROT_READ);
		step();
		protect(PROT_READ | PROT_EXEC);
		second(NULL);
	} else if (!strcmp(what, "cancel")) {
		step();
		pthread_create(&thread, NULL, waits, NULL);
		step();
		pthread_cancel(thread);
		pthread_join(thread, &result);
		puts(result == PTHREAD_CANCELED ? "cancelled" : "bad result");
		step();
	}
	return 0;
}
