// SPDX-License-Identifier: GPL-2.0
/*
 * Programs and their memory, from outside: this file reads and changes their text, maps memory for
 * them, and hears when they hit a breakpoint, get a signal, are copied by fork, or end.
 *
 * An address space is known by its mm_struct, which is held (mmgrab), so no other one gets its
 * address; each access checks that a process still uses it (mmget_not_zero). The text of a process
 * is private memory: a write goes to a copy of the page that its file and other processes do not
 * see. Pages are changed under mmap_lock for reading: fork, which takes it for writing, copies a
 * page before a change or after it, and reports the child afterwards.
 *
 * A process decides how long its memory keeps others waiting. A page may come from a FUSE daemon
 * that never answers, a fault may go to a userfaultfd that nobody reads, and unmapping a file of
 * such a daemon waits for it with mmap_lock held. The callers of this file hold locks that every
 * fork, every open and every other user need. So:
 *
 *   - Under such locks, only memory that a user cannot serve is faulted in (kapi_answers); of all
 *     other memory, only pages that are present are used (FOLL_NOFAULT). mmap_lock is waited for a
 *     bounded time (kapi_mm_lock).
 *   - A thread that holds no lock brings pages in first (kapi_space_touch). It waits for as long as
 *     the process likes, and a signal that kills the thread ends that wait as far as the file
 *     system allows.
 *   - Memory is unmapped by a thread of our own that nobody waits for.
 *   - The last reference to the memory is dropped by mmput_async: that unmaps all of it.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/hash.h>
#include <linux/highmem.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/list.h>
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
#include <linux/user_namespace.h>
#include <linux/userfaultfd_k.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <asm/mmu_context.h>
#include <asm/prctl.h>
#include <asm/text-patching.h>
#include "kapi.h"

static bool kapi_task_has_shadow_stack(const struct task_struct *task)
{
#ifdef CONFIG_X86_USER_SHADOW_STACK
	return READ_ONCE(task->thread.features) & ARCH_SHSTK_SHSTK;
#else
	return false;
#endif
}

/* Tells whether the thread has a shadow stack: changing only the normal stack ends the program. */
notrace bool kapi_shadow_stack(void)
{
	return kapi_task_has_shadow_stack(current);
}

/*
 * Returns the memory, held, of the process that has this number in the caller's namespace; NULL:
 * there is none. The first thread may have ended while others go on, so the memory of any thread
 * counts. The memory decides which code the process runs: an x32 program has 64-bit code and short
 * addresses.
 */
struct mm_struct *kapi_space_of(int number, struct kapi_found *found)
{
	struct pid *pid = find_get_pid(number);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID), *t;
	struct mm_struct *mm = NULL;

	put_pid(pid);
	if (!task)
		return NULL;
	rcu_read_lock();
	for_each_thread(task, t) {
		mm = get_task_mm(t);
		if (!mm)
			continue;
		mmgrab(mm);
		mmput_async(mm);
		found->wide = is_64bit_mm(mm);
		found->shadow_stack = kapi_task_has_shadow_stack(t);
		break;
	}
	rcu_read_unlock();
	put_task_struct(task);
	return mm;
}

/* Returns the memory of the current process, held; NULL: it has none, or no longer. */
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

/*
 * Tells whether a fault there ends without the help of a user's program: the page is anonymous, or
 * of a file that the machine's administrator has mounted, and no userfaultfd handles it. A program
 * serves a FUSE file system, except virtiofs, which the host serves. What mmap_lock guards does not
 * change while it is held.
 */
static bool kapi_answers(struct vm_area_struct *vma)
{
	const struct inode *inode;

	if (userfaultfd_armed(vma))
		return false;
	if (!vma->vm_file)
		return vma_is_anonymous(vma);
	inode = file_inode(vma->vm_file);
	/* "fuse", "fuseblk" */
	return S_ISREG(inode->i_mode) && inode->i_sb->s_user_ns == &init_user_ns &&
	       strncmp(inode->i_sb->s_type->name, "fuse", 4);
}

/*
 * How long, in ns, we may still wait for the mmap_locks of all processes together while others wait
 * for us: at most a second, and a tenth of the time that passes. Many processes that keep their
 * locks cost no more than one.
 */
#define KAPI_PATIENCE NSEC_PER_SEC
static DEFINE_SPINLOCK(kapi_patience_lock);
static u64 kapi_patience = KAPI_PATIENCE, kapi_patience_at;

