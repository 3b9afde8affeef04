// SPDX-License-Identifier: GPL-2.0
/*
 * The mappings of the current process, for the walk of its stack while a probe fires. Nothing here
 * sleeps, locks or allocates.
 */
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/maple_tree.h>
#include <linux/mm_types.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/processor.h>
#include <asm/vdso.h>
#include "kapi.h"

/*
 * Returns the inode that /proc/PID/maps shows. Another thread may unmap and close the file
 * meanwhile, and the struct file be reused: RCU keeps what it pointed to readable, but a new file
 * may have no inode yet.
 */
static notrace const struct inode *kapi_user_inode(const struct file *file)
{
	const struct dentry *dentry;

	if (!(READ_ONCE(file->f_mode) & FMODE_BACKING))
		return READ_ONCE(file->f_inode);
	dentry = READ_ONCE(backing_file_user_path(file)->dentry);
	return dentry ? READ_ONCE(dentry->d_inode) : NULL;
}

/*
 * Finds the executable mapping at an address of the current process. Reads the tree of mappings as
 * the kernel's own lockless readers do: under RCU, while others change it. A vm_area_struct found
 * there stays allocated that long, but may become another mapping meanwhile; the last check detects
 * that.
 */
notrace bool kapi_stack_mapping(u64 addr, struct kapi_code_mapping *to)
{
	struct mm_struct *mm = current->mm;
	const struct vdso_image *vdso;
	const struct inode *inode;
	struct vm_area_struct *vma;
	bool found = false;
	struct file *file;

	if (!mm || addr >= TASK_SIZE_MAX || !rcu_is_watching())
		return false;
	memset(to, 0, sizeof(*to));
	vdso = mm->context.vdso_image;
	to->start = (unsigned long)mm->context.vdso;
	if (vdso && addr - to->start < vdso->size) {
		to->end = to->start + vdso->size;
		to->is_object = true;
		return true;
	}
	rcu_read_lock();
	{
		MA_STATE(mas, &mm->mm_mt, addr, addr);

		vma = mas_walk(&mas);
	}
	if (!vma || !(READ_ONCE(vma->vm_flags) & VM_EXEC))
		goto out;
	file = READ_ONCE(vma->vm_file);
	if (file) {
		inode = kapi_user_inode(file);
		if (!inode)
			goto out;
		to->inode = inode->i_ino;
		to->modified_s = inode_get_mtime_sec(inode);
		to->modified_ns = inode_get_mtime_nsec(inode);
		to->device = inode->i_sb->s_dev;
		to->offset = (u64)READ_ONCE(vma->vm_pgoff) << PAGE_SHIFT;
		to->is_object = true;
	}
	to->start = READ_ONCE(vma->vm_start);
	to->end = READ_ONCE(vma->vm_end);
	found = READ_ONCE(vma->vm_mm) == mm && to->start <= addr && addr < to->end && READ_ONCE(vma->vm_file) == file;
out:
	rcu_read_unlock();
	return found;
}
NOKPROBE_SYMBOL(kapi_stack_mapping);
