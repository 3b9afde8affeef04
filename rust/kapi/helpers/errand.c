// SPDX-License-Identifier: GPL-2.0
/*
 * Threads of our own that map memory for other processes (mapping.rs), or copy pages of theirs that they
 * share with their children (errand.rs), while the caller holds locks that others wait for. A process
 * decides how long such an errand takes; the caller decides how long it waits for it.
 */
#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmu_context.h>
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include "kapi.h"

/* Maps memory of no file for the current process, if nothing is there. */
long kapi_map_code(u64 at, u64 size)
{
	return vm_mmap(NULL, at, size, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, 0);
}

struct kapi_errand {
	struct mm_struct *mm;
	u32 owner;
	long result;
	struct completion done;
	atomic_t state;
	/* To map memory. */
	u64 near, size, looked;
	/* To copy pages; otherwise there are none. */
	u32 n;
	u64 pages[] __counted_by(n);
};

/* The states of an errand. In the last one it belongs to the thread, as does a reference to the module. */
enum { KAPI_UNDER_WAY, KAPI_DONE, KAPI_LEFT_BEHIND };

/*
 * Threads that were left behind end when their process lets them. So many may be under way: all, those
 * for processes of all users except root, and those for one user's.
 */
#define KAPI_ERRANDS 16
#define KAPI_ERRANDS_OF_USERS 12
#define KAPI_ERRANDS_OF_USER 4
/* The owner without a quota, as in task.rs. */
#define KAPI_ROOT 0
static struct kapi_errand *kapi_errands[KAPI_ERRANDS];
static DEFINE_SPINLOCK(kapi_errands_lock);

static bool kapi_errand_admit(struct kapi_errand *e)
{
	int i, users = 0, own = 0, free = -1;

	guard(spinlock)(&kapi_errands_lock);
	for (i = 0; i < KAPI_ERRANDS; i++) {
		if (!kapi_errands[i]) {
			free = i;
			continue;
		}
		users += kapi_errands[i]->owner != KAPI_ROOT;
		own += kapi_errands[i]->owner == e->owner;
	}
	if (free < 0 || (e->owner != KAPI_ROOT && (users >= KAPI_ERRANDS_OF_USERS || own >= KAPI_ERRANDS_OF_USER)))
		return false;
	kapi_errands[free] = e;
	return true;
}

static void kapi_errand_end(struct kapi_errand *e)
{
	int i;

	scoped_guard(spinlock, &kapi_errands_lock) {
		for (i = 0; i < KAPI_ERRANDS; i++) {
			if (kapi_errands[i] == e)
				kapi_errands[i] = NULL;
		}
	}
	kvfree(e);
}

/* The thread was killed, and a signal would keep it from locking the memory map. */
static void kapi_errand_unmap(const struct kapi_errand *e)
{
	flush_signals(current);
	(void)kapi_unmap_here(e->mm, e->result, e->size);
}

static int kapi_errand_thread(void *arg)
{
	struct kapi_errand *e = arg;
	bool left;

	allow_kernel_signal(SIGKILL);
	kthread_use_mm(e->mm);
	/* On a busy machine the waiter may be gone before this begins, and no signal would end it any more. */
	if (atomic_read(&e->state) == KAPI_LEFT_BEHIND)
		e->result = -EINTR;
	else if (e->n)
		e->result = kapi_copy_here(e->mm, e->pages, e->n);
	else
		e->result = kapi_map_here(e->mm, e->near, e->size, &e->looked);
	left = atomic_xchg(&e->state, KAPI_DONE) == KAPI_LEFT_BEHIND;
	/* Nobody will know of this memory. */
	if (left && !e->n && e->result > 0)
		kapi_errand_unmap(e);
	kthread_unuse_mm(e->mm);
	mmput_async(e->mm);
	/* The waiter goes on when this thread is in the kernel's own text. */
	if (!left)
		kthread_complete_and_exit(&e->done, 0);
	kapi_errand_end(e);
	module_put_and_kthread_exit(0);
}

