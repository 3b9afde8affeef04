// SPDX-License-Identifier: GPL-2.0
/*
 * Tells a follower what a process maps, before the process runs any of it: a library, however it
 * is loaded. A follower can also follow everyone: it then hears of code that any process maps,
 * including a program that begins, except for files that it has called uninteresting. Most files
 * are, and mapping one costs its process a lookup in a hash table. It also hears of copies (fork) of
 * the processes that it follows themselves.
 *
 * The kernel calls perf_event_mmap when memory is mapped or gets other rights. There we give the
 * thread work for its return to its program: it rings at all followers of its memory, and sleeps
 * until they have answered or are gone, or it is killed, or KAPI_PATIENCE is over. Only this thread
 * waits, and it holds nothing that another one needs. From a follower that has not answered in
 * time, no answer is expected until it answers again: a follower that is stopped, or that waits for
 * this very process, costs the process that time once.
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

/* How long a thread waits, for all followers together. */
#define KAPI_PATIENCE (5 * HZ)
/* The most processes that one follower follows. */
#define KAPI_MOST_FOLLOWED 1024
/* The most followers that a process waits for. */
#define KAPI_MOST_AWAITED 16
/* The most followers of everyone. */
#define KAPI_MOST_EVERYONE 8
/* The most files that one of them has called uninteresting; the oldest makes room. */
#define KAPI_MOST_IGNORED 8192
/* The most processes that wait for one of them to learn of them. */
#define KAPI_MOST_BEGUN 64

struct kapi_ignored {
	struct hlist_node node;
	struct list_head order;
	struct rcu_head rcu;
	u64 inode, modified;
	u32 device;
};

struct kapi_follower {
	refcount_t refs;
	struct rcu_head rcu;
	/* The process that answers: its own threads do not wait for it. */
	struct pid *owner;
	struct eventfd_ctx *bell;
	wait_queue_head_t answers;
	spinlock_t lock;
	/* The last number of a question, and the last that was answered; they ascend. 0 is none. */
	u32 asked, answered;
	bool gone, stuck;
	/* Threads that went on without an answer. */
	atomic_t late;
	/* Processes that it hears of because it follows everyone. Under the lock. */
	struct pid *begun[KAPI_MOST_BEGUN];
	unsigned int begun_count;
	/* Under kapi_follow_mutex; readers of the table are under RCU. */
	struct list_head all;
	unsigned int count;
	DECLARE_HASHTABLE(ignored, 10);
	struct list_head ignored_order;
	unsigned int ignored_count;
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
/* Changed under kapi_follow_mutex. */
static struct kapi_follower __rcu *kapi_everyone[KAPI_MOST_EVERYONE];
static unsigned int kapi_everyone_count;
/* Threads whose work is not done yet. */
static atomic_t kapi_telling = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(kapi_told);

/*
 * Work for threads. A kprobe's handler must not allocate: under PREEMPT_RT every allocator takes a
 * lock that sleeps. An item is busy from there to the thread's way back to its program, which is
 * short.
 */
struct kapi_work {
	struct callback_head head;
	/* The followers of everyone that it is for. */
	unsigned long everyone;
};
static struct kapi_work kapi_works[256];
static DECLARE_BITMAP(kapi_works_busy, ARRAY_SIZE(kapi_works));

static struct kapi_work *kapi_work_get(void)
{
	unsigned int i;

