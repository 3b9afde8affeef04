// SPDX-License-Identifier: GPL-2.0
/*
 * System calls: the function that serves each number, from this kernel's own tables, and the
 * arguments of the process. On entry to every call the registers of the process are at the end of
 * the task's stack, so they can be read if, and only if, the function was passed that address.
 */
#include <linux/array_size.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include "kapi.h"

static const char *const kapi_x64[] = {
#define __SYSCALL(nr, sym) [nr] = "__x64_" #sym,
#define __SYSCALL_NORETURN(nr, sym) [nr] = "__x64_" #sym,
#include <asm/syscalls_64.h>
#undef __SYSCALL
#undef __SYSCALL_NORETURN
};

#ifdef CONFIG_IA32_EMULATION
static const char *const kapi_ia32[] = {
#define __SYSCALL(nr, sym) [nr] = "__ia32_" #sym,
#define __SYSCALL_NORETURN(nr, sym) [nr] = "__ia32_" #sym,
#define __SYSCALL_WITH_COMPAT(nr, native, compat) [nr] = "__ia32_" #compat,
#include <asm/syscalls_32.h>
};
#else
static const char *const kapi_ia32[] = { NULL };
#endif

/* NULL: the number has none. Higher numbers may have one, up to kapi_syscall_count(). */
const char *kapi_syscall_symbol(bool ia32, u32 nr)
{
	if (nr >= kapi_syscall_count(ia32))
		return NULL;
	return ia32 ? kapi_ia32[nr] : kapi_x64[nr];
}

u32 kapi_syscall_count(bool ia32)
{
	return ia32 ? ARRAY_SIZE(kapi_ia32) : ARRAY_SIZE(kapi_x64);
}

/* regs: the argument of the function. If a system call is not passed that, nothing is written. */
notrace void kapi_syscall_args(u64 regs, bool ia32, u64 *to)
{
	const struct pt_regs *r = task_pt_regs(current);

	if ((unsigned long)r != regs)
		return;
	if (ia32) {
		to[0] = (u32)r->bx;
		to[1] = (u32)r->cx;
		to[2] = (u32)r->dx;
		to[3] = (u32)r->si;
		to[4] = (u32)r->di;
		to[5] = (u32)r->bp;
	} else {
		to[0] = r->di;
		to[1] = r->si;
		to[2] = r->dx;
		to[3] = r->r10;
		to[4] = r->r8;
		to[5] = r->r9;
	}
}
NOKPROBE_SYMBOL(kapi_syscall_args);

/* Returns the number of the call that the task is in, if it is in one. */
notrace u32 kapi_syscall_number(void)
{
	return task_pt_regs(current)->orig_ax;
}
NOKPROBE_SYMBOL(kapi_syscall_number);
