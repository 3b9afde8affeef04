// SPDX-License-Identifier: GPL-2.0
/*
 * What a process maps, told to who follows it before the process runs any of it: a library that it loads, by whatever
 * loads it there.
 *
 * perf_event_mmap is where the kernel tells of memory that is mapped, or has got other rights. There a thread is given
 * work for when it returns to its program: it rings at all who follow its memory, and sleeps until they have answered,
 * or are gone, or it is killed, or for KAPI_PATIENCE. It is the only thread that waits, it holds nothing that another
 * one needs, and of who has not answered in time it expects nothing more until he does: who is stopped, or waits for
 * this very process, costs it that time once.
 */
#include <linux/bitmap.h>
#include <linux/eventfd.h>
#include <linux/freezer.h>
#include <linux/hashtable.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include "kapi.h"

/* For all followers together. */
#define KAPI_PATIENCE (5 * HZ)
/* Processes that one follows. */
#define KAPI_MOST_FOLLOWED 1024
/* Of one process so many are waited for. */
#define KAPI_MOST_AWAITED 16

struct kapi_follower {
	refcount_t refs;
	struct rcu_head rcu;
	/* Who answers: its own threads do not wait for it. */
	struct pid *owner;
	struct eventfd_ctx *bell;
	wait_queue_head_t answers;
	spinlock_t lock;
	/* The last number that was asked by, and the last that was answered; they ascend. 0 is none. */
	u32 asked, answered;
	bool gone, stuck;
	/* Threads that went on without an answer. */
	atomic_t late;
	/* Under kapi_follow_mutex. */
	struct list_head all;
	unsigned int count;
};

struct kapi_followed {
	struct hlist_node node;
	struct list_head of;
	struct rcu_head rcu;
	struct mm_struct *mm;
	struct kapi_follower *by;
};

static DEFINE_MUTEX(kapi_follow_mutex);
static DEFINE_HASHTABLE(kapi_followed_table, 8);
static unsigned int kapi_followed_count;
/* Threads with work that is not done yet. */
static atomic_t kapi_telling = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(kapi_told);

/*
 * Work that threads are given. A kprobe's handler must not allocate: under PREEMPT_RT every allocator takes a lock that
 * sleeps. A piece is busy from there to the thread's way back to its program, which is short.
 */
static struct callback_head kapi_works[256];
static DECLARE_BITMAP(kapi_works_busy, ARRAY_SIZE(kapi_works));

static struct callback_head *kapi_work_get(void)
{
	unsigned int i;

	for_each_clear_bit(i, kapi_works_busy, ARRAY_SIZE(kapi_works)) {
		if (!test_and_set_bit_lock(i, kapi_works_busy))
			return &kapi_works[i];
	}
	return NULL;
}

static void kapi_work_put(struct callback_head *work)
{
	clear_bit_unlock(work - kapi_works, kapi_works_busy);
}

static void kapi_follower_put(struct kapi_follower *f)
{
	if (!refcount_dec_and_test(&f->refs))
		return;
	eventfd_ctx_put(f->bell);
	put_pid(f->owner);
	kfree_rcu(f, rcu);
}

/* Those of the current process's memory, but for itself. Under rcu_read_lock. */
#define kapi_for_each_follower(e) \
	hash_for_each_possible_rcu(kapi_followed_table, e, node, (unsigned long)current->mm) \
		if (e->mm != current->mm || e->by->owner == task_tgid(current)) {} else

/* Rings; gives the number that has to be answered, or 0: no answer is to be expected. */
static u32 kapi_follower_ask(struct kapi_follower *f)
{
	u32 asked = 0;

	spin_lock(&f->lock);
	if (!f->gone) {
		f->asked += f->asked == U32_MAX ? 2 : 1;
		asked = f->asked;
		if (f->stuck) {
			atomic_inc(&f->late);
			asked = 0;
		}
	}
	spin_unlock(&f->lock);
	eventfd_signal(f->bell);
	return asked;
}

