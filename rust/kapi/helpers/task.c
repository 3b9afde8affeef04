// SPDX-License-Identifier: GPL-2.0
/*
 * The current task, as probes see it: what needs a macro or an inline function. task.rs has the rest.
 */
#include <linux/fdtable.h>
#include <linux/kprobes.h>
#include <linux/nospec.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/security.h>
#include <asm/ptrace.h>
#include "kapi.h"

/*
 * Returns an address that may soon be invalid: another thread may close the file. 0: no such file.
 */
notrace u64 kapi_task_file(unsigned int fd)
{
	const struct files_struct *files = READ_ONCE(current->files);
	const struct fdtable *fdt;
	u64 file = 0;

	rcu_read_lock();
	fdt = files ? rcu_dereference_raw(files->fdt) : NULL;
	if (fdt && fd < fdt->max_fds)
		file = (unsigned long)rcu_dereference_raw(fdt->fd[array_index_nospec(fd, fdt->max_fds)]);
	rcu_read_unlock();
	return file;
}

/*
 * Bits of the preemption count that are clear while the task itself runs. PREEMPT_RT counts soft interrupts elsewhere,
 * so kapi_task_context has to be asked.
 */
const u32 kapi_over_task = IS_ENABLED(CONFIG_PREEMPT_RT) ? ~0U : NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET;

/* Returns a register by its index in struct pt_regs, which has 21. */
notrace u64 kapi_register_of(const struct pt_regs *regs, u32 n)
{
	BUILD_BUG_ON(offsetof(struct pt_regs, ip) != 16 * 8 || sizeof(*regs) != 21 * 8);
	/* The other bits that the processor keeps there are not part of the selector. */
	if (n == offsetof(struct pt_regs, cs) / 8 || n == offsetof(struct pt_regs, ss) / 8)
		return (u16)((const unsigned long *)regs)[n];
	return ((const unsigned long *)regs)[array_index_nospec(n, 21)];
}

/* Returns the registers of the last entry into the kernel, at the end of the task's stack. */
notrace const struct pt_regs *kapi_task_registers(void)
{
	return task_pt_regs(current);
}
NOKPROBE_SYMBOL(kapi_task_registers);

/* 0: the task itself, 1: a soft interrupt over it, 2: a hard one, 3: an NMI */
notrace u32 kapi_task_context(void)
{
	u32 count = preempt_count();

	/*
	 * exc_int3 counts a breakpoint as an NMI (irqentry_nmi_enter), but ours is no context of its own. A real NMI in its
	 * handler, or below it, remains: NMIs are counted up to 15, or, with one bit for them, as hard interrupts, too.
	 */
	if (this_cpu_read(kapi_trap_regs)) {
		count -= HARDIRQ_OFFSET;
		count = NMI_BITS > 1 ? count - NMI_OFFSET : count & ~NMI_MASK;
	}
	if (count & NMI_MASK)
		return 3;
	if (count & HARDIRQ_MASK)
		return 2;
	return in_serving_softirq();
}

/* Tells whether a signal ends the task. */
bool kapi_task_is_dying(void)
{
	return fatal_signal_pending(current);
}

/* what: an enum lockdown_reason. */
int kapi_locked_down(unsigned int what)
{
	return security_locked_down(what);
}
