// SPDX-License-Identifier: GPL-2.0
/* Maps copies of a file, more and more of them, and runs a function in the last one, so that it is seen. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 35
#define EACH 100

int main(int argc, char **argv)
{
	/* FILE, the offset of its function, and a folder for the copies */
	long (*spin)(long);
	static char text[1 << 16];
	unsigned long at = strtoul(argv[2], NULL, 16);
	int from = open(argv[1], O_RDONLY), to;
	ssize_t size = read(from, text, sizeof(text));
	char path[256], *where;

	for (int n = 0; n < ROUNDS * EACH; n++) {
		snprintf(path, sizeof(path), "%s/%d", argv[3], n);
		to = open(path, O_RDWR | O_CREAT, 0755);
		if (to < 0 || write(to, text, size) != size)
			return 1;
		where = mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, to, 0);
		if (where == MAP_FAILED)
			return 2;
		close(to);
		if (n % EACH == EACH - 1) {
			spin = (void *)(where + at);
			for (clock_t end = clock() + CLOCKS_PER_SEC; clock() < end;)
				spin(100000);
		}
	}
	puts("all mapped");
	fflush(stdout);
	pause();
	return 0;
}