static struct task_struct *kapi_errand_begin(struct kapi_errand *e)
{
	struct task_struct *thread = kthread_create(kapi_errand_thread, e, "dtrace-errand");

	if (IS_ERR(thread))
		return thread;
	mmget(e->mm);
	get_task_struct(thread);
	wake_up_process(thread);
	return thread;
}

/* Returns false if the thread has to be left behind. */
static bool kapi_errand_wait(struct kapi_errand *e, struct task_struct *thread, u64 ns)
{
	u32 owner = e->owner;
	int i;

	if (wait_for_completion_timeout(&e->done, nsecs_to_jiffies(ns)))
		return true;
	/* A signal that arrives before the thread allows it is lost. */
	for (i = 0; i < 4; i++) {
		send_sig(SIGKILL, thread, 1);
		if (wait_for_completion_timeout(&e->done, HZ / 20))
			return true;
	}
	if (atomic_xchg(&e->state, KAPI_LEFT_BEHIND) == KAPI_UNDER_WAY) {
		pr_warn_ratelimited("dtrace: a process of user %u keeps thread %d waiting for its memory; the module stays until that ends\n",
				    owner, thread->pid);
		return false;
	}
	wait_for_completion(&e->done);
	return true;
}

/*
 * Has a thread of the kernel's own do the errand. `mm` has users. The thread is killed if it takes
 * longer than `ns`, and this returns soon. Some of its waits are not killable: if the process has
 * called mlockall(), vm_mmap() takes the lock of the memory map a second time, to fill the pages, and
 * a fault may wait for a FUSE daemon. A thread that a signal does not end within a fifth of a second
 * is left behind, with the errand. It keeps the module, and counts for the user who is accountable for the
 * process. Otherwise the caller ends it. -EINTR: nothing was done, or
 * not all of it.
 */
static long kapi_errand_run(struct kapi_errand *e, u64 ns, bool *left)
{
	struct task_struct *thread;

	*left = false;
	if (!try_module_get(THIS_MODULE))
		return -EINTR;
	thread = kapi_errand_begin(e);
	if (IS_ERR(thread)) {
		module_put(THIS_MODULE);
		return PTR_ERR(thread);
	}
	*left = !kapi_errand_wait(e, thread, ns);
	put_task_struct(thread);
	if (*left)
		return -EINTR;
	module_put(THIS_MODULE);
	return e->result;
}

/* An errand that is admitted; ERR_PTR(-EINTR): too many are under way. */
static struct kapi_errand *kapi_errand_make(struct mm_struct *mm, u32 owner, u32 n)
{
	struct kapi_errand *e = kvzalloc(struct_size(e, pages, n), GFP_KERNEL | __GFP_NOWARN);

	if (!e)
		return ERR_PTR(-ENOMEM);
	e->mm = mm;
	e->owner = owner;
	e->n = n;
	init_completion(&e->done);
	if (kapi_errand_admit(e))
		return e;
	kvfree(e);
	return ERR_PTR(-EINTR);
}

/* Has kapi_map_here() called by a thread that uses this memory. */
long kapi_map_there(struct mm_struct *mm, u32 owner, u64 near, u64 size, u64 ns, u64 *looked)
{
	struct kapi_errand *e = kapi_errand_make(mm, owner, 0);
	long result;
	bool left;

	if (IS_ERR(e))
		return PTR_ERR(e);
	e->near = near;
	e->size = size;
	result = kapi_errand_run(e, ns, &left);
	if (!left) {
		*looked = e->looked;
		kapi_errand_end(e);
	}
	return result;
}

/* Has kapi_copy_here() called for these pages. -EINTR: some may be copied. */
long kapi_copy_there(struct mm_struct *mm, u32 owner, const u64 *pages, u32 n, u64 ns)
{
	struct kapi_errand *e = kapi_errand_make(mm, owner, n);
	long result;
	bool left;

	if (IS_ERR(e))
		return PTR_ERR(e);
	memcpy(e->pages, pages, flex_array_size(e, pages, n));
	result = kapi_errand_run(e, ns, &left);
	if (!left)
		kapi_errand_end(e);
	return result;
}
