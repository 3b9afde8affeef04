// SPDX-License-Identifier: GPL-2.0
/*
 * A child has copies of the pages of its parent, breakpoints included. It removes them itself
 * before it runs for the first time. The memory for that is reserved: a child must not keep
 * breakpoints for want of memory.
 */
#include <linux/hashtable.h>
#include <linux/list.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "kapi.h"

struct kapi_child {
	struct callback_head work;
	u64 parent;
	struct task_struct *task;
	struct list_head list;
	struct hlist_node siblings;
	/* Rmmod has killed it. */
	bool killed;
};

#define KAPI_SPARE 256

static DEFINE_SPINLOCK(kapi_children_lock);
static LIST_HEAD(kapi_children_spare);
static unsigned int kapi_children_spares;
/* Children that still have breakpoints to remove. */
static LIST_HEAD(kapi_children);
/* The same by their parents, of which thousands may have ended and wait for their children. */
static DEFINE_HASHTABLE(kapi_children_of, 10);
static DECLARE_WAIT_QUEUE_HEAD(kapi_children_gone);

static struct kapi_child *kapi_child_get(void)
{
	struct kapi_child *child = kmalloc_obj(*child, GFP_ATOMIC | __GFP_NOWARN);
	unsigned long flags;

	if (child)
		return child;
	spin_lock_irqsave(&kapi_children_lock, flags);
	child = list_first_entry_or_null(&kapi_children_spare, struct kapi_child, list);
	if (child) {
		list_del(&child->list);
		kapi_children_spares--;
	}
	spin_unlock_irqrestore(&kapi_children_lock, flags);
	return child;
}

/* `begun`: the child is in kapi_children. */
static void kapi_child_put(struct kapi_child *child, bool begun)
{
	unsigned long flags;

	spin_lock_irqsave(&kapi_children_lock, flags);
	if (begun) {
		list_del(&child->list);
		hash_del(&child->siblings);
		/*
		 * Its parent may have ended meanwhile. Under the lock: the thread that waits for the last
		 * child then shuts all this down.
		 */
		if (list_empty(&kapi_children)) {
			kapi_spaces_changed();
			wake_up(&kapi_children_gone);
		}
	}
	if (kapi_children_spares < KAPI_SPARE) {
		list_add(&child->list, &kapi_children_spare);
		kapi_children_spares++;
		child = NULL;
	}
	/* Under the lock, too: on PREEMPT_RT nobody waits for a task that sleeps on a lock of the allocator. */
	kfree(child);
	spin_unlock_irqrestore(&kapi_children_lock, flags);
}

void kapi_children_free(void)
{
	struct kapi_child *child, *next;

	list_for_each_entry_safe(child, next, &kapi_children_spare, list)
		kfree(child);
	INIT_LIST_HEAD(&kapi_children_spare);
	kapi_children_spares = 0;
}

int kapi_children_reserve(void)
{
	int i;

	for (i = 0; i < KAPI_SPARE; i++) {
		struct kapi_child *child = kmalloc_obj(*child, GFP_KERNEL | __GFP_NOWARN);

		if (!child) {
			kapi_children_free();
			return -ENOMEM;
		}
		kapi_child_put(child, false);
	}
	return 0;
}

/*
 * Runs in the child, before it returns to its program; or when it dies, when nothing is left to do.
 * It holds no lock while it waits for its own memory.
 */
static void kapi_child_begins(struct callback_head *work)
{
	struct kapi_child *child = container_of(work, struct kapi_child, work);
	unsigned long followers = 0;

	if (current->mm) {
		followers = kapi_follow_copy(child->parent);
		kapi_user_forked(child->parent);
	}
	kapi_child_put(child, true);
	/* They may take their time, and nobody waits for this child any more. */
	kapi_follow_copied(followers);
}

/* TP_PROTO(struct task_struct *parent, struct task_struct *child): the child has not run yet. */
void notrace kapi_forked(void *data, struct task_struct *parent, struct task_struct *task)
{
	struct kapi_child *child;
	unsigned long flags;
	u64 mm = (unsigned long)parent->mm;

	if (!mm || !task->mm || task->mm == parent->mm || !kapi_user_is_traced(mm))
		return;
	child = kapi_child_get();
	if (!child) {
		pr_warn_ratelimited("dtrace: no memory to take the breakpoints out of process %d\n", task->pid);
		return;
	}
	child->parent = mm;
	child->task = task;
	child->killed = false;
	init_task_work(&child->work, kapi_child_begins);
	spin_lock_irqsave(&kapi_children_lock, flags);
	list_add(&child->list, &kapi_children);
	hash_add(kapi_children_of, &child->siblings, mm);
	spin_unlock_irqrestore(&kapi_children_lock, flags);
	if (task_work_add(task, &child->work, TWA_RESUME))
		kapi_child_put(child, true);
}

/* Tells whether children still need what is known of their parent. */
bool kapi_user_awaits_children(u64 parent)
{
	const struct kapi_child *child;
	unsigned long flags;
	bool some = false;

	spin_lock_irqsave(&kapi_children_lock, flags);
	hash_for_each_possible(kapi_children_of, child, siblings, parent) {
		some = child->parent == parent;
		if (some)
			break;
	}
	spin_unlock_irqrestore(&kapi_children_lock, flags);
	return some;
}

static bool kapi_children_none(void)
{
	unsigned long flags;
	bool none;

	spin_lock_irqsave(&kapi_children_lock, flags);
	none = list_empty(&kapi_children);
	spin_unlock_irqrestore(&kapi_children_lock, flags);
	return none;
}

/*
 * Kills a child that has not been killed yet; returns its id, or 0: there is none. Those that have
 * been killed are at the end of the list. They may be thousands, so interrupts are off for one.
 */
static int kapi_child_kill(void)
{
	struct task_struct *task = NULL;
	struct kapi_child *child;
	unsigned long flags;
	int id = 0;

	spin_lock_irqsave(&kapi_children_lock, flags);
	child = list_first_entry_or_null(&kapi_children, struct kapi_child, list);
	if (child && !child->killed) {
		child->killed = true;
		list_move_tail(&child->list, &kapi_children);
		/* It has not begun to run, or is in its work, so it is there. */
		task = get_task_struct(child->task);
		id = task->pid;
	}
	spin_unlock_irqrestore(&kapi_children_lock, flags);
	if (task) {
		send_sig(SIGKILL, task, 1);
		put_task_struct(task);
	}
	return id;
}

/*
 * Waits for all children. A child that waits for a program to serve its memory holds the module
 * (space.rs, touch), so rmmod does not get here before it has got it. If it waits for the lock of its
 * memory map, it would keep us for ever, and if it ran on, a breakpoint would end it: after a while it
 * is killed.
 */
void kapi_children_await(void)
{
	while (!wait_event_timeout(kapi_children_gone, kapi_children_none(), 10 * HZ)) {
		unsigned int n = 0;
		int id, last = 0;

		while ((id = kapi_child_kill())) {
			last = id;
			n++;
			cond_resched();
		}
		if (n)
			pr_warn("dtrace: %u processes cannot be rid of their breakpoints, and are killed; the last is %d\n", n, last);
	}
}
