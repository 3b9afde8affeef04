// SPDX-License-Identifier: GPL-2.0
/*
 * A program whose child shares its memory, opens the library in argv[1] there, which registers probes, and ends. Then it
 * works with the library for each line of its input.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char stack[1 << 20];
static void *handle;

static int child(void *library)
{
	handle = dlopen(library, RTLD_NOW);
	printf("child %d\n", getpid());
	/* Its probes are there until it ends. */
	getchar();
	_exit(!handle);
}

int main(int argc, char **argv)
{
	int status, (*work)(int);
	pid_t pid;

	setlinebuf(stdout);
	setvbuf(stdin, NULL, _IONBF, 0);
	printf("ready %d\n", argc);
	pid = clone(child, stack + sizeof(stack), CLONE_VM | SIGCHLD, argv[1]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 1;
	printf("ended\n");
	work = (int (*)(int))dlsym(handle, "work");
	while (getchar() != EOF)
		printf("worked %d\n", work(1));
	return 0;
}