/* Takes the time from `since` to now off the patience; returns the rest. */
static u64 kapi_patience_take(u64 since)
{
	u64 now = ktime_get_ns(), left;

	spin_lock(&kapi_patience_lock);
	if (kapi_patience_at)
		kapi_patience = min(KAPI_PATIENCE, kapi_patience + (now - kapi_patience_at) / 10);
	kapi_patience_at = now;
	kapi_patience -= min(kapi_patience, now - since);
	left = kapi_patience;
	spin_unlock(&kapi_patience_lock);
	return left;
}

/*
 * Locks a process's memory against changes. `patient`: only its own process waits for the caller.
 */
static bool kapi_mm_lock(struct mm_struct *mm, bool patient)
{
	u64 since;

	if (patient)
		return !mmap_read_lock_killable(mm);
	if (mmap_read_trylock(mm))
		return true;
	since = ktime_get_ns();
	while (kapi_patience_take(since)) {
		since = ktime_get_ns();
		usleep_range(100, 300);
		if (mmap_read_trylock(mm))
			return true;
	}
	return false;
}

/*
 * Gets the page of an address, under mmap_lock: 0, or why there is none. Waits for no user's
 * program.
 */
static u8 kapi_page(struct mm_struct *mm, u64 addr, unsigned int flags, struct page **page)
{
	struct vm_area_struct *vma = vma_lookup(mm, addr);

	if (!vma)
		return KAPI_UNMAPPED;
	if (!kapi_answers(vma))
		flags |= FOLL_NOFAULT;
	if (get_user_pages_remote(mm, addr & PAGE_MASK, 1, flags | FOLL_FORCE, page, NULL) == 1)
		return 0;
	return flags & FOLL_NOFAULT ? KAPI_AWAY : KAPI_NO_MEMORY;
}

/*
 * Brings in the page of an address if that may need a wait and so is not done under a lock. A
 * private page becomes a copy of the process's own, which stays. The caller holds no lock: this
 * takes as long as the process wants. -EINTR: the thread was killed meanwhile. A FUSE request that
 * its daemon has read cannot be given up before the daemon answers or ends; that is so for the
 * program's own faults, too.
 */
int kapi_space_touch(struct mm_struct *mm, u64 addr)
{
	struct vm_area_struct *vma;
	int err = 0, locked = 1;
	struct page *page;

	if (!mmget_not_zero(mm))
		return -ESRCH;
	if (mmap_read_lock_killable(mm)) {
		mmput_async(mm);
		return -EINTR;
	}
	vma = vma_lookup(mm, addr);
	if (!vma) {
		err = -EFAULT;
	} else if (!kapi_answers(vma)) {
		unsigned int flags = FOLL_FORCE | (vma->vm_flags & VM_SHARED ? 0 : FOLL_WRITE);

		if (get_user_pages_remote(mm, addr & PAGE_MASK, 1, flags, &page, &locked) == 1)
			put_page(page);
		else
			err = fatal_signal_pending(current) ? -EINTR : -EFAULT;
	}
	if (locked)
		mmap_read_unlock(mm);
	mmput_async(mm);
	return err;
}

/* Reads page by page. Returns the number of bytes read; `why` says why there are no more. */
size_t kapi_space_read(struct mm_struct *mm, u64 addr, u8 *to, size_t len, u8 *why)
{
	size_t done = 0;

	*why = KAPI_GONE;
	if (!mmget_not_zero(mm))
		return 0;
	*why = KAPI_AWAY;
	if (kapi_mm_lock(mm, false)) {
		*why = 0;
		while (done < len && addr + done < TASK_SIZE_MAX) {
			size_t at = offset_in_page(addr + done), n = min(len - done, PAGE_SIZE - at);
			struct page *page;

			*why = kapi_page(mm, addr + done, 0, &page);
			if (*why)
				break;
			memcpy_from_page(to + done, page, at, n);
			put_page(page);
			done += n;
		}
		mmap_read_unlock(mm);
	}
	mmput_async(mm);
	return done;
}

/*
 * Returns a number for the part of a file that is mapped there; another part has another number.
 * Memory of no file has 0.
 */
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

