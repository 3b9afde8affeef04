// SPDX-License-Identifier: GPL-2.0
/*
 * The events of programs: they hit a breakpoint, get a signal, are copied by fork (children.c),
 * execute another program, or end.
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
#include <linux/tracepoint.h>
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

/*
 * TP_PROTO(int sig, struct kernel_siginfo *info, struct k_sigaction *ka): the signal's handler is
 * about to be called.
 */
static void notrace kapi_signal_delivered(void *data, int sig, struct kernel_siginfo *info, struct k_sigaction *ka)
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

static bool kapi_user_watching;

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
	if (kapi_user_watching)
		mod_delayed_work(system_percpu_wq, &kapi_again_work, msecs_to_jiffies(ms));
}

/*
 * TP_PROTO(struct task_struct *p): the thread is gone, and with the last one of a process its
 * memory.
 */
static void notrace kapi_task_freed(void *data, struct task_struct *p)
{
	kapi_spaces_changed();
}

/*
 * TP_PROTO(struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm): the process has other
 * memory now.
 */
static void notrace kapi_executed(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	kapi_spaces_changed();
}

static struct kapi_hook kapi_user_hooks[] = {
	{ .name = "signal_deliver", .probe = kapi_signal_delivered },
	{ .name = "sched_process_fork", .probe = kapi_forked },
	{ .name = "sched_process_exec", .probe = kapi_executed },
	{ .name = "sched_process_free", .probe = kapi_task_freed },
};

/*
 * From now on, all these events are reported. Calls of this and of kapi_user_unwatch() do not
 * overlap.
 */
int kapi_user_watch(void)
{
	int err = 0, i;

	if (kapi_user_watching)
		return 0;
	err = kapi_children_reserve();
	if (err)
		return err;
	err = kapi_unmaps_begin();
	if (err) {
		kapi_children_free();
		return err;
	}
	err = register_die_notifier(&kapi_user_nb);
	for (i = 0; !err && i < ARRAY_SIZE(kapi_user_hooks); i++)
		err = kapi_hook_on(&kapi_user_hooks[i]);
	if (err) {
		while (i--)
			kapi_hook_off(&kapi_user_hooks[i]);
		unregister_die_notifier(&kapi_user_nb);
		tracepoint_synchronize_unregister();
		kapi_unmaps_end();
		kapi_children_free();
		return err;
	}
	kapi_user_watching = true;
	return 0;
}

/* No process has a breakpoint any more. Waits until no child has one either. */
void kapi_user_unwatch(void)
{
	int i;

	if (!kapi_user_watching)
		return;
	for (i = 0; i < ARRAY_SIZE(kapi_user_hooks); i++)
		kapi_hook_off(&kapi_user_hooks[i]);
	tracepoint_synchronize_unregister();
	kapi_children_await();
	unregister_die_notifier(&kapi_user_nb);
	cancel_work_sync(&kapi_spaces_work);
	cancel_delayed_work_sync(&kapi_again_work);
	kapi_unmaps_end();
	kapi_children_free();
	kapi_user_watching = false;
}
