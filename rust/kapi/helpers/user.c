// SPDX-License-Identifier: GPL-2.0
/*
 * Programs and their memory, from outside: their text is read and changed, a piece is mapped for them, and we are told
 * when they come to a breakpoint, are sent a signal, are copied by fork, or end.
 *
 * An address space is known by its mm_struct, which is held (mmgrab), so no other one gets its address; that it still
 * has somebody in it is asked each time (mmget_not_zero). The text of a process is private memory: what is written
 * there is a copy of the page that its file and other processes do not see. Pages are changed under mmap_lock for
 * reading: fork, which takes it for writing, copies a page before or after, and then knows.
 */
#include <linux/completion.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/highmem.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmu_context.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/tracepoint.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <asm/prctl.h>
#include "kapi.h"

static bool kapi_task_has_shadow_stack(const struct task_struct *task)
{
#ifdef CONFIG_X86_USER_SHADOW_STACK
	return READ_ONCE(task->thread.features) & ARCH_SHSTK_SHSTK;
#else
	return false;
#endif
}

/* The thread uses a shadow stack: what changes the stack without it ends the program. */
notrace bool kapi_shadow_stack(void)
{
	return kapi_task_has_shadow_stack(current);
}

/* The process of this number, as the caller's namespace counts. Its memory is held. */
struct mm_struct *kapi_space_of(int number, struct kapi_found *found)
{
	struct pid *pid = find_get_pid(number);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);
	struct mm_struct *mm;

	put_pid(pid);
	if (!task)
		return NULL;
	mm = get_task_mm(task);
	if (mm) {
		mmgrab(mm);
		mmput(mm);
		found->wide = !test_tsk_thread_flag(task, TIF_ADDR32);
		found->shadow_stack = kapi_task_has_shadow_stack(task);
	}
	put_task_struct(task);
	return mm;
}

/* That of the current process; NULL: it has none, or has it no more. */
struct mm_struct *kapi_space_current(void)
{
	if (!current->mm || (current->flags & PF_KTHREAD))
		return NULL;
	mmgrab(current->mm);
	return current->mm;
}

void kapi_space_drop(struct mm_struct *mm)
{
	mmdrop(mm);
}

bool kapi_space_alive(struct mm_struct *mm)
{
	return atomic_read(&mm->mm_users) > 0;
}

/* One page at a time: gives the bytes that could be read. */
size_t kapi_space_read(struct mm_struct *mm, u64 addr, u8 *to, size_t len)
{
	size_t done = 0;

	if (!mmget_not_zero(mm))
		return 0;
	mmap_read_lock(mm);
	while (done < len && addr + done < TASK_SIZE_MAX) {
		size_t at = offset_in_page(addr + done), n = min(len - done, PAGE_SIZE - at);
		struct page *page;

		if (get_user_pages_remote(mm, (addr + done) & PAGE_MASK, 1, FOLL_FORCE, &page, NULL) != 1)
			break;
		memcpy_from_page(to + done, page, at, n);
		put_page(page);
		done += n;
	}
	mmap_read_unlock(mm);
	mmput(mm);
	return done;
}

/* A number for which part of which file is mapped there: another one, once it has changed. Memory of no file has 0. */
static u64 kapi_text(const struct vm_area_struct *vma)
{
	const struct inode *inode;
	u64 text;

	if (!vma->vm_file)
		return 0;
	inode = file_inode(vma->vm_file);
	text = inode->i_ino * GOLDEN_RATIO_64 ^ inode->i_sb->s_dev;
	text = rol64(text * GOLDEN_RATIO_64, 32) ^ inode->i_generation;
	return text * GOLDEN_RATIO_64 + ((u64)vma->vm_pgoff << PAGE_SHIFT) - vma->vm_start;
}

static u8 kapi_ground(struct mm_struct *mm, u64 addr, u64 *text)
{
	struct vm_area_struct *vma = vma_lookup(mm, addr);

	if (!vma)
		return KAPI_UNMAPPED;
	if (!(vma->vm_flags & VM_EXEC))
		return KAPI_NOT_TEXT;
	if (vma->vm_flags & VM_SHARED)
		return KAPI_SHARED;
	/* What is no memory of the process's own cannot be copied for it. */
	if (vma->vm_flags & (VM_IO | VM_PFNMAP | VM_HUGETLB))
		return KAPI_NOT_TEXT;
	*text = kapi_text(vma);
	return 0;
}

