// SPDX-License-Identifier: GPL-2.0
/*
 * A program that loads a library again and again. For each line of its input:
 *
 *	l	loads it	c	calls its functions ten times
 *	u	unloads it, and occupies its address
 *	r	unloads it, and loads it again at the same address
 *	s	nothing; the answer to each line has the library's address and its semaphore
 */
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	static const short pair[] = { 7, -300 };
	void (*fire)(int, const char *, const short *, long) = NULL;
	int (*tock)(int) = NULL;
	unsigned short *tracing = NULL;
	struct link_map *library = NULL;
	char line[16];
	int i, n = 0;

	if (argc < 2)
		return 2;
	setlinebuf(stdout);
	puts("ready");
	while (fgets(line, sizeof(line), stdin)) {
		unsigned long at = library ? library->l_addr : 0;

		switch (line[0]) {
		case 'r':
			dlclose(library);
			/* fall through */
		case 'l':
			library = dlopen(argv[1], RTLD_NOW);
			if (!library)
				return 1;
			fire = dlsym(library, "fire");
			tock = dlsym(library, "tock");
			tracing = dlsym(library, "toy_tick_semaphore");
			if (line[0] == 'r' && library->l_addr != at)
				return 1;
			at = library->l_addr;
			break;
		case 'u':
			dlclose(library);
			library = NULL;
			if (mmap((void *)at, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != (void *)at)
				return 1;
			break;
		case 'c':
			for (i = 0; i < 10; i++) {
				fire(-5, "measured here", pair, 1);
				if (tock(i) != 2 * i)
					abort();
			}
			break;
		}
		printf("%d %c at %lx traced by %d\n", ++n, line[0], at, library ? *tracing : 0);
	}
	return 0;
}
