// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of processes: what only C can reach of it. space.rs and pages.rs decide which of it is used, and
 * how long that may take.
 */
#include <linux/blkdev.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/magic.h>
#include <linux/major.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/mmzone.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/user_namespace.h>
#include <linux/userfaultfd_k.h>
#include <linux/vmstat.h>
#include <asm/mmu_context.h>
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

/* Tells whether the thread has a shadow stack: changing only the normal stack ends the program. */
notrace bool kapi_shadow_stack(void)
{
	return kapi_task_has_shadow_stack(current);
}

/* Returns the task, held, that has this number in the caller's namespace; NULL: there is none. */
static struct task_struct *kapi_task_get(int number)
{
	struct pid *pid = find_get_pid(number);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);

	put_pid(pid);
	return task;
}

/* Tells whether the caller may change the task's memory, as a debugger may. */
static bool kapi_may_change(struct task_struct *task, unsigned long may_access)
{
	if (!may_access)
		return capable(CAP_SYS_PTRACE);
	/* The result is a bool: the rest of the register has any value. */
	return (u8)kapi_call4(may_access, (unsigned long)task, PTRACE_MODE_ATTACH_REALCREDS, 0, 0);
}

/*
 * Returns the user who is accountable for the task's memory in the kernel: its real uid, or in a user
 * namespace the user who created the outermost one, unless that was root: there, one user may have tens
 * of thousands of uids.
 */
u32 kapi_owner(const struct task_struct *task)
{
	const struct user_namespace *space;
	const struct cred *cred;
	u32 user;

	rcu_read_lock();
	cred = __task_cred(task);
	user = __kuid_val(cred->uid);
	for (space = cred->user_ns; space->parent; space = space->parent)
		if (!space->parent->parent && __kuid_val(space->owner))
			user = __kuid_val(space->owner);
	rcu_read_unlock();
	return user;
}

/*
 * Returns the memory, held, of a process; NULL: there is none. The first thread may have ended
 * while others go on, so the memory of any thread counts. The memory decides which code the process
 * runs: an x32 program has 64-bit code and short addresses. *owner, if wanted, is the thread, held.
 */
static struct mm_struct *kapi_memory_of(struct task_struct *task, struct kapi_found *found,
					struct task_struct **owner)
{
	struct mm_struct *mm = NULL;
	struct task_struct *t;

	rcu_read_lock();
	for_each_thread(task, t) {
		mm = get_task_mm(t);
		if (!mm)
			continue;
		mmgrab(mm);
		mmput_async(mm);
		found->wide = is_64bit_mm(mm);
		found->shadow_stack = kapi_task_has_shadow_stack(t);
		found->owner = kapi_owner(t);
		if (owner)
			*owner = get_task_struct(t);
		break;
	}
	rcu_read_unlock();
	return mm;
}

/*
 * Returns the memory, held, of the process that has this number in the caller's namespace; NULL:
 * there is none.
 */
struct mm_struct *kapi_space_of(int number, struct kapi_found *found)
{
	struct task_struct *task = kapi_task_get(number);
	struct mm_struct *mm;

	if (!task)
		return NULL;
	mm = kapi_memory_of(task, found, NULL);
	put_task_struct(task);
	return mm;
}

/*
 * The same, if the caller may change that memory. may_access is the address of ptrace_may_access,
 * or 0. -ESRCH: there is no process; -EPERM: the caller may not; -EINTR: a signal has killed the
 * caller.
 */
int kapi_space_to_change(int number, unsigned long may_access, struct kapi_found *found,
			 struct mm_struct **mm)
{
	struct task_struct *task = kapi_task_get(number), *owner = NULL;
	int err;