/*
 * Returns 0 if text there can be changed, and sets its number; else why not. `runs` matters only
 * for placing a breakpoint, not for removing it: a program may make text unreadable or writable for
 * a while, and must not find our breakpoint in it later.
 */
static u8 kapi_ground(struct mm_struct *mm, u64 addr, u64 *text, bool *runs)
{
	struct vm_area_struct *vma = vma_lookup(mm, addr);

	if (!vma)
		return KAPI_UNMAPPED;
	*runs = vma->vm_flags & VM_EXEC;
	if (vma->vm_flags & VM_SHARED)
		return KAPI_SHARED;
	/* Memory that is not the process's own cannot be copied for it. */
	if (vma->vm_flags & (VM_IO | VM_PFNMAP | VM_HUGETLB))
		return KAPI_NOT_TEXT;
	*text = kapi_text(vma);
	return 0;
}

static void kapi_page_end(struct page *page, bool own)
{
	if (!page)
		return;
	if (own)
		set_page_dirty_lock(page);
	put_page(page);
}

/*
 * Changes a byte of a page that was got for reading, or for writing (`own`). A page with nothing to
 * change is not copied: most pages of a child have no breakpoint any more. A byte that stays the
 * same is written (TCG takes notice of that) only if a copy exists.
 */
static u8 kapi_poke_page(struct mm_struct *mm, const struct kapi_poke *poke, struct page **page, bool *own)
{
	u8 *at, why = 0;

	if (!*own) {
		struct page *copy;

		at = (u8 *)kmap_local_page(*page) + offset_in_page(poke->addr);
		if (READ_ONCE(*at) != poke->old)
			why = KAPI_DIFFERS;
		kunmap_local(at);
		if (why)
			return why;
		why = kapi_page(mm, poke->addr, FOLL_WRITE | (poke->old == poke->new ? FOLL_NOFAULT : 0), &copy);
		if (why)
			return poke->old == poke->new ? 0 : why;
		put_page(*page);
		*page = copy;
		*own = true;
	}
	at = (u8 *)kmap_local_page(*page) + offset_in_page(poke->addr);
	if (READ_ONCE(*at) == poke->old)
		WRITE_ONCE(*at, poke->new);
	else
		why = KAPI_DIFFERS;
	kunmap_local(at);
	return why;
}

/*
 * Changes one byte per poke; its `why` says whether that went well. Ascending addresses share the
 * work for a page. Others wait for the process's memory meanwhile, so not too many at once.
 * `patient`: as for kapi_mm_lock.
 */
void kapi_space_poke(struct mm_struct *mm, struct kapi_poke *pokes, size_t n, bool patient)
{
	bool alive = mmget_not_zero(mm), locked = alive && kapi_mm_lock(mm, patient), own = false;
	struct page *page = NULL;
	u64 on = U64_MAX, text = 0;
	bool runs = false;
	u8 ground = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		struct kapi_poke *poke = &pokes[i];

		if (locked && (poke->addr & PAGE_MASK) != on) {
			kapi_page_end(page, own);
			page = NULL;
			own = false;
			on = poke->addr & PAGE_MASK;
			ground = kapi_ground(mm, poke->addr, &text, &runs) ?: kapi_page(mm, poke->addr, 0, &page);
		}
		poke->why = !alive ? KAPI_GONE : locked ? ground : KAPI_AWAY;
		if (!poke->why && !runs && poke->new == INT3_INSN_OPCODE)
			poke->why = KAPI_NOT_TEXT;
		if (!poke->why)
			poke->why = poke->text != text ? KAPI_DIFFERS : kapi_poke_page(mm, poke, &page, &own);
	}
	kapi_page_end(page, own);
	if (locked)
		mmap_read_unlock(mm);
	if (alive)
		mmput_async(mm);
}

/* Tells whether text of the process may be changed there: 0, with its number; or why not. */
u8 kapi_space_ground(struct mm_struct *mm, u64 addr, u64 *text)
{
	u8 ground = KAPI_GONE;
	bool runs;

	if (mmget_not_zero(mm)) {
		ground = KAPI_AWAY;
		if (kapi_mm_lock(mm, false)) {
			ground = kapi_ground(mm, addr, text, &runs);
			if (!ground && !runs)
				ground = KAPI_NOT_TEXT;
			mmap_read_unlock(mm);
		}
		mmput_async(mm);
	}
	return ground;
}

