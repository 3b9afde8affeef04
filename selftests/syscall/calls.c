// SPDX-License-Identifier: GPL-2.0
/* calls N: makes some system calls N times each, in each way. The tests know the counts. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Makes a system call in the way of a 32-bit process. */
static long int80(long nr, long a, long b, long c)
{
	long ret;

	asm volatile("int $0x80" : "=a"(ret) : "0"(nr), "b"(a), "c"(b), "d"(c) : "memory", "r8", "r9", "r10", "r11");
	return ret;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, i, fds[2], file;
	/* 32-bit calls take addresses below 4 GiB. */
	char *low = mmap((void *)0x10000000, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (low == MAP_FAILED || pipe(fds))
		return 1;
	strcpy(low, "/nonexistent/low");
	file = open("/proc/self/exe", O_RDONLY);
	for (i = 0; i < n; i++) {
		syscall(SYS_getppid);
		syscall(SYS_getppid);
		if (write(fds[1], low, 7) != 7 || read(fds[0], low + 100, 100) != 7)
			return 2;
		if (pread(file, low + 100, 4, 1) != 4)
			return 3;
		/* This call must fail. */
		if (syscall(SYS_openat, AT_FDCWD, low, 3, 4) != -1 || errno != ENOENT)
			return 4;
		if (syscall(SYS_close, 1000) != -1 || errno != EBADF)
			return 5;
		if (int80(64, 0, 0, 0) != getppid())
			return 6;
		if (int80(4, fds[1], (long)low, 5) != 5 || int80(3, fds[0], (long)low + 100, 100) != 5)
			return 7;
		if (int80(5, (long)low, 0, 0) != -ENOENT)
			return 8;
		if (syscall(SYS_lseek, file, 12345, SEEK_SET) != 12345)
			return 9;
		if (!fork())
			_exit(0);
		wait(NULL);
	}
	return 0;
}