	*mm = NULL;
	if (!task)
		return -ESRCH;
	/*
	 * A thread that executes a program gets the new memory before the new credentials. It holds this
	 * lock meanwhile, so memory and credentials belong together here.
	 */
	err = down_read_killable(&task->signal->exec_update_lock);
	if (err)
		goto out;
	*mm = kapi_memory_of(task, found, &owner);
	if (!*mm) {
		err = -ESRCH;
	} else {
		if (!kapi_may_change(owner, may_access)) {
			mmdrop(*mm);
			*mm = NULL;
			err = -EPERM;
		}
		put_task_struct(owner);
	}
	up_read(&task->signal->exec_update_lock);
out:
	put_task_struct(task);
	return err;
}

/* Returns the memory of the current process, held; NULL: it has none, or no longer. */
struct mm_struct *kapi_space_current(void)
{
	if (!current->mm || (current->flags & PF_KTHREAD))
		return NULL;
	mmgrab(current->mm);
	return current->mm;
}

bool kapi_space_alive(struct mm_struct *mm)
{
	return atomic_read(&mm->mm_users) > 0;
}

/*
 * Tells whether a thread of the process with this number in the first namespace uses the memory.
 * Others may share it.
 */
bool kapi_space_is_of(struct mm_struct *mm, int number)
{
	struct task_struct *task, *t;
	bool is = false;

	rcu_read_lock();
	task = pid_task(find_pid_ns(number, &init_pid_ns), PIDTYPE_TGID);
	if (task) {
		for_each_thread(task, t) {
			is = READ_ONCE(t->mm) == mm;
			if (is)
				break;
		}
	}
	rcu_read_unlock();
	return is;
}

u64 kapi_space_limit(void)
{
	return TASK_SIZE_MAX;
}

/* False: a signal has killed the thread meanwhile. */
bool kapi_space_lock_killable(struct mm_struct *mm)
{
	return !mmap_read_lock_killable(mm);
}

static bool kapi_is_served(const struct gendisk *disk)
{
	return disk->major == LOOP_MAJOR || disk->major == NBD_MAJOR || !strncmp(disk->disk_name, "ublkb", 5);
}

/* Tells whether the files are in memory, or come from the host of a virtual machine. */
static bool kapi_is_memory(const struct super_block *sb)
{
	return sb->s_magic == TMPFS_MAGIC || sb->s_magic == RAMFS_MAGIC || sb->s_magic == HUGETLBFS_MAGIC ||
	       !strcmp(sb->s_type->name, "virtiofs");
}

/*
 * Tells whether a fault there ends without the help of a user's program or of another machine: the page is
 * anonymous, or of a file that the machine's administrator has mounted, and no userfaultfd handles it. A program
 * serves a FUSE file system, except virtiofs, which the host serves, and may serve what is on a loop device (its
 * file may be on FUSE), on a network block device or on ublk, or on a partition of one. A server, which may be
 * away, serves NFS, CIFS, 9p and their like, which have no device. Nor do btrfs and some others say on which
 * devices they are. What is mapped through an overlay is the file below it. What mmap_lock guards does not change
 * while it is held.
 */
static bool kapi_answers(struct vm_area_struct *vma)
{
	const struct inode *inode;
	const struct super_block *sb;

	if (userfaultfd_armed(vma))
		return false;
	if (!vma->vm_file)
		return vma_is_anonymous(vma);
	inode = file_inode(vma->vm_file);
	sb = inode->i_sb;
	if (!S_ISREG(inode->i_mode) || sb->s_user_ns != &init_user_ns)
		return false;
	if (!sb->s_bdev)
		return kapi_is_memory(sb);
	return !kapi_is_served(sb->s_bdev->bd_disk) && strcmp(sb->s_type->name, "fuseblk");
}

/* Finds the first mapping that ends after the address. The caller holds mmap_lock. */
bool kapi_space_area(struct mm_struct *mm, u64 addr, struct kapi_area *to)
{
	struct vm_area_struct *vma = find_vma(mm, addr);

	if (!vma)
		return false;
	*to = (struct kapi_area) {
		.start = vma->vm_start, .end = vma->vm_end, .flags = vma->vm_flags,
		.offset = (u64)vma->vm_pgoff << PAGE_SHIFT, .answers = kapi_answers(vma),
	};
	if (vma->vm_file) {
		const struct inode *inode = file_inode(vma->vm_file);

		to->inode = (unsigned long)inode;
		to->number = inode->i_ino;
		to->device = inode->i_sb->s_dev;
		to->generation = inode->i_generation;
		/* /proc shows the file that the program has opened, which an overlay may keep in another one. */
		inode = file_user_inode(vma->vm_file);
		to->shown_number = inode->i_ino;
		to->shown_device = inode->i_sb->s_dev;
	}
	return true;
}

