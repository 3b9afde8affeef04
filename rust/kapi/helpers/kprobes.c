// SPDX-License-Identifier: GPL-2.0
/* The kprobes near bytes that we write, whose flags no binding has. */
#include <linux/kprobes.h>
#include "text.h"

/* A jump of an optimized kprobe replaces so many bytes (kernel/kprobes.c, arch/x86/kernel/kprobes/opt.c). */
#define KAPI_OPTIMIZED 5

/*
 * Returns the kprobe that has, or may yet write, the byte at addr as its breakpoint; NULL: there is none.
 * One that is disabled may, as well as one that waits to be optimized. ftrace serves the others: they write
 * nothing. get is get_kprobe(). Under kprobe_mutex.
 */
static const struct kprobe *kapi_kprobe(unsigned long get, u64 addr)
{
	const struct kprobe *p = (const void *)kapi_call4(get, addr, 0, 0, 0);

	return p && !(p->flags & (KPROBE_FLAG_FTRACE | KPROBE_FLAG_GONE)) ? p : NULL;
}

/* Tells whether there is such a kprobe. */
bool kapi_kprobe_at(unsigned long get, u64 addr)
{
	return kapi_kprobe(get, addr);
}

/* Returns the byte that its breakpoint hides; -1: there is none. */
int kapi_kprobe_hides(unsigned long get, u64 addr)
{
	const struct kprobe *p = kapi_kprobe(get, addr);

	return p ? p->opcode : -1;
}

/* Tells whether there is one for each of the bytes [addr, addr + len), and for the jumps of optimized kprobes. */
bool kapi_kprobe_near(unsigned long get, u64 addr, size_t len)
{
	u64 at;

	for (at = addr - (KAPI_OPTIMIZED - 1); at < addr + len; at++) {
		if (kapi_kprobe_at(get, at))
			return true;
	}
	return false;
}
