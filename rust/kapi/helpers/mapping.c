// SPDX-License-Identifier: GPL-2.0
/*
 * Threads of our own that map memory for other processes; mapping.rs decides where.
 */
#include <linux/completion.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmu_context.h>
#include <linux/module.h>
#include <linux/refcount.h>
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
	u64 near, size;
	long result;
	struct completion done;
	refcount_t users;
};

/* Threads that were left behind end when their process lets them. So many may be under way. */
#define KAPI_MAPPINGS 16
static atomic_t kapi_mappings;

static void kapi_mapping_put(struct kapi_mapping *m)
{
	if (refcount_dec_and_test(&m->users))
		kfree(m);
}

static int kapi_mapping_thread(void *arg)
{
	struct kapi_mapping *m = arg;

	allow_kernel_signal(SIGKILL);
	kthread_use_mm(m->mm);
	m->result = kapi_map_here(m->mm, m->near, m->size);
	kthread_unuse_mm(m->mm);
	mmput_async(m->mm);
	complete(&m->done);
	kapi_mapping_put(m);
	atomic_dec(&kapi_mappings);
	module_put_and_kthread_exit(0);
}

static struct task_struct *kapi_mapping_begin(struct kapi_mapping *m)
{
	struct task_struct *thread;

	if (!try_module_get(THIS_MODULE))
		return ERR_PTR(-EINTR);
	thread = kthread_create(kapi_mapping_thread, m, "dtrace-map");
	if (IS_ERR(thread)) {
		module_put(THIS_MODULE);
		return thread;
	}
	atomic_inc(&kapi_mappings);
	mmget(m->mm);
	refcount_inc(&m->users);
	get_task_struct(thread);
	wake_up_process(thread);
	return thread;
}

/*
 * Has kapi_map_here() called by a thread of the kernel's own that uses this memory, which has
 * users. The thread is killed if it takes longer than `ns` (`late`), and this returns soon. One of
 * its waits is not killable: if the process has called mlockall(), vm_mmap() takes the lock of the
 * memory map a second time, to fill the pages, and a fault may wait for a FUSE daemon. A thread that
 * a signal does not end within a second is left behind. It keeps the module.
 */
long kapi_map_there(struct mm_struct *mm, u64 near, u64 size, u64 ns, bool *late)
{
	struct kapi_mapping *m;
	struct task_struct *thread;
	long result = -EINTR;
	int i;

	*late = false;
	if (atomic_read(&kapi_mappings) >= KAPI_MAPPINGS)
		return -EINTR;
	m = kmalloc_obj(*m, GFP_KERNEL | __GFP_NOWARN);
	if (!m)
		return -ENOMEM;
	*m = (struct kapi_mapping){ .mm = mm, .near = near, .size = size, .users = REFCOUNT_INIT(1) };
	init_completion(&m->done);
	thread = kapi_mapping_begin(m);
	if (IS_ERR(thread)) {
		kapi_mapping_put(m);
		return PTR_ERR(thread);
	}
	*late = !wait_for_completion_timeout(&m->done, max(nsecs_to_jiffies(ns), HZ / 20UL));
	/* A signal that arrives before the thread allows it is lost. */
	for (i = 0; *late && i < 20 && !completion_done(&m->done); i++) {
		send_sig(SIGKILL, thread, 1);
		wait_for_completion_timeout(&m->done, HZ / 20);
	}
	if (!*late || completion_done(&m->done))
		result = m->result;
	put_task_struct(thread);
	kapi_mapping_put(m);
	return result;
}
