// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks, walked while a probe fires. The kernel's own unwinder walks the kernel's; it reads
 * tables, and only stacks that it knows. User stacks are walked elsewhere (maps.c). Nothing here
 * sleeps, locks or allocates.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/unaligned.h>
#include <asm/irq_regs.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>
#include <asm/unwind.h>
#include "kapi.h"

/*
 * The registers of the breakpoint whose probe is served on this CPU; NULL: no breakpoint led here.
 */
DEFINE_PER_CPU(struct pt_regs *, kapi_trap_regs);

/*
 * The most frames, of our code and of the kernel's path to it, above the place where the probe
 * fired.
 */
#define KAPI_OWN_FRAMES 64

static __always_inline bool kapi_is_ours(unsigned long ip)
{
	return within_module_mem_type(ip, THIS_MODULE, MOD_TEXT);
}

/*
 * Returns the registers of the breakpoint that the asking probe hit, or NULL. An NMI may have
 * interrupted the probe of a breakpoint; the registers of that one are not on this stack.
 */
static __always_inline struct pt_regs *kapi_trapped(void)
{
	struct pt_regs *regs = this_cpu_read(kapi_trap_regs);
	unsigned long here = (unsigned long)__builtin_frame_address(0);

	return (unsigned long)regs - here < THREAD_SIZE ? regs : NULL;
}

/*
 * Returns the interrupted registers. counter.c has stored those of a counted event: that may be an
 * NMI, for which get_irq_regs() has none.
 */
static __always_inline struct pt_regs *kapi_interrupted(void)
{
	return this_cpu_read(kapi_over_regs) ?: get_irq_regs();
}

/*
 * perf fills in only ip and sp for events of the kernel such as a context switch
 * (perf_arch_fetch_caller_regs()).
 */
static __always_inline bool kapi_is_made_up(const struct pt_regs *regs)
{
	return !(regs->flags & X86_EFLAGS_FIXED);
}

/*
 * Begins a walk. If it begins with saved registers, `first` is their ip, a frame that the walk does
 * not visit; else 0. `copy` must live as long as the walk. Returns false if there is no kernel
 * stack.
 */
static __always_inline bool kapi_walk_start(struct unwind_state *walk, struct pt_regs *copy, bool interrupt, u64 *first)
{
	struct pt_regs *regs = interrupt ? kapi_interrupted() : kapi_trapped();
	unsigned int n;

	if (regs) {
		if (user_mode(regs))
			return false;
		if (!interrupt) {
			/* The tables say where the stack is before the instruction that a breakpoint hides. */
			*copy = *regs;
			copy->ip -= INT3_INSN_SIZE;
			regs = copy;
		}
		*first = regs->ip;
		if (kapi_is_made_up(regs))
			unwind_start(walk, current, NULL, (void *)regs->sp);
		else
			unwind_start(walk, current, regs, NULL);
		return true;
	}
	*first = 0;
	unwind_start(walk, current, NULL, NULL);
	for (n = 0; n < KAPI_OWN_FRAMES && !unwind_done(walk) && kapi_is_ours(walk->ip); n++)
		unwind_next_frame(walk);
	return true;
}

static __always_inline void kapi_frame(u8 *to, u32 n, u64 ip)
{
	if (to)
		put_unaligned(ip, (u64 *)(to + 8 * n));
}

/*
 * Stores the addresses of the kernel's frames, the innermost first, without the first `skip`. `to`
 * has room for `max` addresses of 8 bytes, or is NULL to count only. Returns the number of frames.
 */
notrace u32 kapi_stack_kernel(u8 *to, u32 max, u32 skip, bool interrupt)
{
	struct unwind_state walk;
	struct pt_regs copy;
	u32 n = 0;
	u64 ip;

	if (!kapi_walk_start(&walk, &copy, interrupt, &ip))
		return 0;
	if (ip) {
		if (skip)
			skip--;
		else if (max)
			kapi_frame(to, n++, ip);
	}
	/* The walk ends where the process entered the kernel: the next address is the process's. */
	for (; n < max && !unwind_done(&walk) && walk.ip >= TASK_SIZE_MAX; unwind_next_frame(&walk)) {
		if (skip)
			skip--;
		else
			kapi_frame(to, n++, walk.ip);
	}
	return n;
}
NOKPROBE_SYMBOL(kapi_stack_kernel);

/*
 * Reads a register at the probe, by its index in struct pt_regs. An interrupt or a breakpoint has
 * saved all of them. For a probe that was called, the tables give only ip and sp.
 */
notrace bool kapi_stack_register(u32 n, bool interrupt, u64 *value)
{
	struct pt_regs *regs = interrupt ? kapi_interrupted() : kapi_trapped();
	struct unwind_state walk;
	struct pt_regs copy;
	u64 ip;

	if (n >= sizeof(*regs) / 8)
		return false;
	if (regs && kapi_is_made_up(regs) && n != offsetof(struct pt_regs, ip) / 8 && n != offsetof(struct pt_regs, sp) / 8)
		return false;
	if (regs) {
		*value = kapi_register_of(regs, n);
		if (!interrupt && n == offsetof(struct pt_regs, ip) / 8)
			*value -= INT3_INSN_SIZE;
		return true;
	}
	if (interrupt || !kapi_walk_start(&walk, &copy, false, &ip) || unwind_done(&walk))
		return false;
	if (n == offsetof(struct pt_regs, ip) / 8)
		*value = walk.ip - CALL_INSN_SIZE;
	else if (n == offsetof(struct pt_regs, sp) / 8)
		*value = walk.sp;
	else
		return false;
	return true;
}
NOKPROBE_SYMBOL(kapi_stack_register);