/*
 * Tells whether a counter of two bytes there may be changed for a probe: it must be in private,
 * writable memory of the file that the probe is in, as the kernel demands for a uprobe. Any other
 * word may mean something else to the process.
 */
bool kapi_space_counter(struct mm_struct *mm, u64 addr, u64 probe)
{
	const struct vm_area_struct *vma, *text;
	bool good = false;

	if (!mmget_not_zero(mm))
		return false;
	if (kapi_mm_lock(mm, false)) {
		vma = vma_lookup(mm, addr);
		text = vma_lookup(mm, probe);
		good = vma && text && addr + 2 <= vma->vm_end && vma->vm_file && text->vm_file &&
		       file_inode(vma->vm_file) == file_inode(text->vm_file) &&
		       (vma->vm_flags & (VM_WRITE | VM_SHARED)) == VM_WRITE;
		mmap_read_unlock(mm);
	}
	mmput_async(mm);
	return good;
}

/*
 * Fills memory from kapi_space_map() that no thread runs in yet, or changes a counter. -EAGAIN:
 * that needs a wait.
 */
int kapi_space_write(struct mm_struct *mm, u64 addr, const u8 *from, size_t len)
{
	size_t done = 0;
	u8 why = 0;

	if (!mmget_not_zero(mm))
		return -ESRCH;
	if (!kapi_mm_lock(mm, false)) {
		mmput_async(mm);
		return -EAGAIN;
	}
	while (done < len && !why) {
		size_t at = offset_in_page(addr + done), n = min(len - done, PAGE_SIZE - at);
		struct page *page;

		why = kapi_page(mm, addr + done, FOLL_WRITE, &page);
		if (why)
			break;
		memcpy_to_page(page, at, from + done, n);
		set_page_dirty_lock(page);
		put_page(page);
		done += n;
	}
	mmap_read_unlock(mm);
	mmput_async(mm);
	return !why ? 0 : why == KAPI_AWAY ? -EAGAIN : why == KAPI_UNMAPPED ? -EFAULT : -ENOMEM;
}

/*
 * The largest distance: jumps, and instructions that refer to memory near themselves, must reach.
 */
#define KAPI_REACH ((u64)SZ_2G - SZ_64M)

/*
 * Returns an address with `size` free bytes, as near as possible: below, because heaps grow
 * upwards; else above. 0: none.
 */
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

/* Memory that is mapped for a process. */
struct kapi_mapping {
	struct mm_struct *mm;
	u64 near, size;
	long result;
	struct completion done;
};

static long kapi_map(const struct kapi_mapping *m)
{
	long result = -EEXIST;
	int tries;

	/* Another thread may take the place first. */
	for (tries = 0; result == -EEXIST && tries < 8; tries++) {
		u64 at;

		if (mmap_read_lock_killable(m->mm))
			return -EINTR;
		at = kapi_hole(m->mm, m->near, m->size);
		mmap_read_unlock(m->mm);
		result = at ? (long)vm_mmap(NULL, at, m->size, PROT_READ | PROT_EXEC,
					    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, 0) : -ENOSPC;
	}
	return result;
}

static int kapi_mapping_thread(void *arg)
{
	struct kapi_mapping *m = arg;

	allow_kernel_signal(SIGKILL);
	kthread_use_mm(m->mm);
	m->result = kapi_map(m);
	kthread_unuse_mm(m->mm);
	kthread_complete_and_exit(&m->done, 0);
}

/*
 * Maps `size` bytes that the process can read and run, within reach of `near`. Returns their
 * address, or an error. A thread of the kernel's own does it. All its waits are killable ones for
 * mmap_lock (new memory is of no file, and of no userfaultfd), so it is killed if it takes too
 * long, and this returns soon. -EAGAIN: that happened.
 */
long kapi_space_map(struct mm_struct *mm, u64 near, u64 size)
{
	struct kapi_mapping m = { .mm = mm, .near = near, .size = size };
	struct task_struct *thread;
	u64 since = ktime_get_ns();

	if (!mmget_not_zero(mm))
		return -ESRCH;
	init_completion(&m.done);
	thread = kthread_create(kapi_mapping_thread, &m, "dtrace-map");
	if (IS_ERR(thread)) {
		m.result = PTR_ERR(thread);
	} else {
		unsigned long left = nsecs_to_jiffies(kapi_patience_take(ktime_get_ns()));

		get_task_struct(thread);
		wake_up_process(thread);
		if (!wait_for_completion_timeout(&m.done, max(left, HZ / 20UL))) {
			/* A signal that arrives before the thread allows it is lost. */
			do
				send_sig(SIGKILL, thread, 1);
			while (!wait_for_completion_timeout(&m.done, HZ / 20));
			kapi_patience_take(since);
		}
		put_task_struct(thread);
	}
	mmput_async(mm);
	return m.result == -EINTR ? -EAGAIN : m.result;
}

