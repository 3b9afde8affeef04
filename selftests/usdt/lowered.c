// SPDX-License-Identifier: GPL-2.0
/*
 * A server that forks all the time, from two threads, until its input ends. Each child says whether the semaphore of its
 * probe is raised. Prints how many were, and the number of children.
 */
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

unsigned short shop_served_semaphore __attribute__((section(".probes")));
static volatile int ends;
static unsigned long raised, children;

static void serve(void)
{
	DTRACE_PROBE(shop, served);
}

static void *forks(void *unused)
{
	while (!ends) {
		int status;
		pid_t pid = fork();

		if (!pid) {
			usleep(1000);
			_exit(*(volatile unsigned short *)&shop_served_semaphore != 0);
		}
		if (waitpid(pid, &status, 0) == pid) {
			__atomic_fetch_add(&children, 1, __ATOMIC_RELAXED);
			__atomic_fetch_add(&raised, status != 0, __ATOMIC_RELAXED);
		}
		serve();
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	setlinebuf(stdout);
	for (int n = 0; n < 2; n++)
		pthread_create(&threads[n], NULL, forks, NULL);
	printf("ready\n");
	getchar();
	ends = 1;
	for (int n = 0; n < 2; n++)
		pthread_join(threads[n], NULL);
	printf("raised %lu of %lu, itself %d\n", raised, children, shop_served_semaphore);
	return 0;
}