static bool kapi_follower_has_answered(struct kapi_follower *f, u32 asked)
{
	return READ_ONCE(f->gone) || (s32)(READ_ONCE(f->answered) - asked) >= 0;
}

/* Waits for at most so many ticks; gives how many are left. */
static long kapi_follower_await(struct kapi_follower *f, u32 asked, long left)
{
	left = ___wait_event(f->answers, ___wait_cond_timeout(kapi_follower_has_answered(f, asked)),
			     (TASK_KILLABLE | TASK_FREEZABLE), 0, left, __ret = schedule_timeout(__ret));
	if (left || fatal_signal_pending(current))
		return max(left, 0L);
	atomic_inc(&f->late);
	spin_lock(&f->lock);
	f->stuck = !kapi_follower_has_answered(f, asked);
	spin_unlock(&f->lock);
	return 0;
}

/* On the way back to the program; or as the thread ends, when nobody follows it any more. */
static void kapi_tell(struct callback_head *work)
{
	struct { struct kapi_follower *by; u32 number; } asked[KAPI_MOST_AWAITED];
	long left = KAPI_PATIENCE;
	struct kapi_followed *e;
	unsigned int i, n = 0;

	kapi_work_put(work);
	rcu_read_lock();
	kapi_for_each_follower(e) {
		if (n < ARRAY_SIZE(asked) && refcount_inc_not_zero(&e->by->refs))
			asked[n++].by = e->by;
		else
			atomic_inc(&e->by->late);
	}
	rcu_read_unlock();
	for (i = 0; i < n; i++)
		asked[i].number = kapi_follower_ask(asked[i].by);
	for (i = 0; i < n; i++) {
		if (asked[i].number)
			left = kapi_follower_await(asked[i].by, asked[i].number, left);
		kapi_follower_put(asked[i].by);
	}
	if (atomic_dec_and_test(&kapi_telling))
		wake_up(&kapi_told);
}

/*
 * perf_event_mmap(vma), under mmap_lock. What matters is a piece of a file that can be run, or that is the process's own:
 * when a library's constants are made read-only it has been linked.
 */
static int kapi_mapped(struct kprobe *kp, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (const void *)regs->di;
	struct callback_head *work;
	struct kapi_followed *e;
	bool followed = false;

	if (!vma->vm_file || vma->vm_mm != current->mm || (current->flags & (PF_KTHREAD | PF_EXITING)))
		return 0;
	if ((vma->vm_flags & VM_SHARED) || (!(vma->vm_flags & (VM_EXEC | VM_WRITE)) && !vma->anon_vma))
		return 0;
	rcu_read_lock();
	kapi_for_each_follower(e)
		followed = true;
	if (followed) {
		work = kapi_work_get();
		if (work) {
			init_task_work(work, kapi_tell);
			atomic_inc(&kapi_telling);
		}
		if (!work || task_work_add(current, work, TWA_RESUME)) {
			kapi_for_each_follower(e)
				atomic_inc(&e->by->late);
			if (work) {
				atomic_dec(&kapi_telling);
				kapi_work_put(work);
			}
		}
	}
	rcu_read_unlock();
	return 0;
}

static struct kprobe kapi_mapped_kp;

/* One that rings by this eventfd of the current process; an error, if it has no such one. May sleep, as all below. */
struct kapi_follower *kapi_follower_new(int fd)
{
	struct eventfd_ctx *bell = eventfd_ctx_fdget(fd);
	struct kapi_follower *f;

	if (IS_ERR(bell))
		return ERR_CAST(bell);
	f = kzalloc(sizeof(*f), GFP_KERNEL);
	if (!f) {
		eventfd_ctx_put(bell);
		return ERR_PTR(-ENOMEM);
	}
	refcount_set(&f->refs, 1);
	f->owner = get_pid(task_tgid(current));
	f->bell = bell;
	init_waitqueue_head(&f->answers);
	spin_lock_init(&f->lock);
	INIT_LIST_HEAD(&f->all);
	return f;
}

