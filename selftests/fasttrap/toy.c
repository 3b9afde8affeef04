// SPDX-License-Identifier: GPL-2.0
/*
 * A program with probes in the form of sys/sdt.h; with -DLIBRARY, a library with the same probes.
 *
 *	toy TIMES	does its work TIMES times
 *	toy		does its work ten times for each letter of its input, and prints its semaphore;
 *			`f` forks a child instead, which prints its own
 *	toy LIBRARY	loads the library at the first letter, and calls its functions from then on
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned short toy_tick_semaphore __attribute__((section(".probes")));
static long total __attribute__((used)) = 1000;

#define NOTE(at, semaphore, name, args)                                                                    \
	".pushsection .note.stapsdt, \"\", @note\n.balign 4\n.4byte 8, 2f - 1f, 3\n.asciz \"stapsdt\"\n"   \
	"1: .8byte " at ", _.stapsdt.base, " semaphore "\n.asciz \"toy\"\n.asciz \"" name "\"\n.asciz \"" args \
	"\"\n2: .balign 4\n.popsection\n"

asm(".pushsection .stapsdt.base, \"aG\", @progbits, .stapsdt.base, comdat\n.weak _.stapsdt.base\n"
    ".hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n"
    ".text\n.globl fire\n.type fire, @function\nfire:\n"
    "7:	nop\n"
    "8:	nop\n"
    "	ret\n.size fire, . - fire\n"
    NOTE("7b", "toy_tick_semaphore", "tick", "-4@%edi 8@%rsi -2@2(%rdx) -4@$-7 1@(%rdx,%rcx,2) -8@total(%rip)")
    NOTE("8b", "0", "tick__more", ""));
extern void fire(int, const char *, const short *, long);

__attribute__((noinline)) int tock(int x) { asm volatile(""); return x * 2; }

#ifndef LIBRARY
__attribute__((constructor)) static void early(void) { tock(1); }
#endif

static void (*fire_)(int, const char *, const short *, long) = fire;
static int (*volatile tock_)(int) = tock;
static size_t (*volatile len)(const char *) = strlen;

static void work(int times)
{
	static const short pair[] = { 7, -300 };
	int i;

	for (i = 0; i < times; i++) {
		fire_(-5, "measured here", pair, 1);
		if (tock_(i) != 2 * i || len("measured here") != 13)
			abort();
	}
}

int main(int argc, char **argv)
{
	const char *library = argc > 1 ? argv[1] : NULL;
	unsigned short *tracing = &toy_tick_semaphore;
	void *handle;
	int letter;

	if (library && atoi(library)) {
		work(atoi(library));
		return 0;
	}
	printf("ready\n");
	fflush(stdout);
	while ((letter = getchar()) != EOF) {
		if (letter == 'f') {
			if (!fork()) {
				printf("child traced by %d\n", *tracing);
				exit(0);
			}
			wait(NULL);
			continue;
		}
		if (!library) {
			work(10);
		} else {
			handle = dlopen(library, RTLD_NOW);
			if (!handle)
				return 1;
			fire_ = dlsym(handle, "fire");
			tock_ = dlsym(handle, "tock");
			tracing = dlsym(handle, "toy_tick_semaphore");
			library = NULL;
		}
		printf("traced by %d\n", *tracing);
		fflush(stdout);
	}
	return 0;
}