static int kapi_unmap(struct mm_struct *mm, u64 from, u64 size)
{
	u64 at = from, end = from + size;
	bool ours = true;

	/* The program may have unmapped it, and have something else there. */
	if (mmap_read_lock_killable(mm))
		return -EINTR;
	while (ours && at < end) {
		struct vm_area_struct *vma = vma_lookup(mm, at);

		ours = vma && !vma->vm_file && (vma->vm_flags & (VM_EXEC | VM_WRITE | VM_SHARED)) == VM_EXEC;
		if (ours)
			at = vma->vm_end;
	}
	mmap_read_unlock(mm);
	return ours ? vm_munmap(from, size) : 0;
}

/*
 * Memory to be unmapped. One thread does it for all processes, and nobody waits for it. If a
 * userfaultfd of the process must hear of it and nobody reads that, or the process keeps its
 * mmap_lock, a signal ends the thread's wait after a second: all its waits are killable, because
 * the memory is of no file. The memory is unmapped by then, or the thread tries again.
 */
struct kapi_unmapping {
	struct list_head list;
	struct mm_struct *mm;
	u64 at, size;
	unsigned int tries;
};

static DEFINE_SPINLOCK(kapi_unmaps_lock);
static LIST_HEAD(kapi_unmaps);
static DECLARE_WAIT_QUEUE_HEAD(kapi_unmaps_wait);
static struct task_struct *kapi_unmapper;
/* The number of finished tries; whether one is under way or due. */
static unsigned long kapi_unmaps_done;
static bool kapi_unmaps_busy;

static struct kapi_unmapping *kapi_unmaps_next(void)
{
	struct kapi_unmapping *u;

	spin_lock(&kapi_unmaps_lock);
	u = list_first_entry_or_null(&kapi_unmaps, struct kapi_unmapping, list);
	if (u)
		list_del(&u->list);
	WRITE_ONCE(kapi_unmaps_busy, u);
	spin_unlock(&kapi_unmaps_lock);
	return u;
}

static int kapi_unmaps_thread(void *arg)
{
	allow_kernel_signal(SIGKILL);
	for (;;) {
		struct kapi_unmapping *u;
		int err = 0;

		wait_event_idle(kapi_unmaps_wait, !list_empty(&kapi_unmaps) || kthread_should_stop());
		u = kapi_unmaps_next();
		if (!u) {
			if (kthread_should_stop())
				return 0;
			continue;
		}
		if (mmget_not_zero(u->mm)) {
			kthread_use_mm(u->mm);
			err = kapi_unmap(u->mm, u->at, u->size);
			kthread_unuse_mm(u->mm);
			mmput_async(u->mm);
		}
		flush_signals(current);
		WRITE_ONCE(kapi_unmaps_done, kapi_unmaps_done + 1);
		if (err == -EINTR && u->tries++ < 2) {
			spin_lock(&kapi_unmaps_lock);
			list_add_tail(&u->list, &kapi_unmaps);
			spin_unlock(&kapi_unmaps_lock);
			continue;
		}
		mmdrop(u->mm);
		kfree(u);
	}
}

static void kapi_unmaps_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(kapi_unmaps_work, kapi_unmaps_look);

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

static int kapi_unmaps_add(struct mm_struct *mm, u64 at, u64 size)
{
	struct kapi_unmapping *u = kmalloc_obj(*u, GFP_KERNEL | __GFP_NOWARN);

	if (!u)
		return -ENOMEM;
	mmgrab(mm);
	*u = (struct kapi_unmapping){ .mm = mm, .at = at, .size = size };
	spin_lock(&kapi_unmaps_lock);
	list_add_tail(&u->list, &kapi_unmaps);
	WRITE_ONCE(kapi_unmaps_busy, true);
	spin_unlock(&kapi_unmaps_lock);
	wake_up(&kapi_unmaps_wait);
	schedule_delayed_work(&kapi_unmaps_work, HZ / 2);
	return 0;
}

