// SPDX-License-Identifier: GPL-2.0
/*
 * A program that waits for each byte of its input in a system call instruction of its own. For
 * `f`, it forks a child, which prints its number of anonymous executable mappings. After each byte,
 * the program prints its own number. SIGUSR1 makes it print "signal".
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

long sit(int fd, char *to, long n);
asm(".text\n.globl sit\n.type sit, @function\n"
    "sit:	xor %eax, %eax\n	syscall\n	ret\n.size sit, . - sit\n");

static void told(int sig)
{
	static const char text[] = "signal\n";

	if (write(1, text, sizeof(text) - 1) < 0)
		abort();
}

static int slots(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096], access[8];
	int n = 0, inode, end;

	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%*s %7s %*s %*s %d%n", access, &inode, &end) == 2 && !strcmp(access, "r-xp") && !inode &&
		    strspn(line + end, " \n") == strlen(line + end))
			n++;
	fclose(maps);
	return n;
}

int main(void)
{
	struct sigaction sa = { .sa_handler = told, .sa_flags = SA_RESTART };
	char c;

	setlinebuf(stdout);
	sigaction(SIGUSR1, &sa, NULL);
	printf("ready\n");
	while (sit(0, &c, 1) == 1) {
		if (c == 'f') {
			if (!fork()) {
				printf("child %d\n", slots());
				exit(0);
			}
			wait(NULL);
		}
		printf("sat %d\n", slots());
	}
	return 0;
}
