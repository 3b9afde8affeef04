// SPDX-License-Identifier: GPL-2.0
/*
 * A program that replaces its text by a copy, in its place. It does what the letters of its input say, and prints each:
 *
 *	c	calls the function that is copied
 *	f	forks; the child does so, too, and forks a child that does so
 *	s, p, a	copies the text into shared memory; into private memory of a file; into anonymous memory
 *	h	copies it into huge pages of hugetlbfs; or prints `none` if there are none
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIZE 0x200000

long work(long n);
/* The last instruction of the function and the first one of `single` have a single byte. */
asm(".text\n.balign 0x200000\n.type work,@function\nwork: lea 1(%rdi),%rax\nadd $2,%rax\ncall single\nret\n.size work, .-work\n"
    ".type single,@function\nsingle: push %rbp\nadd $3,%rax\npop %rbp\nret\n.size single, .-single\n.balign 0x200000");

static int call(void)
{
	int i;

	for (i = 0; i < 10; i++)
		if (work(i) != i + 6)
			return 1;
	return 0;
}

static int family(int depth)
{
	int status;

	if (call())
		return 1;
	if (!depth)
		return 0;
	if (!fork())
		_exit(family(depth - 1));
	return wait(&status) < 0 || status;
}

static int copy(int how)
{
	char *text = (char *)work, *kept = malloc(SIZE), *to;
	int fd = memfd_create("copy", 0), flags = MAP_FIXED;

	memcpy(kept, text, SIZE);
	if (fd < 0 || write(fd, kept, SIZE) != SIZE)
		abort();
	if (how == 's' || how == 'p') {
		flags |= how == 's' ? MAP_SHARED : MAP_PRIVATE;
		if (mmap(text, SIZE, PROT_READ | PROT_EXEC, flags, fd, 0) != text)
			abort();
	} else {
		flags = MAP_PRIVATE | MAP_ANONYMOUS | (how == 'h' ? MAP_HUGETLB : 0);
		to = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, flags, -1, 0);
		if (to == MAP_FAILED)
			return 1;
		munmap(to, SIZE);
		if (mmap(text, SIZE, PROT_READ | PROT_WRITE, flags | MAP_FIXED, -1, 0) != text)
			abort();
		memcpy(text, kept, SIZE);
		if (mprotect(text, SIZE, PROT_READ | PROT_EXEC))
			abort();
	}
	close(fd);
	free(kept);
	return 0;
}

int main(void)
{
	int c, bad = 0;

	setlinebuf(stdout);
	printf("ready\n");
	while ((c = getchar()) != EOF) {
		if (c == '\n')
			continue;
		if (c == 'c')
			bad |= call();
		else if (c == 'f')
			bad |= family(2);
		else if (copy(c))
			printf("none\n");
		printf("%c %s\n", c, bad ? "bad" : "well");
	}
	return bad;
}
