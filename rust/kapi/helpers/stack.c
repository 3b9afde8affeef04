// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks, walked while a probe fires: the kernel's by its own unwinder, which reads tables and nothing that is not on
 * a stack it knows; the user's by frame pointers, from memory that may be absent. Neither sleeps, locks or allocates.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/unaligned.h>
#include <asm/irq_regs.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>
#include <asm/unwind.h>
#include "kapi.h"

/* Of the breakpoint whose probe is served on this CPU; NULL: it came here otherwise. */
DEFINE_PER_CPU(struct pt_regs *, kapi_trap_regs);

/* Frames of ours, and of the kernel's way to us, that a walk may pass before it is where the probe fired. */
#define KAPI_OWN_FRAMES 64

static __always_inline bool kapi_is_ours(unsigned long ip)
{
	return within_module_mem_type(ip, THIS_MODULE, MOD_TEXT);
}

/* A breakpoint hit under the probe that asks, not one that an NMI came over: its registers are on this very stack. */
static __always_inline struct pt_regs *kapi_trapped(void)
{
	struct pt_regs *regs = this_cpu_read(kapi_trap_regs);
	unsigned long here = (unsigned long)__builtin_frame_address(0);

	return (unsigned long)regs - here < THREAD_SIZE ? regs : NULL;
}

/*
 * Begins a walk. `first` is a frame that it does not come by: where the registers are from, if it begins with some;
 * else 0. `copy` lives as long as the walk. False: there is no stack of the kernel's.
 */
static __always_inline bool kapi_walk_start(struct unwind_state *walk, struct pt_regs *copy, bool interrupt, u64 *first)
{
	struct pt_regs *regs = interrupt ? get_irq_regs() : kapi_trapped();
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
 * Frames of the kernel, the innermost first, without the `skip` first ones. `to` has room for `max` of 8 bytes, or is
 * NULL and they are only counted. Gives their number.
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
	/* It ends where the process came in: that address is the process's. */
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
 * A register where the probe is, by its place in struct pt_regs. An interrupt or a breakpoint has kept them all; of a
 * probe that was called only the tables know, and only where it stands and its stack.
 */
notrace bool kapi_stack_register(u32 n, bool interrupt, u64 *value)
{
	struct pt_regs *regs = interrupt ? get_irq_regs() : kapi_trapped();
	struct unwind_state walk;
	struct pt_regs copy;
	u64 ip;

	if (n >= sizeof(*regs) / 8)
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

/* A frame: the caller's frame pointer and the return address. */
static __always_inline bool kapi_user_frame(u64 fp, bool wide, u64 frame[2])
{
	u32 narrow[2];

	if (wide)
		return !kapi_read_user(frame, fp, 16);
	if (kapi_read_user(narrow, fp, 8))
		return false;
	frame[0] = narrow[0];
	frame[1] = narrow[1];
	return true;
}

/*
 * The same of the process, where it was when it came into the kernel. A thread of the kernel's has none. `entered`: at the
 * first instruction of a function, which has made no frame yet; where it returns to is on top of the stack.
 */
notrace u32 kapi_stack_user(u8 *to, u32 max, bool entered)
{
	struct pt_regs *regs = task_pt_regs(current);
	u64 frame[2], pc, fp, top;
	bool wide;
	u32 n = 0;

	if (!current->mm || (current->flags & (PF_KTHREAD | PF_EXITING)) || !user_mode(regs))
		return 0;
	wide = user_64bit_mode(regs);
	pc = regs->ip;
	fp = regs->bp;
	while (n < max && pc && pc < TASK_SIZE_MAX) {
		kapi_frame(to, n++, pc);
		if (entered && n < max) {
			entered = false;
			top = 0;
			if (kapi_read_user(&top, regs->sp, wide ? 8 : 4))
				break;
			pc = top;
			continue;
		}
		/* Callers are further up, so this ends; a register that holds no frame pointer ends it at once. */
		if (n >= max || !fp || (fp & (wide ? 7 : 3)) || fp >= TASK_SIZE_MAX - 16)
			break;
		if (!kapi_user_frame(fp, wide, frame))
			break;
		pc = frame[1];
		if (frame[0] <= fp)
			frame[0] = 0;
		fp = frame[0];
	}
	return n;
}
NOKPROBE_SYMBOL(kapi_stack_user);