/*
 * Unmaps memory from kapi_space_map() that no thread is in any more: at once, if it is the memory
 * of the caller, which then holds no lock; else as soon as possible.
 */
int kapi_space_unmap(struct mm_struct *mm, u64 at, u64 size)
{
	return current->mm == mm ? kapi_unmap(mm, at, size) : kapi_unmaps_add(mm, at, size);
}

static int kapi_unmaps_begin(void)
{
	struct task_struct *thread = kthread_run(kapi_unmaps_thread, NULL, "dtrace-unmap");

	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kapi_unmapper = thread;
	return 0;
}

/* Waits until all memory is unmapped that can be. */
static void kapi_unmaps_end(void)
{
	kthread_stop(kapi_unmapper);
	cancel_delayed_work_sync(&kapi_unmaps_work);
	kapi_unmapper = NULL;
}

static bool kapi_task_is_in(struct task_struct *task, u64 at, u64 size)
{
	return READ_ONCE(task->ptrace) || READ_ONCE(task_pt_regs(task)->ip) - at < size;
}

/*
 * Tells whether a thread may be in memory from kapi_space_map(); breakpoints send no more threads
 * there. The kernel sent a thread that is there, so its saved state holds that address; a thread
 * that has left shows so when it enters the kernel again. A debugger may have set registers aside.
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
		/* The thread keeps its memory meanwhile, and so its stack. */
		task_lock(t);
		inside |= t->mm == mm && kapi_task_is_in(t, at, size);
		task_unlock(t);
	}
	rcu_read_unlock();
	return inside;
}

/*
 * Tells whether the thread may be copying its process. Between the copy of the pages, breakpoints
 * included, and sched_process_fork, which reports the child, the thread is in one of these system
 * calls. Its saved number stays until it enters the kernel again; so this may say yes for a thread
 * that has left, and never no for one that is still in. It takes the numbers of 64-bit and 32-bit
 * programs for each other: work that this delays is tried again.
 */
static bool kapi_may_fork(const struct pt_regs *regs)
{
	switch ((u32)READ_ONCE(regs->orig_ax) & ~0x40000000u) {
	case 56:	/* clone */
	case 57:	/* fork */
	case 58:	/* vfork */
	case 435:	/* clone3, of both */
	case 2:		/* fork, of 32 bits */
	case 120:	/* clone, of 32 bits */
	case 190:	/* vfork, of 32 bits */
		return true;
	}
	return false;
}

/*
 * Reports the threads of all processes that `tell` wants; it is first called with NULL and says so.
 * As kapi_space_inside(), but in one walk for many of them.
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
		if (is_there) {
			thread.ip = READ_ONCE(task_pt_regs(t)->ip);
			thread.debugged = READ_ONCE(t->ptrace);
			thread.may_fork = kapi_may_fork(task_pt_regs(t));
		}
		task_unlock(t);
		if (is_there)
			tell(data, (unsigned long)mm, &thread);
	}
	rcu_read_unlock();
}

/*
 * A process has hit a breakpoint. Interrupts are off, and the CPU ran the program, not the kernel.
 */
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

/*
 * TP_PROTO(int sig, struct kernel_siginfo *info, struct k_sigaction *ka): the signal's handler is
 * about to be called.
 */
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
 * A child has copies of the pages of its parent, breakpoints included. It removes them itself
 * before it runs for the first time. The memory for that is reserved: a child must not keep
 * breakpoints for want of memory.
 */
struct kapi_child {
	struct callback_head work;
	u64 parent;
	struct task_struct *task;
	struct list_head list;
};

#define KAPI_SPARE 256

static DEFINE_SPINLOCK(kapi_children_lock);
static LIST_HEAD(kapi_children_spare);
static unsigned int kapi_children_spares;
/* Children that still have breakpoints to remove. */
static LIST_HEAD(kapi_children);
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

static void kapi_spaces_changed(struct work_struct *work)
{
	kapi_user_ended();
}
static DECLARE_WORK(kapi_spaces_work, kapi_spaces_changed);

