// SPDX-License-Identifier: GPL-2.0
/*
 * For LD_PRELOAD: lets one allocation of the kernel fail in an ioctl, by fail-nth of the calling
 * thread (Documentation/fault-injection/fault-injection.rst). NTH in the environment names the call:
 *
 *	ENABLE, GO, close	Before the command does its own, other consumers do the same with its
 *				arguments, one for each allocation that can fail in it, or for some of
 *				the later ones if SOME is in the environment. Prints the number of
 *				allocations, and of calls that failed.
 *	MAKE, ADD		The N-th allocation of the program's own call fails; N is in the environment.
 *				Prints "done" if the call has fewer, otherwise 0 or the errno.
 *
 * The text goes to the file that OUT names. A call may fail with ENOMEM, and with EFAULT because the
 * kernel can also refuse to copy. The structures are those of rust/abi.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct enable { uint64_t dof, size; uint32_t matched, pad; };
struct go { uint32_t cpu, left_out; uint64_t sizes[4]; uint32_t probes, pad; };

#define ENABLE _IOWR('d', 6, struct enable)
#define GO _IOWR('d', 12, struct go)
#define MAKE 40
#define ADD 3

static int (*call)(int, unsigned long, void *);
static const char *nth;
static struct enable enable;

static void say(const char *format, ...)
{
	FILE *out = fopen(getenv("OUT"), "a");
	va_list args;

	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
	fclose(out);
}

/* The kernel counts down to the allocation that fails; 0: none does. */
static void arm(int fail, unsigned n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(fail, text, len, 0) != len)
		_exit(99);
}

/* Returns whether the allocation failed in the call. If the question fails, it was there instead. */
static int disarm(int fail)
{
	char left[16] = "";
	const int asked = pread(fail, left, sizeof(left) - 1, 0) > 0;

	arm(fail, 0);
	return asked && atoi(left) == 0;
}

/* A consumer. Returns whether the n-th allocation of the call has failed; *error is the call's. */
static int once(int fail, unsigned n, const struct go *as, int *error)
{
	int fd = open("/dev/dtrace/dtrace", O_RDWR), failed = 0, r;
	struct enable e = enable;
	struct go go;

	if (fd < 0)
		_exit(98);
	if (!strcmp(nth, "ENABLE"))
		arm(fail, n);
	r = call(fd, ENABLE, &e);
	*error = r < 0 ? errno : 0;
	if (!strcmp(nth, "ENABLE"))
		failed = disarm(fail);
	else if (r < 0)
		_exit(97);
	if (as) {
		go = *as;
		if (!strcmp(nth, "GO"))
			arm(fail, n);
		r = call(fd, GO, &go);
		*error = r < 0 ? errno : 0;
		if (!strcmp(nth, "GO"))
			failed = disarm(fail);
		else if (r < 0)
			_exit(96);
	}
	if (!strcmp(nth, "close"))
		arm(fail, n);
	close(fd);
	if (!strcmp(nth, "close"))
		failed = disarm(fail);
	return failed;
}

static void sweep(int fail, const struct go *go)
{
	unsigned n, errors = 0;
	int error;

	for (n = 1; once(fail, n, go, &error); n += getenv("SOME") ? 1 + n / 8 : 1) {
		errors += error != 0;
		if (error && error != ENOMEM && error != EFAULT) {
			say("%s, allocation %u: %s\n", nth, n, strerror(error));
			_exit(95);
		}
	}
	say("%s %u %u\n", nth, n - 1, errors);
}

int ioctl(int fd, unsigned long what, ...)
{
	va_list args;
	void *arg;
	int fail, r, failed;

	va_start(args, what);
	arg = va_arg(args, void *);
	va_end(args);
	if (!call) {
		call = dlsym(RTLD_NEXT, "ioctl");
		nth = getenv("NTH");
	}
	fail = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fail < 0)
		_exit(94);
	if (what == ENABLE) {
		enable = *(struct enable *)arg;
		enable.dof = (uintptr_t)memcpy(malloc(enable.size), (void *)enable.dof, enable.size);
		if (!strcmp(nth, "ENABLE"))
			sweep(fail, NULL);
	}
	if (what == GO && (!strcmp(nth, "GO") || !strcmp(nth, "close")))
		sweep(fail, arg);
	if (!(_IOC_TYPE(what) == 'd' && _IOC_NR(what) == MAKE && !strcmp(nth, "MAKE")) &&
	    !(_IOC_TYPE(what) == 'h' && _IOC_NR(what) == ADD && !strcmp(nth, "ADD"))) {
		close(fail);
		return call(fd, what, arg);
	}
	arm(fail, atoi(getenv("N")));
	r = call(fd, what, arg);
	failed = disarm(fail);
	say(failed ? "%d\n" : "done\n", r < 0 ? errno : 0);
	close(fail);
	return r;
}
