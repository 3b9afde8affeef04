// SPDX-License-Identifier: GPL-2.0
/*
 * A program that loads a library, uses it, and unloads it at once. With -DLIBRARY and toy.c, it is
 * that library.
 *
 *	plugin LIBRARY TIMES	does so TIMES times, and prints the sum of its semaphore at load time
 *	plugin LIBRARY		does so once for each letter of its input, and reports it
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef LIBRARY
extern unsigned short toy_tick_semaphore;
int raised;

static int twice(int x) { asm volatile(""); return x * 2; }
static int (*choose(void))(int) { return twice; }
int chosen(int x) __attribute__((ifunc("choose"), visibility("hidden")));

__attribute__((noinline)) int begun(int x) { asm volatile(""); return x + chosen(x); }

__attribute__((constructor)) static void begin(void) { raised = toy_tick_semaphore; begun(1); }
__attribute__((destructor)) static void end(void) { begun(2); }
#else
static int load(const char *path)
{
	static const short pair[] = { 7, -300 };
	void *library = dlopen(path, RTLD_NOW);
	void (*fire)(int, const char *, const short *, long);
	int (*tock)(int);
	int i, raised;

	if (!library)
		abort();
	fire = dlsym(library, "fire");
	tock = dlsym(library, "tock");
	for (i = 0; i < 1000; i++) {
		fire(-5, "measured here", pair, 1);
		if (tock(i) != 2 * i)
			abort();
	}
	raised = *(int *)dlsym(library, "raised");
	dlclose(library);
	return raised;
}

int main(int argc, char **argv)
{
	int i, raised = 0;

	if (argc < 2)
		return 2;
	if (argc == 2) {
		printf("ready\n");
		fflush(stdout);
		for (i = 1; getchar() != EOF; i++) {
			load(argv[1]);
			printf("loaded %d\n", i);
			fflush(stdout);
		}
		return 0;
	}
	for (i = 0; i < atoi(argv[2]); i++)
		raised += load(argv[1]);
	printf("raised %d\n", raised);
	return 0;
}
#endif
