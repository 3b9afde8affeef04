// SPDX-License-Identifier: GPL-2.0
/*
 * The work whose cost a tracer raises: one system call, N times, R times over.
 *
 *	loop CPU N R getppid
 *	loop CPU N R read FILE		one byte at a time
 *
 * It stays on one processor, and in one process for a whole row: the pages, the alignment and the pid are the same
 * with and without a tracer. Each line on standard input asks for one series; the answer is one line with the
 * nanoseconds that each of the R repetitions took (a tenth of one runs before them, to warm up). Under -icount
 * nanoseconds are instructions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int file = -1;

static void fail(const char *what)
{
	fprintf(stderr, "loop: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void calls(long n)
{
	char byte;

	if (file < 0) {
		while (n-- > 0)
			syscall(SYS_getppid);
	} else {
		while (n-- > 0)
			if (read(file, &byte, 1) < 0)
				fail("read");
	}
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long n, r, i;
	cpu_set_t cpus;
	char line[16];

	if (argc < 5 || argc > 6) {
		fputs("usage: loop CPU N R getppid | read FILE\n", stderr);
		return 2;
	}
	n = atol(argv[2]);
	r = atol(argv[3]);
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		fail("sched_setaffinity");
	if (argc == 6) {
		file = open(argv[5], O_RDONLY);
		if (file < 0)
			fail(argv[5]);
	}
	while (fgets(line, sizeof(line), stdin)) {
		calls(n / 10);
		for (i = 0; i < r; i++) {
			long long begin = now();

			calls(n);
			printf("%lld ", now() - begin);
		}
		puts("");
		fflush(stdout);
	}
	return 0;
}
