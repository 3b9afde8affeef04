// SPDX-License-Identifier: GPL-2.0
/*
 * A server that forks. For each line of its input, a number, it forks that many children, one after
 * another. Each child fires once, with its process id, and ends. After each line the server prints
 * the number of children so far.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "forks.h"

__attribute__((noinline)) static void child(int pid)
{
	FORKS_CHILD(pid);
	if (FORKS_IDLE_ENABLED() && FORKS_MORE_ENABLED()) {
		FORKS_IDLE(pid);
		FORKS_MORE(pid);
	}
}

int main(void)
{
	long n, all = 0;
	int status;

	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready\n");
	while (scanf("%ld", &n) == 1) {
		while (n-- > 0) {
			pid_t pid = fork();

			if (pid == 0) {
				child(getpid());
				_exit(0);
			}
			if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
				return 1;
			all++;
		}
		printf("done %ld\n", all);
	}
	return 0;
}
