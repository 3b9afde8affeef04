// SPDX-License-Identifier: GPL-2.0
/*
 * A program that shares its pages with a child of its own. For each letter on its input it does something, and says so:
 *
 *	f	forks a child, which calls leaf() and waits for the end of the input
 *	c	calls leaf() and passes its probe
 *	s	says whether there is a breakpoint in leaf(), and what the semaphore of the probe is
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>

__extension__ unsigned short shop_sold_semaphore __attribute__((unused)) __attribute__((section(".probes")));

__attribute__((noinline)) int leaf(int x) { asm volatile(""); return x * 2; }

int main(void)
{
	int end[2], status, children = 0;
	char what;

	if (pipe(end))
		return 1;
	setvbuf(stdout, NULL, _IONBF, 0);
	printf("ready\n");
	while (read(0, &what, 1) == 1) {
		switch (what) {
		case 'f':
			if (!fork()) {
				close(end[1]);
				leaf(1);
				_exit(read(end[0], &what, 1) != 0);
			}
			children++;
			printf("forked\n");
			break;
		case 'c':
			leaf(2);
			DTRACE_PROBE1(shop, sold, 3);
			printf("called\n");
			break;
		case 's':
			printf("int3 %d semaphore %d\n", *(volatile unsigned char *)leaf == 0xcc,
			       *(volatile unsigned short *)&shop_sold_semaphore);
			break;
		}
	}
	close(end[1]);
	while (children-- > 0)
		if (wait(&status) < 0 || status)
			return 2;
	return 0;
}
