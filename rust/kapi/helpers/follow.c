// SPDX-License-Identifier: GPL-2.0
/*
 * For follow.rs, mapped.rs, questions.rs and rcu.rs: the kprobe that sees mappings, queues of the
 * kernel's macros, and references that only inline functions take.
 */
#include <linux/freezer.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include "kapi.h"

/* Handles perf_event_mmap(vma), which the kernel calls when memory is mapped or gets other rights. */
static int kapi_mapped(struct kprobe *kp, struct pt_regs *regs)
{
	const struct vm_area_struct *vma = (const void *)regs->di;
	struct kapi_mapped mapped = {};
	const struct inode *inode;

	if (!vma->vm_file || vma->vm_mm != current->mm || (current->flags & (PF_KTHREAD | PF_EXITING)))
		return 0;
	mapped.shared = vma->vm_flags & VM_SHARED;
	mapped.runs = vma->vm_flags & VM_EXEC;
	mapped.own = (vma->vm_flags & VM_WRITE) || vma->anon_vma;
	if (mapped.runs) {
		inode = file_user_inode(vma->vm_file);
		mapped.inode = inode->i_ino;
		mapped.modified = (u64)inode_get_mtime_sec(inode) * NSEC_PER_SEC + inode_get_mtime_nsec(inode);
		mapped.device = inode->i_sb->s_dev;
	}
	kapi_follow_mapped(&mapped);
	return 0;
}

static struct kprobe kapi_mapped_kp;

/* Makes the kernel report mappings. Called under a lock, as the next function. */
int kapi_mapped_on(void)
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

void kapi_mapped_off(void)
{
	if (!kapi_mapped_kp.pre_handler)
		return;
	unregister_kprobe(&kapi_mapped_kp);
	kapi_mapped_kp.pre_handler = NULL;
}

void kapi_queue_init(struct wait_queue_head *queue)
{
	init_waitqueue_head(queue);
}

/*
 * Waits for at most `left` ticks until done(arg). Returns how many are left; 0: the time is over; less: the
 * thread was killed.
 */
long kapi_wait_killable(struct wait_queue_head *queue, kapi_done_fn done, void *arg, long left)
{
	left = ___wait_event(*queue, ___wait_cond_timeout(done(arg)), (TASK_KILLABLE | TASK_FREEZABLE), 0, left,
			     __ret = schedule_timeout(__ret));
	return !left && fatal_signal_pending(current) ? -EINTR : left;
}

static DECLARE_WAIT_QUEUE_HEAD(kapi_told);

/* Waits until `telling` is 0. The thread that sets it to 0 then calls kapi_told_wake(). */
void kapi_told_wait(const u32 *telling)
{
	wait_event(kapi_told, !READ_ONCE(*telling));
}

void kapi_told_wake(void)
{
	wake_up(&kapi_told);
}

/* Returns the current process. */
struct pid *kapi_process(void)
{
	return task_tgid(current);
}

/* As kapi_process(), with a reference. */
struct pid *kapi_process_get(void)
{
	return get_pid(task_tgid(current));
}

/* Frees a block of kmalloc(), which begins with a struct rcu_head, after a grace period. */
void kapi_free_rcu(void *block)
{
	struct { struct rcu_head rcu; } *head = block;

	BUILD_BUG_ON(sizeof(*head) != 2 * sizeof(long));
	kfree_rcu(head, rcu);
}
