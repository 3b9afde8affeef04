// SPDX-License-Identifier: GPL-2.0
/* A thread of our own that unmaps memory of other processes; mapping.rs decides what. */
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/mmu_context.h>
#include <linux/printk.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include "kapi.h"

/*
 * Memory to be unmapped. One thread does it for all processes, and nobody waits for it. If a
 * userfaultfd of the process must hear of it and nobody reads that, or the process keeps its
 * mmap_lock, a signal ends the thread's wait after a second: all its waits are killable, because
 * the memory is of no file. The memory is unmapped by then, or the thread tries again after a while,
 * when it has nothing else to do.
 */
struct kapi_unmapping {
	struct list_head list;
	struct mm_struct *mm;
	u64 at, size;
	/* When it may be tried again, in jiffies. */
	unsigned long due;
};

static DEFINE_SPINLOCK(kapi_unmaps_lock);
/* Memory that was not tried yet, and whether more is taken. */
static LIST_HEAD(kapi_unmaps);
static bool kapi_unmaps_open;
/* Memory to be tried again, by the times for that. Only the thread uses this list. */
static LIST_HEAD(kapi_unmaps_again);
static DECLARE_WAIT_QUEUE_HEAD(kapi_unmaps_wait);
static struct task_struct *kapi_unmapper;
/* The number of finished tries; whether one is under way or due. */
static unsigned long kapi_unmaps_done;
static bool kapi_unmaps_busy;
/* When the thread gives up, once it should stop, in jiffies; how much memory it leaves then. */
static unsigned long kapi_unmaps_until;
static unsigned int kapi_unmaps_left;

static void kapi_unmaps_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(kapi_unmaps_work, kapi_unmaps_look);

static bool kapi_unmaps_is_due(const struct kapi_unmapping *u)
{
	return time_after_eq(jiffies, u->due) || kthread_should_stop();
}

static struct kapi_unmapping *kapi_unmaps_next(void)
{
	struct kapi_unmapping *u, *again;

	again = list_first_entry_or_null(&kapi_unmaps_again, struct kapi_unmapping, list);
	spin_lock(&kapi_unmaps_lock);
	u = list_first_entry_or_null(&kapi_unmaps, struct kapi_unmapping, list);
	if (!u && again && kapi_unmaps_is_due(again))
		u = again;
	if (u)
		list_del(&u->list);
	WRITE_ONCE(kapi_unmaps_busy, u);
	spin_unlock(&kapi_unmaps_lock);
	/* It ends while nothing is due. */
	if (u)
		schedule_delayed_work(&kapi_unmaps_work, HZ / 2);
	return u;
}

/* Waits until kapi_unmaps_next() has something, or the thread should stop. */
static void kapi_unmaps_idle(void)
{
	const struct kapi_unmapping *again;
	long left = MAX_SCHEDULE_TIMEOUT;

	again = list_first_entry_or_null(&kapi_unmaps_again, struct kapi_unmapping, list);
	if (again)
		left = max_t(long, again->due - jiffies, 0);
	wait_event_idle_timeout(kapi_unmaps_wait, !list_empty(&kapi_unmaps) || kthread_should_stop(), left);
}

static int kapi_unmaps_thread(void *arg)
{
	allow_kernel_signal(SIGKILL);
	for (;;) {
		/* Then nothing is added any more, and all is due. */
		bool stop = kthread_should_stop();
		struct kapi_unmapping *u = kapi_unmaps_next();
		int err = 0;

		if (!u) {
			if (stop)
				return 0;
			kapi_unmaps_idle();
			continue;
		}
		/* A signal may have come too late for the try before. */
		flush_signals(current);
		if (stop && time_after(jiffies, kapi_unmaps_until)) {
			kapi_unmaps_left += kapi_space_alive(u->mm);
		} else if (mmget_not_zero(u->mm)) {
			kthread_use_mm(u->mm);
			err = kapi_unmap_here(u->mm, u->at, u->size);
			kthread_unuse_mm(u->mm);
			mmput_async(u->mm);
		}
		WRITE_ONCE(kapi_unmaps_done, kapi_unmaps_done + 1);
		if (err == -EINTR) {
			u->due = jiffies + HZ;
			list_add_tail(&u->list, &kapi_unmaps_again);
			continue;
		}
		mmdrop(u->mm);
		kfree(u);
	}
}

/* Ends a try of the thread that has taken a second. */
static void kapi_unmaps_look(struct work_struct *work)
{
	static unsigned long seen;
	unsigned long done = READ_ONCE(kapi_unmaps_done);

	if (READ_ONCE(kapi_unmaps_busy)) {
		if (seen == done)
			send_sig(SIGKILL, kapi_unmapper, 1);
		seen = done;
		schedule_delayed_work(&kapi_unmaps_work, HZ / 2);
	}
}

/* Has memory unmapped as soon as possible. -ESHUTDOWN: nobody is there to do it. */
int kapi_unmaps_add(struct mm_struct *mm, u64 at, u64 size)
{
	struct kapi_unmapping *u = kmalloc_obj(*u, GFP_KERNEL | __GFP_NOWARN);

	if (!u)
		return -ENOMEM;
	*u = (struct kapi_unmapping){ .mm = mm, .at = at, .size = size };
	spin_lock(&kapi_unmaps_lock);
	if (!kapi_unmaps_open) {
		spin_unlock(&kapi_unmaps_lock);
		kfree(u);
		return -ESHUTDOWN;
	}
	mmgrab(mm);
	list_add_tail(&u->list, &kapi_unmaps);
	WRITE_ONCE(kapi_unmaps_busy, true);
	spin_unlock(&kapi_unmaps_lock);
	wake_up(&kapi_unmaps_wait);
	schedule_delayed_work(&kapi_unmaps_work, HZ / 2);
	return 0;
}

int kapi_unmaps_begin(void)
{
	struct task_struct *thread = kthread_run(kapi_unmaps_thread, NULL, "dtrace-unmap");

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	/* The work above may send it a signal until it is cancelled. */
	kapi_unmapper = get_task_struct(thread);
	kapi_unmaps_left = 0;
	spin_lock(&kapi_unmaps_lock);
	kapi_unmaps_open = true;
	spin_unlock(&kapi_unmaps_lock);
	return 0;
}

/*
 * Waits until all memory is unmapped that can be. Many processes that keep their maps locked would
 * make that an hour: after ten seconds, the rest stays mapped, which hurts nobody.
 */
void kapi_unmaps_end(void)
{
	spin_lock(&kapi_unmaps_lock);
	kapi_unmaps_open = false;
	spin_unlock(&kapi_unmaps_lock);
	kapi_unmaps_until = jiffies + 10 * HZ;
	kthread_stop(kapi_unmapper);
	if (kapi_unmaps_left)
		pr_warn("dtrace: memory stays mapped in processes that keep their memory maps locked, in %u places\n",
			kapi_unmaps_left);
	cancel_delayed_work_sync(&kapi_unmaps_work);
	put_task_struct(kapi_unmapper);
	kapi_unmapper = NULL;
}