/* The page of an address in text, to be written to. 0, or why not. */
static u8 kapi_text_page(struct mm_struct *mm, u64 addr, u64 *text, struct page **page)
{
	u8 ground = kapi_ground(mm, addr, text);

	if (ground)
		return ground;
	if (get_user_pages_remote(mm, addr & PAGE_MASK, 1, FOLL_FORCE | FOLL_WRITE, page, NULL) != 1)
		return KAPI_NO_MEMORY;
	return 0;
}

static void kapi_page_end(struct page *page)
{
	if (page) {
		set_page_dirty_lock(page);
		put_page(page);
	}
}

/*
 * Changes bytes, one for each; `why` says of each whether that went well. Addresses that ascend share a page. Others wait
 * for the process's memory as long, so not too many at once.
 */
void kapi_space_poke(struct mm_struct *mm, struct kapi_poke *pokes, size_t n)
{
	bool alive = mmget_not_zero(mm);
	struct page *page = NULL;
	u64 on = U64_MAX, text = 0;
	u8 ground = 0;
	size_t i;

	if (alive)
		mmap_read_lock(mm);
	for (i = 0; i < n; i++) {
		struct kapi_poke *poke = &pokes[i];
		u8 *at;

		if (alive && (poke->addr & PAGE_MASK) != on) {
			kapi_page_end(page);
			page = NULL;
			on = poke->addr & PAGE_MASK;
			ground = kapi_text_page(mm, poke->addr, &text, &page);
		}
		poke->why = alive ? ground : KAPI_GONE;
		if (!poke->why && poke->text != text)
			poke->why = KAPI_DIFFERS;
		if (poke->why)
			continue;
		at = (u8 *)kmap_local_page(page) + offset_in_page(poke->addr);
		if (READ_ONCE(*at) == poke->old)
			WRITE_ONCE(*at, poke->new);
		else
			poke->why = KAPI_DIFFERS;
		kunmap_local(at);
	}
	kapi_page_end(page);
	if (alive) {
		mmap_read_unlock(mm);
		mmput(mm);
	}
}

/* Whether text of the process may be changed there: 0, and which it is; or why not. */
u8 kapi_space_ground(struct mm_struct *mm, u64 addr, u64 *text)
{
	u8 ground = KAPI_GONE;

	if (mmget_not_zero(mm)) {
		mmap_read_lock(mm);
		ground = kapi_ground(mm, addr, text);
		mmap_read_unlock(mm);
		mmput(mm);
	}
	return ground;
}

/*
 * Whether a counter of two bytes may be changed there for a probe: in private, writable memory of the file that the
 * probe is in, as the kernel demands of a uprobe's. Any other word may mean something else to the process.
 */
bool kapi_space_counter(struct mm_struct *mm, u64 addr, u64 probe)
{
	const struct vm_area_struct *vma, *text;
	bool good = false;

	if (!mmget_not_zero(mm))
		return false;
	if (!mmap_read_lock_killable(mm)) {
		vma = vma_lookup(mm, addr);
		text = vma_lookup(mm, probe);
		good = vma && text && addr + 2 <= vma->vm_end && vma->vm_file && text->vm_file &&
		       file_inode(vma->vm_file) == file_inode(text->vm_file) &&
		       (vma->vm_flags & (VM_WRITE | VM_SHARED)) == VM_WRITE;
		mmap_read_unlock(mm);
	}
	mmput(mm);
	return good;
}

/* Fills memory that kapi_space_map gave. Nobody runs there yet. */
int kapi_space_write(struct mm_struct *mm, u64 addr, const u8 *from, size_t len)
{
	size_t done = 0;
	int err = 0;

	if (!mmget_not_zero(mm))
		return -ESRCH;
	mmap_read_lock(mm);
	while (done < len) {
		size_t at = offset_in_page(addr + done), n = min(len - done, PAGE_SIZE - at);
		struct page *page;

		if (get_user_pages_remote(mm, (addr + done) & PAGE_MASK, 1, FOLL_FORCE | FOLL_WRITE, &page, NULL) != 1) {
			err = -EFAULT;
			break;
		}
		memcpy_to_page(page, at, from + done, n);
		set_page_dirty_lock(page);
		put_page(page);
		done += n;
	}
	mmap_read_unlock(mm);
	mmput(mm);
	return err;
}

