// SPDX-License-Identifier: GPL-2.0
/*
 * Programs hit a breakpoint or get a signal: inline functions and macros read what happened. And the
 * works by which Rust is called later; a Rust static cannot hold one yet. events.rs has the rest.
 */
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/workqueue.h>
#include "kapi.h"

/*
 * A process has hit a breakpoint. Interrupts are off, and the CPU ran the program, not the kernel.
 */
static int notrace kapi_user_breakpoint(struct notifier_block *nb, unsigned long what, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;

	if (what != DIE_INT3 || !user_mode(regs))
		return NOTIFY_DONE;
	return kapi_user_trapped(regs) ? NOTIFY_STOP : NOTIFY_DONE;
}
NOKPROBE_SYMBOL(kapi_user_breakpoint);

static struct notifier_block kapi_user_nb = {
	.notifier_call = kapi_user_breakpoint,
	.priority = INT_MAX,
};

int kapi_user_breakpoints_on(void)
{
	return register_die_notifier(&kapi_user_nb);
}

void kapi_user_breakpoints_off(void)
{
	unregister_die_notifier(&kapi_user_nb);
}

/*
 * TP_PROTO(int sig, struct kernel_siginfo *info, struct k_sigaction *ka): the signal's handler is
 * about to be called.
 */
void notrace kapi_signal_delivered(void *data, int sig, struct kernel_siginfo *info, struct k_sigaction *ka)
{
	struct pt_regs *regs = task_pt_regs(current);
	u64 ip = regs->ip;
	bool raised;

	if (!current->mm || (current->flags & PF_KTHREAD) || !user_mode(regs))
		return;
	/* SEND_SIG_NOINFO and SEND_SIG_PRIV are no pointers. */
	raised = kapi_user_signalled(regs, sig, (unsigned long)info > 1 ? info->si_code : 0);
	if (raised && regs->ip != ip && (unsigned long)info->si_addr == ip)
		info->si_addr = (void __user *)regs->ip;
}

static void kapi_spaces_look(struct work_struct *work)
{
	kapi_user_ended();
}
static DECLARE_WORK(kapi_spaces_work, kapi_spaces_look);

/* Has kapi_user_ended() called soon. */
notrace void kapi_spaces_changed(void)
{
	schedule_work(&kapi_spaces_work);
}

static void kapi_again(struct work_struct *work)
{
	kapi_user_again();
}
static DECLARE_DELAYED_WORK(kapi_again_work, kapi_again);

/* Has kapi_user_again() called once, after this time. */
void kapi_user_later(u32 ms)
{
	mod_delayed_work(system_percpu_wq, &kapi_again_work, msecs_to_jiffies(ms));
}

static void kapi_shadows_look(struct work_struct *work)
{
	kapi_user_shadowed();
}
static DECLARE_WORK(kapi_shadows_work, kapi_shadows_look);

/*
 * Has kapi_user_shadowed() called soon. Interrupts may be off, but the CPU was running a program.
 * The program may do nothing but hit a breakpoint until then, with a high priority on this CPU:
 * another CPU may run the work.
 */
notrace void kapi_shadows_seen(void)
{
	queue_work(system_dfl_wq, &kapi_shadows_work);
}

/* Nobody has them called any more. May sleep. */
void kapi_user_works_end(void)
{
	cancel_work_sync(&kapi_shadows_work);
	cancel_work_sync(&kapi_spaces_work);
	cancel_delayed_work_sync(&kapi_again_work);
}