	for_each_clear_bit(i, kapi_works_busy, ARRAY_SIZE(kapi_works)) {
		if (!test_and_set_bit_lock(i, kapi_works_busy))
			return &kapi_works[i];
	}
	return NULL;
}

static void kapi_work_put(struct kapi_work *work)
{
	clear_bit_unlock(work - kapi_works, kapi_works_busy);
}

static void kapi_follower_put(struct kapi_follower *f)
{
	if (!refcount_dec_and_test(&f->refs))
		return;
	while (f->begun_count)
		put_pid(f->begun[--f->begun_count]);
	eventfd_ctx_put(f->bell);
	put_pid(f->owner);
	kfree_rcu(f, rcu);
}

/* The followers of the current process's memory, except itself. Under rcu_read_lock. */
#define kapi_for_each_follower(e) \
	hash_for_each_possible_rcu(kapi_followed_table, e, node, (unsigned long)current->mm) \
		if (e->mm != current->mm || e->by->owner == task_tgid(current)) {} else

/*
 * Notes that the follower should look at the current process; false: there is no room. Under the
 * lock.
 */
static bool kapi_follower_note(struct kapi_follower *f)
{
	struct pid *pid = task_tgid(current);
	unsigned int i;

	for (i = 0; i < f->begun_count; i++) {
		if (f->begun[i] == pid)
			return true;
	}
	if (f->begun_count == KAPI_MOST_BEGUN)
		return false;
	f->begun[f->begun_count++] = get_pid(pid);
	return true;
}

/* Rings; returns the number that has to be answered, or 0: no answer is to be expected. */
static u32 kapi_follower_ask(struct kapi_follower *f, bool note)
{
	u32 asked = 0;

	spin_lock(&f->lock);
	if (!f->gone && note && !kapi_follower_note(f)) {
		atomic_inc(&f->late);
	} else if (!f->gone) {
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

/* Waits for at most `left` ticks; returns how many are left. */
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

/*
 * Asks the followers of the current process and these followers of everyone, and waits for their
 * answers. The caller has counted this in kapi_telling.
 */
static void kapi_ask(unsigned long everyone)
{
	struct { struct kapi_follower *by; u32 number; bool note; } asked[KAPI_MOST_AWAITED];
	long left = KAPI_PATIENCE;
	struct kapi_follower *f;
	struct kapi_followed *e;
	unsigned int i, k, n = 0;

	rcu_read_lock();
	kapi_for_each_follower(e) {
		if (n < ARRAY_SIZE(asked) && refcount_inc_not_zero(&e->by->refs)) {
			asked[n].note = false;
			asked[n++].by = e->by;
		} else {
			atomic_inc(&e->by->late);
		}
	}
	for_each_set_bit(i, &everyone, KAPI_MOST_EVERYONE) {
		/* Another follower may have taken this place; it is then asked needlessly. */
		f = rcu_dereference(kapi_everyone[i]);
		if (!f || f->owner == task_tgid(current))
			continue;
		for (k = 0; k < n && asked[k].by != f; k++)
			;
		/* It is asked already, because it follows this process. */
		if (k < n)
			continue;
		if (n < ARRAY_SIZE(asked) && refcount_inc_not_zero(&f->refs)) {
			asked[n].note = true;
			asked[n++].by = f;
		} else {
			atomic_inc(&f->late);
		}
	}
	rcu_read_unlock();
	for (i = 0; i < n; i++)
		asked[i].number = kapi_follower_ask(asked[i].by, asked[i].note);
	for (i = 0; i < n; i++) {
		if (asked[i].number)
			left = kapi_follower_await(asked[i].by, asked[i].number, left);
		kapi_follower_put(asked[i].by);
	}
	if (atomic_dec_and_test(&kapi_telling))
		wake_up(&kapi_told);
}

/* Runs on the way back to the program; or when the thread ends, when nobody follows it any more. */
static void kapi_tell(struct callback_head *head)
{
	struct kapi_work *work = container_of(head, struct kapi_work, head);
	unsigned long everyone = current->mm ? work->everyone : 0;

	kapi_work_put(work);
	kapi_ask(everyone);
}

/*
 * The current process is a copy of one with this memory, and has not run yet. Its probes are not
 * those of the original, so a follower of everyone that follows the original wants to read the copy,
 * too. Returns such followers, and then expects a call of kapi_follow_copied().
 */
unsigned long kapi_follow_copy(u64 original)
{
	const struct kapi_followed *e;
	unsigned long wanted = 0;
	unsigned int i;

	if (!READ_ONCE(kapi_everyone_count))
		return 0;
	rcu_read_lock();
	hash_for_each_possible_rcu(kapi_followed_table, e, node, (unsigned long)original) {
		if ((unsigned long)e->mm != original || e->by->owner == task_tgid(current))
			continue;
		for (i = 0; i < KAPI_MOST_EVERYONE; i++) {
			if (rcu_access_pointer(kapi_everyone[i]) == e->by)
				wanted |= BIT(i);
		}
	}
	/* A follower is still there, so the module cannot be unloaded before this is counted. */
	if (wanted)
		atomic_inc(&kapi_telling);
	rcu_read_unlock();
	return wanted;
}

/* Lets these followers read the current process before it runs. */
void kapi_follow_copied(unsigned long everyone)
{
	if (everyone)
		kapi_ask(everyone);
}

/* Returns the time in ns by which a follower tells versions of a file apart. */
static u64 kapi_modified(const struct inode *inode)
{
	return (u64)inode_get_mtime_sec(inode) * NSEC_PER_SEC + inode_get_mtime_nsec(inode);
}

static struct kapi_ignored *kapi_find_ignored(struct kapi_follower *f, u64 inode, u64 modified, u32 device)
{
	struct kapi_ignored *i;

	hash_for_each_possible_rcu(f->ignored, i, node, inode, lockdep_is_held(&kapi_follow_mutex)) {
		if (i->inode == inode && i->modified == modified && i->device == device)
			return i;
	}
	return NULL;
}

/*
 * Returns the followers of everyone that want to hear of code that the current process has mapped.
 * Under rcu_read_lock.
 */
static unsigned long kapi_wanted_by(const struct vm_area_struct *vma)
{
	const struct inode *inode;
	unsigned long wanted = 0;
	struct kapi_follower *f;
	unsigned int i;

	if (!READ_ONCE(kapi_everyone_count) || !(vma->vm_flags & VM_EXEC))
		return 0;
	inode = file_user_inode(vma->vm_file);
	for (i = 0; i < KAPI_MOST_EVERYONE; i++) {
		f = rcu_dereference(kapi_everyone[i]);
		if (f && f->owner != task_tgid(current) &&
		    !kapi_find_ignored(f, inode->i_ino, kapi_modified(inode), inode->i_sb->s_dev))
			wanted |= BIT(i);
	}
	return wanted;
}

/*
 * Handles perf_event_mmap(vma), under mmap_lock. Only a private piece of a file matters that can be
 * run, or that is the process's own: when a library's constants are made read-only, it has been
 * linked.
 */
static int kapi_mapped(struct kprobe *kp, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (const void *)regs->di;
	struct kapi_follower *f;
	struct kapi_followed *e;
	unsigned long everyone;
	struct kapi_work *work;
	bool followed = false;
	unsigned int i;

	if (!vma->vm_file || vma->vm_mm != current->mm || (current->flags & (PF_KTHREAD | PF_EXITING)))
		return 0;
	if ((vma->vm_flags & VM_SHARED) || (!(vma->vm_flags & (VM_EXEC | VM_WRITE)) && !vma->anon_vma))
		return 0;
	rcu_read_lock();
	kapi_for_each_follower(e)
		followed = true;
	everyone = kapi_wanted_by(vma);
	if (followed || everyone) {
		work = kapi_work_get();
		if (work) {
			init_task_work(&work->head, kapi_tell);
			work->everyone = everyone;
			atomic_inc(&kapi_telling);
		}
		if (!work || task_work_add(current, &work->head, TWA_RESUME)) {
			kapi_for_each_follower(e)
				atomic_inc(&e->by->late);
			for_each_set_bit(i, &everyone, KAPI_MOST_EVERYONE) {
				f = rcu_dereference(kapi_everyone[i]);
				if (f)
					atomic_inc(&f->late);
			}
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

/*
 * Returns a follower that rings by this eventfd of the current process; an error pointer, if it has
 * no such one. May sleep, as all functions below.
 */
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
	INIT_LIST_HEAD(&f->ignored_order);
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

static void kapi_unignore(struct kapi_follower *f, struct kapi_ignored *i)
{
	hash_del_rcu(&i->node);
	list_del(&i->order);
	f->ignored_count--;
	kfree_rcu(i, rcu);
}

/* Afterwards nobody waits for it any more. */
void kapi_follower_free(struct kapi_follower *f)
{
	struct kapi_followed *e, *next;
	struct kapi_ignored *i, *after;
	unsigned int k;

	mutex_lock(&kapi_follow_mutex);
	list_for_each_entry_safe(e, next, &f->all, of)
		kapi_unfollow(e);
	for (k = 0; k < KAPI_MOST_EVERYONE; k++) {
		if (rcu_access_pointer(kapi_everyone[k]) == f) {
			RCU_INIT_POINTER(kapi_everyone[k], NULL);
			WRITE_ONCE(kapi_everyone_count, kapi_everyone_count - 1);
		}
	}
	list_for_each_entry_safe(i, after, &f->ignored_order, order)
		kapi_unignore(f, i);
	if (!kapi_followed_count && !kapi_everyone_count && kapi_mapped_kp.pre_handler) {
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

/* Makes the kernel report mappings. Under the mutex. */
static int kapi_mapped_on(void)
{
	struct kprobe fresh = { .symbol_name = "perf_event_mmap", .pre_handler = kapi_mapped };
	int err;

	if (kapi_mapped_kp.pre_handler)
		return 0;
	kapi_mapped_kp = fresh;
	err = register_kprobe(&kapi_mapped_kp);
	if (err)
		kapi_mapped_kp.pre_handler = NULL;
	return err;
}

static int kapi_follow_everyone(struct kapi_follower *f)
{
	unsigned int i, free = KAPI_MOST_EVERYONE;
	int err;

	for (i = 0; i < KAPI_MOST_EVERYONE; i++) {
		if (rcu_access_pointer(kapi_everyone[i]) == f)
			return 0;
		if (!rcu_access_pointer(kapi_everyone[i]))
			free = i;
	}
	if (free == KAPI_MOST_EVERYONE)
		return -ENOSPC;
	err = kapi_mapped_on();
	if (err)
		return err;
	rcu_assign_pointer(kapi_everyone[free], f);
	WRITE_ONCE(kapi_everyone_count, kapi_everyone_count + 1);
	return 0;
}

static int kapi_follow_mm(struct kapi_follower *f, struct mm_struct *mm)
{
	struct kapi_followed *e, *next;
	int err;

	list_for_each_entry_safe(e, next, &f->all, of) {
		if (e->mm == mm)
			return -EEXIST;
		if (!kapi_space_alive(e->mm))
			kapi_unfollow(e);
	}
	if (f->count >= KAPI_MOST_FOLLOWED)
		return -ENOSPC;
	err = kapi_mapped_on();
	if (err)
		return err;
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

/*
 * From now on reports what the process of this number maps, or code that any process maps (0). A
 * second call does nothing.
 */
int kapi_follower_add(struct kapi_follower *f, int number)
{
	struct kapi_found found;
	struct mm_struct *mm;
	int err;

	if (!number) {
		mutex_lock(&kapi_follow_mutex);
		err = kapi_follow_everyone(f);
		mutex_unlock(&kapi_follow_mutex);
		return err;
	}
	mm = kapi_space_of(number, &found);
	if (!mm)
		return -ESRCH;
	mutex_lock(&kapi_follow_mutex);
	err = kapi_follow_mm(f, mm);
	mutex_unlock(&kapi_follow_mutex);
	if (err)
		mmdrop(mm);
	return err == -EEXIST ? 0 : err;
}

/* A follower of everyone is no longer told of a file in this state. */
int kapi_follower_ignore(struct kapi_follower *f, u64 inode, u64 modified, u32 device)
{
	struct kapi_ignored *i;
	int err = 0;

	mutex_lock(&kapi_follow_mutex);
	if (!kapi_find_ignored(f, inode, modified, device)) {
		i = kmalloc_obj(*i, GFP_KERNEL_ACCOUNT);
		if (i) {
			i->inode = inode;
			i->modified = modified;
			i->device = device;
			if (f->ignored_count >= KAPI_MOST_IGNORED)
				kapi_unignore(f, list_first_entry(&f->ignored_order, struct kapi_ignored, order));
			list_add_tail(&i->order, &f->ignored_order);
			f->ignored_count++;
			hash_add_rcu(f->ignored, &i->node, inode);
		} else {
			err = -ENOMEM;
		}
	}
	mutex_unlock(&kapi_follow_mutex);
	return err;
}

/*
 * Takes the numbers of processes to look at, in the caller's namespace; 0: the process has none
 * there. Returns how many.
 */
u32 kapi_follower_begun(struct kapi_follower *f, u32 *to, u32 room)
{
	struct pid *begun[KAPI_MOST_BEGUN];
	u32 i, n;

	spin_lock(&f->lock);
	n = min(f->begun_count, room);
	for (i = 0; i < n; i++)
		begun[i] = f->begun[--f->begun_count];
	spin_unlock(&f->lock);
	for (i = 0; i < n; i++) {
		to[i] = pid_vnr(begun[i]);
		put_pid(begun[i]);
	}
	return n;
}

/* Returns the last number of a question if it is not answered; 0: there is none. */
u32 kapi_follower_asked(struct kapi_follower *f)
{
	u32 asked;

	spin_lock(&f->lock);
	asked = f->asked == f->answered ? 0 : f->asked;
	spin_unlock(&f->lock);
	return asked;
}

/*
 * Answers all questions up to this number. Returns how many threads went on without an answer since
 * the last time.
 */
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

/* There are no followers any more. Waits for the work that threads still do for them. */
void kapi_follow_quiesce(void)
{
	wait_event(kapi_told, !atomic_read(&kapi_telling));
}