/* No further away: a jump, and what an instruction refers to near itself, must reach. */
#define KAPI_REACH ((u64)SZ_2G - SZ_64M)

/* Where `size` bytes are free, as near as can be: below, because heaps grow upwards; else above. 0: nowhere. */
static u64 kapi_hole(struct mm_struct *mm, u64 near, u64 size)
{
	u64 least = SZ_64K, most = min_t(u64, near + KAPI_REACH, TASK_SIZE_MAX - size);
	u64 at = PAGE_ALIGN_DOWN(near);
	struct vm_area_struct *vma;

	if (near > KAPI_REACH)
		least = max(least, near - KAPI_REACH);
	while (at >= least + size) {
		vma = find_vma(mm, at - size);
		if (!vma || vma->vm_start >= at)
			return at - size;
		at = vma->vm_start;
	}
	for (at = PAGE_ALIGN(near); at <= most; at = vma->vm_end) {
		vma = find_vma(mm, at);
		if (!vma || vma->vm_start >= at + size)
			return at;
	}
	return 0;
}

/* Work in the name of a process. */
struct kapi_mapping {
	long (*work)(const struct kapi_mapping *m);
	struct mm_struct *mm;
	u64 at, size;
	long result;
	struct completion done;
};

static int kapi_mapping_thread(void *arg)
{
	struct kapi_mapping *m = arg;

	kthread_use_mm(m->mm);
	m->result = m->work(m);
	kthread_unuse_mm(m->mm);
	complete(&m->done);
	return 0;
}

/* A thread of the kernel's own does it, unless the caller is of that process: nobody else can. */
static long kapi_mapping_do(struct kapi_mapping *m)
{
	struct task_struct *thread;

	if (current->mm == m->mm)
		return m->work(m);
	if (!mmget_not_zero(m->mm))
		return -ESRCH;
	init_completion(&m->done);
	thread = kthread_run(kapi_mapping_thread, m, "dtrace-map");
	if (IS_ERR(thread))
		m->result = PTR_ERR(thread);
	else
		wait_for_completion(&m->done);
	mmput(m->mm);
	return m->result;
}

static long kapi_map(const struct kapi_mapping *m)
{
	long result = -EEXIST;
	int tries;

	/* Somebody may take the place first. */
	for (tries = 0; result == -EEXIST && tries < 8; tries++) {
		u64 at;

		mmap_read_lock(m->mm);
		at = kapi_hole(m->mm, m->at, m->size);
		mmap_read_unlock(m->mm);
		result = at ? (long)vm_mmap(NULL, at, m->size, PROT_READ | PROT_EXEC,
					    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, 0) : -ENOSPC;
	}
	return result;
}

/* Maps `size` bytes that the process can read and run, within reach of `near`: their address, or an error. */
long kapi_space_map(struct mm_struct *mm, u64 near, u64 size)
{
	return kapi_mapping_do(&(struct kapi_mapping){ .work = kapi_map, .mm = mm, .at = near, .size = size });
}

static long kapi_unmap(const struct kapi_mapping *m)
{
	u64 at = m->at, end = m->at + m->size;
	bool ours = true;

	/* The program may have taken it away, and something else be there. */
	mmap_read_lock(m->mm);
	while (ours && at < end) {
		struct vm_area_struct *vma = vma_lookup(m->mm, at);

		ours = vma && !vma->vm_file && (vma->vm_flags & (VM_EXEC | VM_WRITE | VM_SHARED)) == VM_EXEC;
		if (ours)
			at = vma->vm_end;
	}
	mmap_read_unlock(m->mm);
	return ours ? vm_munmap(m->at, m->size) : 0;
}

/* Takes away what kapi_space_map gave, and nobody is in any more. */
long kapi_space_unmap(struct mm_struct *mm, u64 at, u64 size)
{
	return kapi_mapping_do(&(struct kapi_mapping){ .work = kapi_unmap, .mm = mm, .at = at, .size = size });
}

