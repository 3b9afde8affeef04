// SPDX-License-Identifier: GPL-2.0
/*
 * A program that loads one library in place of another, and the two libraries.
 *
 *	swap FIRST SECOND	calls the loaded library's function a hundred times for each line of its
 *				input; at `s`, loads the other library instead, and prints its address
 *	-DLIBRARY=1, =2		functions of the same name, with different instruction boundaries
 */
#ifdef LIBRARY
long work(long n)
{
	long sum = 0;

	while (n-- > 0)
#if LIBRARY == 1
		asm volatile("add $1, %0\n nop\n test %0, %0\n xor $0, %0" : "+r"(sum));
#else
		asm volatile("lea 0x1(%0), %0\n add $0x00c39000, %0\n sub $0x00c39000, %0\n add $1, %0" : "+r"(sum));
#endif
	return sum;
}
#else
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	char line[16];
	int which;

	setlinebuf(stdout);
	for (which = 0;; which = !which) {
		struct link_map *library = dlopen(argv[1 + which], RTLD_NOW);
		long (*work)(long);
		int i;

		if (!library)
			abort();
		work = (long (*)(long))dlsym(library, "work");
		printf("ready %d at %lx\n", which + 1, (unsigned long)library->l_addr);
		while (fgets(line, sizeof(line), stdin) && line[0] != 's') {
			for (i = 0; i < 100; i++)
				if (work(10) != 10 * (which + 1))
					abort();
			printf("called\n");
		}
		if (feof(stdin))
			return 0;
		dlclose(library);
	}
}
#endif
