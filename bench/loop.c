// SPDX-License-Identifier: GPL-2.0
/*
 * The work whose cost a tracer raises: one system call or function, N times, R times over.
 *
 *	loop CPU N R getppid
 *	loop CPU N R read FILE		one byte at a time
 *	loop CPU N R call WHAT		a function of its own: `push` begins with a push, `mov` with a load, `nop` with a nop;
 *					`usdt` has a probe of its own, bench:point; `many` is the first of 10,000; `fork`
 *					makes a copy of the process, which ends
 *	loop CPU N R threads T WHAT	T threads, on all processors, do it at the same time: N calls are those of all of them
 *
 * It stays on one processor, and in one process for a whole row: the pages, the alignment and the pid are the same
 * with and without a tracer. Each line on standard input asks for one series; the answer is one line with the
 * nanoseconds that each of the R repetitions took (a tenth of one runs before them, to warm up). Under -icount
 * nanoseconds are instructions.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* As a compiler writes them; the note is that of <sys/sdt.h>. */
asm(".text\n"
    ".globl work_push\n.type work_push, @function\n"
    "work_push:	push %rbp\n	mov %rsp, %rbp\n	pop %rbp\n	ret\n.size work_push, . - work_push\n"
    ".globl work_mov\n.type work_mov, @function\n"
    "work_mov:	mov $1, %eax\n	ret\n.size work_mov, . - work_mov\n"
    ".globl work_nop\n.type work_nop, @function\n"
    "work_nop:	nopl 0(%rax,%rax)\n	ret\n.size work_nop, . - work_nop\n"
    ".macro one\nmany_\\@:	push %rbp\n	pop %rbp\n	ret\n.type many_\\@, @function\n.size many_\\@, . - many_\\@\n.endm\n"
    "work_many:\n.rept 10000\none\n.endr\n"
    ".globl work_usdt\n.type work_usdt, @function\n"
    "work_usdt:\n990:	nop\n	ret\n.size work_usdt, . - work_usdt\n"
    ".pushsection .note.stapsdt, \"\", \"note\"\n	.balign 4\n	.4byte 992f - 991f, 994f - 993f, 3\n"
    "991:	.asciz \"stapsdt\"\n992:	.balign 4\n"
    "993:	.8byte 990b, _.stapsdt.base, 0\n	.asciz \"bench\"\n	.asciz \"point\"\n	.asciz \"\"\n"
    "994:	.balign 4\n	.popsection\n"
    ".pushsection .stapsdt.base, \"aG\", \"progbits\", .stapsdt.base, comdat\n	.weak _.stapsdt.base\n"
    "	.hidden _.stapsdt.base\n_.stapsdt.base: .space 1\n.size _.stapsdt.base, 1\n.popsection\n");
extern void work_push(void), work_mov(void), work_nop(void), work_usdt(void), work_many(void);

static void work_fork(void)
{
	int child = fork();

	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static const struct {
	const char *name;
	void (*call)(void);
} works[] = { { "push", work_push }, { "mov", work_mov }, { "nop", work_nop }, { "usdt", work_usdt },
	      { "many", work_many }, { "fork", work_fork } };

static int file = -1;
static void (*work)(void);
static int threads = 1;

static void fail(const char *what)
{
	fprintf(stderr, "loop: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void calls(long n)
{
	char byte;

	if (work) {
		while (n-- > 0)
			work();
	} else if (file < 0) {
		while (n-- > 0)
			syscall(SYS_getppid);
	} else {
		while (n-- > 0)
			if (read(file, &byte, 1) < 0)
				fail("read");
	}
}

static void *thread(void *n)
{
	calls((long)n);
	return NULL;
}

/* As many calls, by all threads together. */
static void shared(long n)
{
	pthread_t all[64];
	int i;

	if (threads == 1) {
		calls(n);
		return;
	}
	for (i = 0; i < threads; i++)
		if (pthread_create(&all[i], NULL, thread, (void *)(n / threads)))
			fail("pthread_create");
	for (i = 0; i < threads; i++)
		pthread_join(all[i], NULL);
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

	if (argc < 5 || argc > 7) {
		fputs("usage: loop CPU N R getppid | read FILE | call WHAT | threads T WHAT\n", stderr);
		return 2;
	}
	n = atol(argv[2]);
	r = atol(argv[3]);
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (argc == 7) {
		threads = atoi(argv[5]);
		if (threads < 1 || threads > 64)
			fail(argv[5]);
	} else if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		fail("sched_setaffinity");
	}
	if (argc == 7 || !strcmp(argv[4], "call")) {
		for (i = 0; i < (long)(sizeof(works) / sizeof(*works)); i++)
			if (!strcmp(works[i].name, argv[argc - 1]))
				work = works[i].call;
		if (!work)
			fail(argv[argc - 1]);
	} else if (argc == 6) {
		file = open(argv[5], O_RDONLY);
		if (file < 0)
			fail(argv[5]);
	}
	while (fgets(line, sizeof(line), stdin)) {
		shared(n / 10);
		for (i = 0; i < r; i++) {
			long long begin = now();

			shared(n);
			printf("%lld ", now() - begin);
		}
		puts("");
		fflush(stdout);
	}
	return 0;
}
