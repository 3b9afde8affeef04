// SPDX-License-Identifier: GPL-2.0
/*
 * A program with probes of its own; with -DLIBRARY, a library.
 *
 *	app TIMES	does its work TIMES times, and prints how often its probe was enabled
 *	app		works once for each letter of its input; `f` forks first, and the child works; `e` executes
 *			itself; `o` and `c` open and close the library in argv[1], and work with it
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "toy.h"

struct job { int x; };

__attribute__((noinline)) static void more(int x)
{
	asm volatile("" : : "r"(x));
	TOY_TICK_MORE();
}

__attribute__((noinline)) static int asked(void)
{
	return TOY_TICK_ENABLED();
}

int work(int times)
{
	static struct job job;
	int i, enabled = 0;

	for (i = 0; i < times; i++) {
		TOY_TICK(-5, "measured here", -7, 1ull << 40, 'x', 200, -1000, -8);
		if (TOY_TICK_MORE_ENABLED())
			enabled++;
		enabled += 1000 * asked();
		more(i);
		TOY_JOB(&job, 12);
		OTHER_DONE(i);
	}
	return enabled;
}

#ifndef LIBRARY
int main(int argc, char **argv)
{
	int (*do_work)(int) = work;
	void *handle = NULL;
	int c;

	if (argc > 1 && atoi(argv[1])) {
		printf("enabled %d\n", work(atoi(argv[1])));
		return 0;
	}
	printf("ready\n");
	fflush(stdout);
	while ((c = getchar()) != EOF) {
		if (c == '\n')
			continue;
		if (c == 'f' && fork()) {
			wait(NULL);
			continue;
		}
		if (c == 'e')
			execv("/proc/self/exe", argv);
		if (c == 'o') {
			handle = dlopen(argv[1], RTLD_NOW);
			if (!handle)
				return 1;
			do_work = dlsym(handle, "work");
		}
		if (c == 'c') {
			dlclose(handle);
			do_work = work;
		}
		printf("%c %d enabled %d\n", c, getpid(), do_work(1));
		fflush(stdout);
		if (c == 'f')
			_exit(0);
	}
	return 0;
}
#endif
