// SPDX-License-Identifier: GPL-2.0
/*
 * A program with a probe whose text it replaces. It does what the letters of its input say, and prints each with the value
 * of the probe's semaphore:
 *
 *	c	calls the probe's function ten times
 *	a	replaces the function by a copy in anonymous memory
 *	d	drops the page of the function, which then comes from its file again
 *	s	does the same with the page of the semaphore
 *	r, x	takes from the function the right to be executed; gives it back
 *	f	forks a child, which prints its own value
 */
#define _GNU_SOURCE
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096
#define TEXT ((void *)((unsigned long)serve & -PAGE))
#define SEMAPHORE ((void *)shop_served_semaphore)
/* The semaphore, and nothing else on its page. */
unsigned short shop_served_semaphore[PAGE / 2] __attribute__((section(".probes"), aligned(PAGE)));

__attribute__((noinline, section(".moved"), aligned(PAGE))) static void serve(void)
{
	DTRACE_PROBE(shop, served);
	asm volatile(".balign 4096");
}

static void copy(void)
{
	static char kept[PAGE];

	memcpy(kept, TEXT, PAGE);
	if (mmap(TEXT, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != TEXT)
		abort();
	memcpy(TEXT, kept, PAGE);
	if (mprotect(TEXT, PAGE, PROT_READ | PROT_EXEC))
		abort();
}

int main(void)
{
	int c, i;

	setlinebuf(stdout);
	printf("ready\n");
	while ((c = getchar()) != EOF) {
		if (c == '\n')
			continue;
		for (i = 0; c == 'c' && i < 10; i++)
			serve();
		if (c == 'a')
			copy();
		if ((c == 'd' && madvise(TEXT, PAGE, MADV_DONTNEED)) || (c == 's' && madvise(SEMAPHORE, PAGE, MADV_DONTNEED)))
			abort();
		if ((c == 'r' && mprotect(TEXT, PAGE, PROT_READ)) || (c == 'x' && mprotect(TEXT, PAGE, PROT_READ | PROT_EXEC)))
			abort();
		if (c == 'f') {
			fflush(stdout);
			if (!fork())
				c = 'F';
			else
				wait(NULL);
		}
		printf("%c %d\n", c, *(volatile unsigned short *)SEMAPHORE);
		if (c == 'F')
			_exit(0);
	}
	return 0;
}