/* `begun`: the child is in kapi_children. */
static void kapi_child_put(struct kapi_child *child, bool begun)
{
	unsigned long flags;

	spin_lock_irqsave(&kapi_children_lock, flags);
	if (begun) {
		list_del(&child->list);
		/*
		 * Its parent may have ended meanwhile. Under the lock: the thread that waits for the last
		 * child then shuts all this down.
		 */
		if (list_empty(&kapi_children)) {
			schedule_work(&kapi_spaces_work);
			wake_up(&kapi_children_gone);
		}
	}
	if (kapi_children_spares < KAPI_SPARE) {
		list_add(&child->list, &kapi_children_spare);
		kapi_children_spares++;
		child = NULL;
	}
	spin_unlock_irqrestore(&kapi_children_lock, flags);
	kfree(child);
}

static void kapi_children_free(void)
{
	struct kapi_child *child, *next;

	list_for_each_entry_safe(child, next, &kapi_children_spare, list)
		kfree(child);
	INIT_LIST_HEAD(&kapi_children_spare);
	kapi_children_spares = 0;
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
static void notrace kapi_forked(void *data, struct task_struct *parent, struct task_struct *task)
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
	init_task_work(&child->work, kapi_child_begins);
	spin_lock_irqsave(&kapi_children_lock, flags);
	list_add(&child->list, &kapi_children);
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
	list_for_each_entry(child, &kapi_children, list)
		some |= child->parent == parent;
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
 * Waits for all children. A child that cannot get at its own memory (because a daemon does not
 * answer, say) would keep the module for ever, and if it ran on, a breakpoint would end it: after a
 * while it is killed.
 */
static void kapi_children_await(void)
{
	while (!wait_event_timeout(kapi_children_gone, kapi_children_none(), 10 * HZ)) {
		const struct kapi_child *child;
		unsigned long flags;

		spin_lock_irqsave(&kapi_children_lock, flags);
		list_for_each_entry(child, &kapi_children, list) {
			pr_warn("dtrace: process %d cannot be rid of its breakpoints, and is killed\n", child->task->pid);
			send_sig(SIGKILL, child->task, 1);
		}
		spin_unlock_irqrestore(&kapi_children_lock, flags);
	}
}

static bool kapi_user_watching;

static void kapi_again(struct work_struct *work)
{
	kapi_user_again();
}
static DECLARE_DELAYED_WORK(kapi_again_work, kapi_again);

/* Has kapi_user_again() called once, after this time. */
void kapi_user_later(u32 ms)
{
	if (kapi_user_watching)
		mod_delayed_work(system_percpu_wq, &kapi_again_work, msecs_to_jiffies(ms));
}

/*
 * TP_PROTO(struct task_struct *p): the thread is gone, and with the last one of a process its
 * memory.
 */
static void notrace kapi_task_freed(void *data, struct task_struct *p)
{
	schedule_work(&kapi_spaces_work);
}

/*
 * TP_PROTO(struct task_struct *p, pid_t old_pid, struct linux_binprm *bprm): the process has other
 * memory now.
 */
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
/*
 * From now on, all these events are reported. Calls of this and of kapi_user_unwatch() do not
 * overlap.
 */
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
		kapi_child_put(child, false);
	}
	err = kapi_unmaps_begin();
	if (err) {
		kapi_children_free();
		return err;
	}
	err = register_die_notifier(&kapi_user_nb);
	for (i = 0; !err && i < ARRAY_SIZE(kapi_user_hooks); i++)
		err = kapi_hook_on(&kapi_user_hooks[i]);
	if (err) {
		while (i--)
			kapi_hook_off(&kapi_user_hooks[i]);
		unregister_die_notifier(&kapi_user_nb);
		tracepoint_synchronize_unregister();
		kapi_unmaps_end();
		kapi_children_free();
		return err;
	}
	kapi_user_watching = true;
	return 0;
}

/* No process has a breakpoint any more. Waits until no child has one either. */
void kapi_user_unwatch(void)
{
	int i;

	if (!kapi_user_watching)
		return;
	for (i = 0; i < ARRAY_SIZE(kapi_user_hooks); i++)
		kapi_hook_off(&kapi_user_hooks[i]);
	tracepoint_synchronize_unregister();
	kapi_children_await();
	unregister_die_notifier(&kapi_user_nb);
	cancel_work_sync(&kapi_spaces_work);
	cancel_delayed_work_sync(&kapi_again_work);
	kapi_unmaps_end();
	kapi_children_free();
	kapi_user_watching = false;
}