static bool kapi_task_is_in(struct task_struct *task, u64 at, u64 size)
{
	return READ_ONCE(task->ptrace) || READ_ONCE(task_pt_regs(task)->ip) - at < size;
}

/*
 * Whether a thread may be within what kapi_space_map gave, where nobody goes any more from a breakpoint. Who is there has
 * gone there from the kernel, so there stands where to; who has left it says so when it comes into the kernel again. A
 * debugger may have put registers by.
 */
bool kapi_space_inside(struct mm_struct *mm, u64 at, u64 size)
{
	struct task_struct *p, *t;
	bool inside = false;

	if (mm == current->mm && atomic_read(&mm->mm_users) == 1)
		return kapi_task_is_in(current, at, size);
	rcu_read_lock();
	for_each_process_thread(p, t) {
		if (READ_ONCE(t->mm) != mm)
			continue;
		/* It keeps its memory meanwhile, and so its stack. */
		task_lock(t);
		inside |= t->mm == mm && kapi_task_is_in(t, at, size);
		task_unlock(t);
	}
	rcu_read_unlock();
	return inside;
}

/* A process comes to a breakpoint: interrupts are off, it is about to run in the kernel for nobody else. */
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

/* TP_PROTO(int sig, struct kernel_siginfo *info, struct k_sigaction *ka): its handler is about to be called. */
static void notrace kapi_signal_delivered(void *data, int sig, struct kernel_siginfo *info, struct k_sigaction *ka)
{
	struct pt_regs *regs = task_pt_regs(current);
	bool raised = false;
	u64 ip = regs->ip;

	if (!current->mm || (current->flags & PF_KTHREAD) || !user_mode(regs))
		return;
	switch (sig) {
	case SIGSEGV:
	case SIGBUS:
	case SIGILL:
	case SIGFPE:
	case SIGTRAP:
		raised = (unsigned long)info > 1 && info->si_code > 0;
	}
	kapi_user_signalled(regs, raised);
	if (raised && regs->ip != ip && (unsigned long)info->si_addr == ip)
		info->si_addr = (void __user *)regs->ip;
}

/*
 * A child has copies of the pages of its parent, breakpoints included. It takes them out itself before it runs for the
 * first time. What that takes is there beforehand: a child must not be left with them for want of memory.
 */
struct kapi_child {
	struct callback_head work;
	u64 parent;
	struct kapi_child *next;
};

#define KAPI_SPARE 256

static DEFINE_SPINLOCK(kapi_children_lock);
static struct kapi_child *kapi_children_spare;
static unsigned int kapi_children_spares;
/* Children that still have to. */
static atomic_t kapi_children = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(kapi_children_gone);

static struct kapi_child *kapi_child_get(void)
{
	struct kapi_child *child = kmalloc_obj(*child, GFP_ATOMIC | __GFP_NOWARN);
	unsigned long flags;

	if (child)
		return child;
	spin_lock_irqsave(&kapi_children_lock, flags);
	child = kapi_children_spare;
	if (child) {
		kapi_children_spare = child->next;
		kapi_children_spares--;
	}
	spin_unlock_irqrestore(&kapi_children_lock, flags);
	return child;
}

static void kapi_child_put(struct kapi_child *child)
{
	unsigned long flags;

	spin_lock_irqsave(&kapi_children_lock, flags);
	if (kapi_children_spares < KAPI_SPARE) {
		child->next = kapi_children_spare;
		kapi_children_spare = child;
		kapi_children_spares++;
		child = NULL;
	}
	spin_unlock_irqrestore(&kapi_children_lock, flags);
	kfree(child);
}

static void kapi_children_free(void)
{
	while (kapi_children_spare) {
		struct kapi_child *child = kapi_children_spare;

		kapi_children_spare = child->next;
		kfree(child);
	}
	kapi_children_spares = 0;
}

/* In the child, before it returns to its program; or as it dies, when there is nothing to be done any more. */
static void kapi_child_begins(struct callback_head *work)
{
	struct kapi_child *child = container_of(work, struct kapi_child, work);

	if (current->mm)
		kapi_user_forked(child->parent);
	kapi_child_put(child);
	if (atomic_dec_and_test(&kapi_children))
		wake_up(&kapi_children_gone);
}

