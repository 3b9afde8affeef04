// SPDX-License-Identifier: GPL-2.0
/*
 * The threads of other processes.
 */
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include "kapi.h"

/*
 * The kernel sent a thread that is there, so its saved state holds that address; a thread that has
 * left shows so when it enters the kernel again. The saved number of its system call and the first
 * argument, in di or bx, stay until then, too.
 */
static void kapi_thread_look(struct task_struct *t, struct kapi_thread *thread)
{
	const struct pt_regs *regs = task_pt_regs(t);

	thread->ip = READ_ONCE(regs->ip);
	thread->di = READ_ONCE(regs->di);
	thread->bx = READ_ONCE(regs->bx);
	thread->call = READ_ONCE(regs->orig_ax);
	thread->id = t->pid;
	thread->debugged = READ_ONCE(t->ptrace);
}

/* Reports the current thread if nobody else uses this memory. */
bool kapi_thread_alone(struct mm_struct *mm, struct kapi_thread *thread)
{
	if (mm != current->mm || atomic_read(&mm->mm_users) != 1)
		return false;
	kapi_thread_look(current, thread);
	return true;
}

/*
 * Reports the threads of all processes that `tell` wants; it is first called with NULL and says so.
 */
void kapi_each_thread(kapi_thread_fn tell, void *data)
{
	struct task_struct *p, *t;

	rcu_read_lock();
	for_each_process_thread(p, t) {
		struct mm_struct *mm = READ_ONCE(t->mm);
		struct kapi_thread thread;
		bool is_there;

		if (!mm || (t->flags & PF_KTHREAD) || !tell(data, (unsigned long)mm, NULL))
			continue;
		/* The thread keeps its memory meanwhile, and so its stack. */
		task_lock(t);
		is_there = t->mm == mm;
		if (is_there)
			kapi_thread_look(t, &thread);
		task_unlock(t);
		if (is_there)
			tell(data, (unsigned long)mm, &thread);
	}
	rcu_read_unlock();
}
