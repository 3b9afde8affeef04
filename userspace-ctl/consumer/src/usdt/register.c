// SPDX-License-Identifier: GPL-2.0
/*
 * This is part of every program and library with probes. It registers the probes with the kernel
 * before main, or when the library is loaded, and removes them when the library is unloaded. Without
 * the module nothing happens. When the process ends it makes no call: the kernel notices the end,
 * and a program that has restricted itself (seccomp) may be killed for any system call.
 *
 *	DTRACE_DOF_INIT_DISABLE		do not register
 *	DTRACE_DOF_INIT_DEBUG		report what happens
 *	DTRACE_DOF_INIT_DEVNAME		use another device than /dev/dtrace/helper
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

/* -G replaces the content. */
asm(".pushsection .SUNW_dof, \"a\", @progbits\n.balign 8\ndtrace_dof: .8byte 0\n.popsection");
extern const unsigned char dtrace_dof[] __attribute__((visibility("hidden")));

static struct helper helper;
static int generation = -1;
/* closing: this object's destructors run. ending: they run because the process ends. */
static int closing, ending;

static int contains(const struct dl_phdr_info *info)
{
	uintptr_t at = (uintptr_t)dtrace_dof - info->dlpi_addr;
	int i;

	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD && at - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz)
			return 1;
	return 0;
}

static int find_name(struct dl_phdr_info *info, size_t size, void *name)
{
	(void)size;
	if (!contains(info))
		return 0;
	*(const char **)name = info->dlpi_name;
	return 1;
}

/* Writes the name of the file that contains this code, without its folder. */
static void name_module(char *module, size_t room)
{
	char path[4096];
	const char *name = "";
	ssize_t n;

	dl_iterate_phdr(find_name, &name);
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

/* The objects of the process, the program first. */
#define MOST_OBJECTS 512
struct objects {
	struct object {
		const char *name, *strings;
		const ElfW(Dyn) *dynamic;
		int stays;
	} all[MOST_OBJECTS];
	int n, own;
};

static int collect(struct dl_phdr_info *info, size_t size, void *data)
{
	struct objects *objects = data;
	struct object *object = &objects->all[objects->n];
	const ElfW(Dyn) *d;
	int i;

	(void)size;
	if (objects->n == MOST_OBJECTS)
		return 1;
	if (contains(info))
		objects->own = objects->n;
	objects->n++;
	object->name = info->dlpi_name;
	for (i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			object->dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (d = object->dynamic; d && d->d_tag != DT_NULL; d++)
		/* Some dynamic linkers write an address here, others leave the file's value. */
		if (d->d_tag == DT_STRTAB)
			object->strings = (const char *)(d->d_un.d_ptr < info->dlpi_addr ? info->dlpi_addr : 0) + d->d_un.d_ptr;
	if (!object->strings)
		object->dynamic = NULL;
	return 0;
}

static const char *base(const char *path)
{
	return strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
}

static int is_called(const struct object *object, const char *name)
{
	const ElfW(Dyn) *d;

	for (d = object->dynamic; d && d->d_tag != DT_NULL; d++)
		if (d->d_tag == DT_SONAME && !strcmp(object->strings + d->d_un.d_val, name))
			return 1;
	return !strcmp(base(object->name), base(name));
}

/*
 * Tells whether this is the program or a library linked to it, directly or indirectly: those are
 * never unloaded.
 */
static int stays(void)
{
	struct objects objects = { .own = -1 };
	int i, k, more = 1;

	if (dl_iterate_phdr(collect, &objects) || objects.own < 0)
		return 0;
	objects.all[0].stays = 1;
	while (more && !objects.all[objects.own].stays) {
		more = 0;
		for (i = 0; i < objects.n; i++) {
			const ElfW(Dyn) *d = objects.all[i].stays == 1 ? objects.all[i].dynamic : NULL;

			for (; d && d->d_tag != DT_NULL; d++)
				for (k = 0; d->d_tag == DT_NEEDED && k < objects.n; k++)
					if (!objects.all[k].stays && is_called(&objects.all[k], objects.all[i].strings + d->d_un.d_val))
						more = objects.all[k].stays = 1;
			if (objects.all[i].stays)
				objects.all[i].stays = 2;
		}
	}
	return objects.all[objects.own].stays;
}

/* From the compiler's start files, if the object is linked with them. */
extern void *__dso_handle __attribute__((weak, visibility("hidden")));
extern int __cxa_atexit(void (*function)(void *), void *arg, void *of) __attribute__((weak));

/*
 * When the process ends, the C library calls this before the destructors of this object, except in
 * objects that existed before the C library had any such function to call; those are never unloaded.
 * When this object is unloaded, the compiler's own destructor calls this, after the destructors
 * without a priority.
 */
static void leave(void *unused)
{
	(void)unused;
	ending = !closing;
}

__attribute__((destructor)) static void close_first(void)
{
	closing = 1;
}

__attribute__((constructor(101))) static void begin(void)
{
	int error = errno;

	if (secure_getenv("DTRACE_DOF_INIT_DISABLE"))
		return;
	name_module(helper.module, sizeof(helper.module));
	helper.dof = (uintptr_t)dtrace_dof;
	generation = tell(ADD, &helper, "registered");
	if (generation >= 0 && &__dso_handle && __cxa_atexit)
		__cxa_atexit(leave, NULL, &__dso_handle);
	errno = error;
}

__attribute__((destructor(101))) static void end(void)
{
	int error = errno;

	if (generation >= 0 && !ending && !stays())
		tell(REMOVE, (void *)(intptr_t)generation, "removed");
	generation = -1;
	errno = error;
}
