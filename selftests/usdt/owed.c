// SPDX-License-Identifier: GPL-2.0
/*
 * A program that keeps its own memory map locked: it maps something else over a changed page of the file argv[1], whose
 * file system does not take the page back. It does what the letters of its input say, and prints each with its semaphore:
 *
 *	v	nothing
 *	l	has a thread lock the memory map
 *	p	reaches its probe
 */
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

unsigned short shop_served_semaphore __attribute__((section(".probes")));
static char *page;

static void serve(void)
{
	DTRACE_PROBE(shop, served);
}

static void *locks(void *unused)
{
	mmap(page, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDWR) : -1, c;
	pthread_t thread;

	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	page[1] = 'x';
	setlinebuf(stdout);
	setvbuf(stdin, NULL, _IONBF, 0);
	printf("ready\n");
	while ((c = getchar()) != EOF) {
		if (c == '\n')
			continue;
		if (c == 'l' && pthread_create(&thread, NULL, locks, NULL))
			return 1;
		if (c == 'p')
			serve();
		printf("%c %d\n", c, *(volatile unsigned short *)&shop_served_semaphore);
	}
	return 0;
}
