// SPDX-License-Identifier: GPL-2.0
/*
 * A program that loads one library in place of another, and the two libraries.
 *
 *	swap FIRST SECOND	calls the loaded library's function a hundred times for each line of its
 *				input; at `s`, loads the other library instead, and prints its address;
 *				at `f`, another thread begins to fork, and its child is a copy from
 *				then, but the fork ends at `e` only: then the child calls the function
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
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long (*work)(long);
static int which;
/* The fork waits until somebody reads of it from there. */
static int faults;

static void call(void)
{
	int i;

	for (i = 0; i < 100; i++)
		if (work(10) != 10 * (which + 1))
			abort();
}

static void *forker(void *arg)
{
	/* fork() would hold locks of the C library that dlopen() needs. */
	pid_t child = syscall(SYS_fork);
	int status;

	if (!child) {
		call();
		_exit(7);
	}
	waitpid(child, &status, 0);
	printf("child %x\n", status);
	return NULL;
}

static void begin_fork(pthread_t *thread)
{
	struct uffdio_api api = { .api = UFFD_API, .features = UFFD_FEATURE_EVENT_FORK };
	struct uffdio_register page = { .range.len = 4096, .mode = UFFDIO_REGISTER_MODE_MISSING };

	faults = syscall(SYS_userfaultfd, O_CLOEXEC);
	page.range.start = (long)mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &page) ||
	    pthread_create(thread, NULL, forker, NULL))
		abort();
	printf("forks\n");
}

static void end_fork(pthread_t thread)
{
	struct uffd_msg msg;

	if (read(faults, &msg, sizeof(msg)) != sizeof(msg) || msg.event != UFFD_EVENT_FORK)
		abort();
	pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char line[16];

	setlinebuf(stdout);
	for (which = 0;; which = !which) {
		struct link_map *library = dlopen(argv[1 + which], RTLD_NOW);

		if (!library)
			abort();
		work = (long (*)(long))dlsym(library, "work");
		printf("ready %d at %lx\n", which + 1, (unsigned long)library->l_addr);
		while (fgets(line, sizeof(line), stdin) && line[0] != 's') {
			if (line[0] == 'f') {
				begin_fork(&thread);
			} else if (line[0] == 'e') {
				end_fork(thread);
			} else {
				call();
				printf("called\n");
			}
		}
		if (feof(stdin))
			return 0;
		dlclose(library);
	}
}
#endif