/* TP_PROTO(struct task_struct *parent, struct task_struct *child): it has not run yet. */
static void notrace kapi_forked(void *data, struct task_struct *parent, struct task_struct *task)
{
	struct kapi_child *child;
	u64 mm = (unsigned long)parent->mm;

	if (!mm || !task->mm || task->mm == parent->mm || !kapi_user_is_traced(mm))
		return;
	child = kapi_child_get();
	if (!child) {
		pr_warn_ratelimited("dtrace: no memory to take the breakpoints out of process %d\n", task->pid);
		return;
	}
	child->parent = mm;
	init_task_work(&child->work, kapi_child_begins);
	atomic_inc(&kapi_children);
	if (task_work_add(task, &child->work, TWA_RESUME)) {
		kapi_child_put(child);
		atomic_dec(&kapi_children);
	}
}

/* What is known of a process is still needed for its children. */
bool kapi_user_awaits_children(void)
{
	return atomic_read(&kapi_children) > 0;
}

static bool kapi_user_watching;

static void kapi_spaces_changed(struct work_struct *work)
{
	kapi_user_ended();
}
static DECLARE_WORK(kapi_spaces_work, kapi_spaces_changed);

static void kapi_again(struct work_struct *work)
{
	kapi_user_again();
}
static DECLARE_DELAYED_WORK(kapi_again_work, kapi_again);

/* Has that told after some time, once. */
void kapi_user_later(u32 ms)
{
	if (kapi_user_watching)
		mod_delayed_work(system_wq, &kapi_again_work, msecs_to_jiffies(ms));
}

/* TP_PROTO(struct task_struct *p): it is gone, and with the last one of a process its memory. */
static void notrace kapi_task_freed(void *data, struct task_struct *p)
{
	schedule_work(&kapi_spaces_work);
}

/* TP_PROTO(struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm): it has other memory now. */
static void notrace kapi_executed(void *data, struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm)
{
	schedule_work(&kapi_spaces_work);
}

static struct kapi_hook kapi_user_hooks[] = {
	{ .name = "signal_deliver", .probe = kapi_signal_delivered },
	{ .name = "sched_process_fork", .probe = kapi_forked },
	{ .name = "sched_process_exec", .probe = kapi_executed },
	{ .name = "sched_process_free", .probe = kapi_task_freed },
};
/* From now on all of that is told. Called by one at a time, as is its end. */
int kapi_user_watch(void)
{
	int err = 0, i;

	if (kapi_user_watching)
		return 0;
	for (i = 0; i < KAPI_SPARE; i++) {
		struct kapi_child *child = kmalloc_obj(*child, GFP_KERNEL | __GFP_NOWARN);

		if (!child) {
			kapi_children_free();
			return -ENOMEM;
		}
		kapi_child_put(child);
	}
	err = register_die_notifier(&kapi_user_nb);
	for (i = 0; !err && i < ARRAY_SIZE(kapi_user_hooks); i++)
		err = kapi_hook_on(&kapi_user_hooks[i]);
	if (err) {
		while (i--)
			kapi_hook_off(&kapi_user_hooks[i]);
		unregister_die_notifier(&kapi_user_nb);
		tracepoint_synchronize_unregister();
		kapi_children_free();
		return err;
	}
	kapi_user_watching = true;
	return 0;
}

/* Nobody has a breakpoint any more, nor a child of anybody. */
void kapi_user_unwatch(void)
{
	int i;

	if (!kapi_user_watching)
		return;
	for (i = 0; i < ARRAY_SIZE(kapi_user_hooks); i++)
		kapi_hook_off(&kapi_user_hooks[i]);
	tracepoint_synchronize_unregister();
	wait_event(kapi_children_gone, !kapi_user_awaits_children());
	unregister_die_notifier(&kapi_user_nb);
	cancel_work_sync(&kapi_spaces_work);
	cancel_delayed_work_sync(&kapi_again_work);
	kapi_children_free();
	kapi_user_watching = false;
}