/*
 * Returns how many pages of a zone the allocator may give away, as __zone_watermark_unusable_free() counts. Each CPU
 * has counted some pages for itself, which matters near the watermarks.
 */
static unsigned long kapi_free_pages(struct zone *zone)
{
	unsigned long free = zone_page_state(zone, NR_FREE_PAGES);
	unsigned long kept = READ_ONCE(zone->nr_free_highatomic) + zone_page_state(zone, NR_FREE_CMA_PAGES);

	if (free < zone->percpu_drift_mark)
		free = zone_page_state_snapshot(zone, NR_FREE_PAGES);
	return free > kept ? free - kept : 0;
}

/*
 * Tells whether the allocator would give a page without use of its reserves, on whatever node: some zone is above
 * its low watermark, with what that zone keeps for others.
 */
static bool kapi_has_free_pages(void)
{
	int nid, i;

	for_each_node_state(nid, N_MEMORY) {
		for (i = 0; i < MAX_NR_ZONES; i++) {
			struct zone *zone = &NODE_DATA(nid)->node_zones[i];

			if (populated_zone(zone) && kapi_free_pages(zone) >
			    low_wmark_pages(zone) + zone->lowmem_reserve[MAX_NR_ZONES - 1])
				break;
		}
		if (i == MAX_NR_ZONES)
			return false;
	}
	return true;
}

/* Tells whether this module is being unloaded. */
bool kapi_is_ending(void)
{
	return !module_is_live(THIS_MODULE);
}

/*
 * Gets the page of an address; the caller holds mmap_lock. A page that is made is charged to its program's
 * memory cgroup. At the limit of that, the kernel would first reclaim memory, and then kill one process of the
 * cgroup after the other; each that waits for an unanswering FUSE daemon takes two seconds. A patient caller
 * holds no other lock, so it gets what any fault gets. For the locks of the others somebody waits. For a thread
 * with PF_MEMALLOC the kernel charges beyond the limit (try_charge_memcg()), and reclaims nothing; the program's
 * next page pays.
 *
 * The flag opens the allocator's reserves, too, for the page and for what is read ahead of it, so it is not used
 * while they might be needed: then the page is refused with -EAGAIN, be it for reading only. A page to write to is
 * got by a thread of ours (errand.c); what others read under their locks they have brought in before, if it is not
 * swapped out again. During rmmod there is no such thread.
 */
long kapi_space_page(struct mm_struct *mm, u64 addr, u32 flags, bool patient, struct page **page)
{
	unsigned int saved;
	bool beyond;
	long n = get_user_pages_remote(mm, addr, 1, flags | FOLL_FORCE | FOLL_NOFAULT, page, NULL);

	if (n == 1 || (flags & FOLL_NOFAULT))
		return n;
	beyond = !patient && kapi_has_free_pages();
	if (!patient && !beyond && !kapi_is_ending())
		return -EAGAIN;
	saved = memalloc_flags_save(beyond ? PF_MEMALLOC : 0);
	n = get_user_pages_remote(mm, addr, 1, flags | FOLL_FORCE, page, NULL);
	memalloc_flags_restore(saved);
	return n;
}

/* Tells whether it is no page of a file, and only processes that were copied share it. */
bool kapi_page_is_copy(struct page *page)
{
	return PageAnon(page) && !folio_test_ksm(page_folio(page));
}

void kapi_page_put(struct page *page, bool dirty)
{
	if (dirty)
		set_page_dirty_lock(page);
	put_page(page);
}
