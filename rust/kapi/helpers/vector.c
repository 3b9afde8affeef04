// SPDX-License-Identifier: GPL-2.0
/*
 * The vector registers of the current thread's program. While TIF_NEED_FPU_LOAD is clear they are
 * in the processor. kernel_fpu_begin() and a switch to another thread store them in the thread's
 * fpstate and set the flag; the return to the program loads them again
 * (arch/x86/kernel/fpu/core.c). Interrupts are off from the look at the flag to the load: the
 * handler of an interrupt may call kernel_fpu_begin(), but that of an NMI may not.
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/fpu/types.h>
#include <asm/processor.h>
#include <asm/thread_info.h>
#include "kapi.h"

#define KAPI_LOAD(n) \
	case n: \
		asm volatile("movq %%xmm" #n ", %0" : "=r"(value)); \
		break

static __always_inline u64 kapi_vector_loaded(u32 n)
{
	u64 value = 0;

	switch (n) {
	KAPI_LOAD(0);
	KAPI_LOAD(1);
	KAPI_LOAD(2);
	KAPI_LOAD(3);
	KAPI_LOAD(4);
	KAPI_LOAD(5);
	KAPI_LOAD(6);
	KAPI_LOAD(7);
	KAPI_LOAD(8);
	KAPI_LOAD(9);
	KAPI_LOAD(10);
	KAPI_LOAD(11);
	KAPI_LOAD(12);
	KAPI_LOAD(13);
	KAPI_LOAD(14);
	KAPI_LOAD(15);
	}
	return value;
}

static __always_inline u64 kapi_vector_stored(u32 n)
{
	/* As x86_task_fpu(), which is not exported if CONFIG_X86_DEBUG_FPU makes it a function. */
	const struct fpu *fpu = (const void *)current + sizeof(*current);
	const union fpregs_state *regs = &fpu->fpstate->regs;

	/* XSAVE does not write a register that has its initial value: 0. */
	if (boot_cpu_has(X86_FEATURE_XSAVE) && !(regs->xsave.header.xfeatures & XFEATURE_MASK_SSE))
		return 0;
	return regs->fxsave.xmm_space[n * 4] | (u64)regs->fxsave.xmm_space[n * 4 + 1] << 32;
}

/* Returns the low half of %xmm0 to %xmm15; 0 for any other number. */
notrace u64 kapi_user_vector(u32 n)
{
	unsigned long flags;
	u64 value;

	if (n > 15 || (current->flags & PF_KTHREAD))
		return 0;
	raw_local_irq_save(flags);
	value = test_thread_flag(TIF_NEED_FPU_LOAD) ? kapi_vector_stored(n) : kapi_vector_loaded(n);
	raw_local_irq_restore(flags);
	return value;
}
NOKPROBE_SYMBOL(kapi_user_vector);
