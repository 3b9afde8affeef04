// SPDX-License-Identifier: GPL-2.0
/*
 * Threads of our own that map memory for other processes; mapping.rs decides where.
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

struct kapi_mapping {
	struct mm_struct *mm;
	u64 near, size, looked;
	u32 owner;
	long result;
	struct completion done;
	atomic_t state;
};

/* The states of a mapping. In the last one it belongs to the thread, as does a reference to the module. */
enum { KAPI_MAPPING, KAPI_MAPPED, KAPI_LEFT_BEHIND };

/*
 * Threads that were left behind end when their process lets them. So many may be under way: all, those
 * for processes of all users except root, and those for one user's.
 */
#define KAPI_MAPPINGS 16
#define KAPI_MAPPINGS_OF_USERS 12
#define KAPI_MAPPINGS_OF_USER 4
/* The owner without a quota, as in task.rs. */
#define KAPI_ROOT 0
static struct kapi_mapping *kapi_mappings[KAPI_MAPPINGS];
static DEFINE_SPINLOCK(kapi_mappings_lock);

static bool kapi_mapping_admit(struct kapi_mapping *m)
{
	int i, users = 0, own = 0, free = -1;

	guard(spinlock)(&kapi_mappings_lock);
	for (i = 0; i < KAPI_MAPPINGS; i++) {
		if (!kapi_mappings[i]) {
			free = i;
			continue;
		}
		users += kapi_mappings[i]->owner != KAPI_ROOT;
		own += kapi_mappings[i]->owner == m->owner;
	}
	if (free < 0 || (m->owner != KAPI_ROOT && (users >= KAPI_MAPPINGS_OF_USERS || own >= KAPI_MAPPINGS_OF_USER)))
		return false;
	kapi_mappings[free] = m;
	return true;
}

static void kapi_mapping_end(struct kapi_mapping *m)
{
	int i;

	scoped_guard(spinlock, &kapi_mappings_lock) {
		for (i = 0; i < KAPI_MAPPINGS; i++) {
			if (kapi_mappings[i] == m)
				kapi_mappings[i] = NULL;
		}
	}
	kfree(m);
}

static int kapi_mapping_thread(void *arg)
{
	struct kapi_mapping *m = arg;

	allow_kernel_signal(SIGKILL);
	kthread_use_mm(m->mm);
	m->result = kapi_map_here(m->mm, m->near, m->size, &m->looked);
	kthread_unuse_mm(m->mm);
	mmput_async(m->mm);
	/* The waiter goes on when this thread is in the kernel's own text. */
	if (atomic_xchg(&m->state, KAPI_MAPPED) == KAPI_MAPPING)
		kthread_complete_and_exit(&m->done, 0);
	kapi_mapping_end(m);
	module_put_and_kthread_exit(0);
}

static struct task_struct *kapi_mapping_begin(struct kapi_mapping *m)
{
	struct task_struct *thread = kthread_create(kapi_mapping_thread, m, "dtrace-map");

	if (IS_ERR(thread))
		return thread;
	mmget(m->mm);
	get_task_struct(thread);
	wake_up_process(thread);
	return thread;
}

/* Returns false if the thread has to be left behind. */
static bool kapi_mapping_wait(struct kapi_mapping *m, struct task_struct *thread, u64 ns)
{
	int i;

	if (wait_for_completion_timeout(&m->done, max(nsecs_to_jiffies(ns), HZ / 20UL)))
		return true;
	/* A signal that arrives before the thread allows it is lost. */
	for (i = 0; i < 20; i++) {
		send_sig(SIGKILL, thread, 1);
		if (wait_for_completion_timeout(&m->done, HZ / 20))
			return true;
	}
	if (atomic_xchg(&m->state, KAPI_LEFT_BEHIND) == KAPI_MAPPING)
		return false;
	wait_for_completion(&m->done);
	return true;
}

/* `left`: the thread is left behind, with a reference to the module. */
static long kapi_mapping_run(struct kapi_mapping *m, u64 ns, u64 *looked, bool *left)
{
	struct task_struct *thread = kapi_mapping_begin(m);
	long result = -EINTR;

	if (IS_ERR(thread)) {
		kapi_mapping_end(m);
		return PTR_ERR(thread);
	}
	*left = !kapi_mapping_wait(m, thread, ns);
	if (!*left) {
		result = m->result;
		*looked = m->looked;
		kapi_mapping_end(m);
	}
	put_task_struct(thread);
	return result;
}

/*
 * Has kapi_map_here() called by a thread of the kernel's own that uses this memory, which has
 * users. The thread is killed if it takes longer than `ns`, and this returns soon. One of
 * its waits is not killable: if the process has called mlockall(), vm_mmap() takes the lock of the
 * memory map a second time, to fill the pages, and a fault may wait for a FUSE daemon. A thread that
 * a signal does not end within a second is left behind. It keeps the module, and counts for the user
 * who is accountable for the process, `owner`.
 */
long kapi_map_there(struct mm_struct *mm, u32 owner, u64 near, u64 size, u64 ns, u64 *looked)
{
	struct kapi_mapping *m;
	long result = -ENOMEM;
	bool left = false;

	if (!try_module_get(THIS_MODULE))
		return -EINTR;
	m = kmalloc_obj(*m, GFP_KERNEL | __GFP_NOWARN);
	if (m) {
		*m = (struct kapi_mapping){ .mm = mm, .owner = owner, .near = near, .size = size };
		init_completion(&m->done);
		if (kapi_mapping_admit(m)) {
			result = kapi_mapping_run(m, ns, looked, &left);
		} else {
			kfree(m);
			result = -EINTR;
		}
	}
	if (!left)
		module_put(THIS_MODULE);
	return result;
}