static void kapi_unfollow(struct kapi_followed *e)
{
	hash_del_rcu(&e->node);
	list_del(&e->of);
	e->by->count--;
	kapi_followed_count--;
	mmdrop(e->mm);
	kfree_rcu(e, rcu);
}

/* Nobody waits for it any more. */
void kapi_follower_free(struct kapi_follower *f)
{
	struct kapi_followed *e, *next;

	mutex_lock(&kapi_follow_mutex);
	list_for_each_entry_safe(e, next, &f->all, of)
		kapi_unfollow(e);
	if (!kapi_followed_count && kapi_mapped_kp.pre_handler) {
		unregister_kprobe(&kapi_mapped_kp);
		kapi_mapped_kp.pre_handler = NULL;
	}
	mutex_unlock(&kapi_follow_mutex);
	spin_lock(&f->lock);
	WRITE_ONCE(f->gone, true);
	spin_unlock(&f->lock);
	wake_up_all(&f->answers);
	kapi_follower_put(f);
}

static int kapi_follow_mm(struct kapi_follower *f, struct mm_struct *mm)
{
	struct kapi_followed *e, *next;
	int err = 0;

	list_for_each_entry_safe(e, next, &f->all, of) {
		if (e->mm == mm)
			return -EEXIST;
		if (!kapi_space_alive(e->mm))
			kapi_unfollow(e);
	}
	if (f->count >= KAPI_MOST_FOLLOWED)
		return -ENOSPC;
	if (!kapi_mapped_kp.pre_handler) {
		struct kprobe fresh = { .symbol_name = "perf_event_mmap", .pre_handler = kapi_mapped };

		kapi_mapped_kp = fresh;
		err = register_kprobe(&kapi_mapped_kp);
		if (err) {
			kapi_mapped_kp.pre_handler = NULL;
			return err;
		}
	}
	e = kmalloc_obj(*e, GFP_KERNEL);
	if (!e)
		return -ENOMEM;
	e->mm = mm;
	e->by = f;
	list_add(&e->of, &f->all);
	f->count++;
	kapi_followed_count++;
	hash_add_rcu(kapi_followed_table, &e->node, (unsigned long)mm);
	return 0;
}

/* From now on, what the process of this number maps is told; it may be followed already. */
int kapi_follower_add(struct kapi_follower *f, int number)
{
	struct kapi_found found;
	struct mm_struct *mm = kapi_space_of(number, &found);
	int err;

	if (!mm)
		return -ESRCH;
	mutex_lock(&kapi_follow_mutex);
	err = kapi_follow_mm(f, mm);
	mutex_unlock(&kapi_follow_mutex);
	if (err)
		mmdrop(mm);
	return err == -EEXIST ? 0 : err;
}

/* The last number that was asked by and is not answered; 0: none. */
u32 kapi_follower_asked(struct kapi_follower *f)
{
	u32 asked;

	spin_lock(&f->lock);
	asked = f->asked == f->answered ? 0 : f->asked;
	spin_unlock(&f->lock);
	return asked;
}

/* All that was asked up to this number is answered. Gives how many went on without since the last time. */
u32 kapi_follower_answer(struct kapi_follower *f, u32 asked)
{
	spin_lock(&f->lock);
	if ((s32)(asked - f->answered) > 0 && (s32)(f->asked - asked) >= 0)
		WRITE_ONCE(f->answered, asked);
	f->stuck = false;
	spin_unlock(&f->lock);
	wake_up_all(&f->answers);
	return atomic_xchg(&f->late, 0);
}

/* There are no followers any more; what they had threads do is over then. */
void kapi_follow_quiesce(void)
{
	wait_event(kapi_told, !atomic_read(&kapi_telling));
}
