// SPDX-License-Identifier: GPL-2.0
/* System calls: the function that serves each number, from this kernel's own tables. */
#include <linux/array_size.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/processor.h>
#include <asm/ptrace.h>
#include <asm/thread_info.h>
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

/* Tells whether the current thread has entered the kernel by a call of 32-bit processes. */
notrace bool kapi_syscall_is_ia32(void)
{
	return in_ia32_syscall();
}
NOKPROBE_SYMBOL(kapi_syscall_is_ia32);

u32 kapi_syscall_count(bool ia32)
{
	return ia32 ? ARRAY_SIZE(kapi_ia32) : ARRAY_SIZE(kapi_x64);
}
