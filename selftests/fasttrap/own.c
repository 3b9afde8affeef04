// SPDX-License-Identifier: GPL-2.0
/*
 * A program that changes its own text. It reads letters:
 *
 *	w	calls work() a hundred times
 *	c	replaces work()'s page by an anonymous copy, like programs that want huge pages
 *	b	puts a breakpoint on work() and calls it; its own handler removes the breakpoint
 *
 * It reports each letter when it is done, and succeeds if all calls returned the right value and
 * each breakpoint was hit once.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE 4096
#define ALONE __attribute__((noinline, noclone, aligned(PAGE)))

static unsigned char first;
static int met;

ALONE int work(int n)
{
	int sum = 0;

	while (n-- > 0)
		asm volatile("add $1, %0" : "+r"(sum));
	return sum;
}

ALONE static void protect(int how)
{
	if (mprotect(work, PAGE, how | PROT_READ | PROT_EXEC))
		abort();
}

static void trapped(int sig, siginfo_t *info, void *at)
{
	ucontext_t *context = at;

	if (context->uc_mcontext.gregs[REG_RIP]-- != (long)work + 1)
		abort();
	*(unsigned char *)work = first;
	met++;
}

static void copy(void)
{
	static char page[PAGE];
	int how = PROT_READ | PROT_WRITE | PROT_EXEC;

	memcpy(page, work, PAGE);
	if (mmap(work, PAGE, how, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != work)
		abort();
	memcpy(work, page, PAGE);
	protect(0);
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = trapped, .sa_flags = SA_SIGINFO };
	int i, breakpoints = 0;
	char letter;

	setlinebuf(stdout);
	sigaction(SIGTRAP, &action, NULL);
	printf("ready\n");
	while (read(0, &letter, 1) == 1) {
		if (letter == 'c')
			copy();
		if (letter == 'b') {
			protect(PROT_WRITE);
			first = *(unsigned char *)work;
			*(unsigned char *)work = 0xcc;
			breakpoints++;
		}
		for (i = 0; i < (letter == 'b' ? 1 : letter == 'w' ? 100 : 0); i++)
			if (work(10) != 10)
				abort();
		if (letter == 'b')
			protect(0);
		printf("did %c\n", letter);
	}
	return met != breakpoints;
}
