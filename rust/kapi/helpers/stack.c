// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks, walked while a probe fires: the kernel's by its own unwinder, which reads tables and nothing that is not on
 * a stack it knows. For the user's, which others walk, what is mapped where. Nothing sleeps, locks or allocates.
 */
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/maple_tree.h>
#include <linux/mm_types.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/unaligned.h>
#include <asm/irq_regs.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <asm/text-patching.h>
#include <asm/unwind.h>
#include <asm/vdso.h>
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

/* The interrupted registers. counter.c has stored those of a counted event, which may be an NMI: get_irq_regs() knows none. */
static __always_inline struct pt_regs *kapi_interrupted(void)
{
	return this_cpu_read(kapi_over_regs) ?: get_irq_regs();
}

/* perf fills in only ip and sp for events of the kernel such as a context switch (perf_arch_fetch_caller_regs()). */
static __always_inline bool kapi_is_made_up(const struct pt_regs *regs)
{
	return !(regs->flags & X86_EFLAGS_FIXED);
}

/*
 * Begins a walk. `first` is a frame that it does not come by: where the registers are from, if it begins with some;
 * else 0. `copy` lives as long as the walk. False: there is no stack of the kernel's.
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

/*
 * The inode that /proc/PID/maps tells of. Whoever unmaps a file may close it, and it be another one before we have looked:
 * what it had is kept for readers under RCU, but it may have nothing yet.
 */
static notrace const struct inode *kapi_user_inode(const struct file *file)
{
	const struct dentry *dentry;

	if (!(READ_ONCE(file->f_mode) & FMODE_BACKING))
		return READ_ONCE(file->f_inode);
	dentry = READ_ONCE(backing_file_user_path(file)->dentry);
	return dentry ? READ_ONCE(dentry->d_inode) : NULL;
}

/*
 * What is mapped at an address of the current process, if it can be run. The tree of its mappings is read as the
 * kernel's own readers without locks do: under RCU, while others change it. What is found there lives on that long;
 * it may have become another mapping meanwhile, of which the last look tells.
 */
notrace bool kapi_stack_mapping(u64 addr, struct kapi_code_mapping *to)
{
	struct mm_struct *mm = current->mm;
	const struct vdso_image *vdso;
	const struct inode *inode;
	struct vm_area_struct *vma;
	bool found = false;
	struct file *file;

	if (!mm || addr >= TASK_SIZE_MAX || !rcu_is_watching())
		return false;
	memset(to, 0, sizeof(*to));
	vdso = mm->context.vdso_image;
	to->start = (unsigned long)mm->context.vdso;
	if (vdso && addr - to->start < vdso->size) {
		to->end = to->start + vdso->size;
		to->is_object = true;
		return true;
	}
	rcu_read_lock();
	{
		MA_STATE(mas, &mm->mm_mt, addr, addr);

		vma = mas_walk(&mas);
	}
	if (!vma || !(READ_ONCE(vma->vm_flags) & VM_EXEC))
		goto out;
	file = READ_ONCE(vma->vm_file);
	if (file) {
		inode = kapi_user_inode(file);
		if (!inode)
			goto out;
		to->inode = inode->i_ino;
		to->modified_s = inode_get_mtime_sec(inode);
		to->modified_ns = inode_get_mtime_nsec(inode);
		to->device = inode->i_sb->s_dev;
		to->offset = (u64)READ_ONCE(vma->vm_pgoff) << PAGE_SHIFT;
		to->is_object = true;
	}
	to->start = READ_ONCE(vma->vm_start);
	to->end = READ_ONCE(vma->vm_end);
	found = READ_ONCE(vma->vm_mm) == mm && to->start <= addr && addr < to->end && READ_ONCE(vma->vm_file) == file;
out:
	rcu_read_unlock();
	return found;
}
NOKPROBE_SYMBOL(kapi_stack_mapping);
