// SPDX-License-Identifier: GPL-2.0
/*
 * Goes into every program and library with probes: tells the kernel of them before main, or as the library is loaded,
 * and that they are gone as it is unloaded. Without the module nothing happens.
 *
 *	DTRACE_DOF_INIT_DISABLE		do not
 *	DTRACE_DOF_INIT_DEBUG		say what happens
 *	DTRACE_DOF_INIT_DEVNAME		another device than /dev/dtrace/helper
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* abi::helper: ADD and REMOVE. */
struct helper {
	char module[64];
	uint64_t addr;
	uint64_t dof;
};
#define ADD	_IOW('h', 3, struct helper)
#define REMOVE	_IO('h', 2)

/* -G replaces it. */
asm(".pushsection .SUNW_dof, \"a\", @progbits\n.balign 8\ndtrace_dof: .8byte 0\n.popsection");
extern const unsigned char dtrace_dof[] __attribute__((visibility("hidden")));

static struct helper helper;
static int generation = -1;

static int contains(struct dl_phdr_info *info, size_t size, void *name)
{
	uintptr_t at = (uintptr_t)dtrace_dof - info->dlpi_addr;
	int i;

	(void)size;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && at - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz) {
			*(const char **)name = info->dlpi_name;
			return 1;
		}
	return 0;
}

/* The file that this is part of, without its folder. */
static void name_module(char *module, size_t room)
{
	char path[4096];
	const char *name = "";
	ssize_t n;

	dl_iterate_phdr(contains, &name);
	if (!*name) {
		n = readlink("/proc/self/exe", path, sizeof(path) - 1);
		path[n > 0 ? n : 0] = 0;
		name = path;
	}
	if (strrchr(name, '/'))
		name = strrchr(name, '/') + 1;
	if (!*name)
		name = "a.out";
	memcpy(module, name, strnlen(name, room - 1));
}

static int tell(unsigned long what, const void *arg, const char *said)
{
	const char *device = secure_getenv("DTRACE_DOF_INIT_DEVNAME");
	int fd, result = -1, error;

	if (!device)
		device = "/dev/dtrace/helper";
	fd = open(device, O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		result = ioctl(fd, what, arg);
	error = errno;
	if (secure_getenv("DTRACE_DOF_INIT_DEBUG"))
		dprintf(2, "dtrace DOF %s: %s: %s\n", helper.module, said, result < 0 ? strerror(error) : device);
	if (fd >= 0)
		close(fd);
	return result;
}

__attribute__((constructor(101))) static void begin(void)
{
	int error = errno;

	if (secure_getenv("DTRACE_DOF_INIT_DISABLE"))
		return;
	name_module(helper.module, sizeof(helper.module));
	helper.dof = (uintptr_t)dtrace_dof;
	generation = tell(ADD, &helper, "registered");
	errno = error;
}

__attribute__((destructor(101))) static void end(void)
{
	int error = errno;

	if (generation >= 0)
		tell(REMOVE, (void *)(intptr_t)generation, "removed");
	generation = -1;
	errno = error;
}
