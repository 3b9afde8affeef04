// SPDX-License-Identifier: GPL-2.0
/*
 * Where a process is in the tree of files. The kernel's own d_path() takes locks that the interrupted code may hold, so
 * this goes up by loads that may miss. What is renamed or moved meanwhile may give a name that never was.
 */
#include <linux/container_of.h>
#include <linux/dcache.h>
#include <linux/fs_struct.h>
#include <linux/kprobes.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/sched.h>
#include "kapi.h"

/* What the kernel keeps before the part of a mount that it shows to others; a test compares the outcome with getcwd(). */
struct kapi_mount {
	struct hlist_node hash;
	struct kapi_mount *parent;
	struct dentry *mountpoint;
	struct vfsmount mnt;
};

/* Directories and mounts on one way. */
#define KAPI_MAX_WAY 64

#define kapi_load(to, from) (!kapi_read_kernel(&(to), (unsigned long)(from), sizeof(to)))

/*
 * The current directory seen from the process's root, or that root from the topmost one. It is at the end of `to`, with
 * a NUL; gives where it begins. Of what is too long it is the end.
 */
notrace u32 kapi_task_path(bool root, u8 *to, u32 size)
{
	const struct fs_struct *fs = READ_ONCE(current->fs);
	struct dentry *dentry, *parent, *top;
	struct kapi_mount *mount;
	struct vfsmount *mnt;
	struct path here, end;
	struct qstr name;
	u32 at = size - 1;
	int n;

	to[at] = 0;
	if (!fs || !kapi_load(end, &fs->root) || !kapi_load(here, &fs->pwd))
		return at;
	if (root)
		here = end;
	dentry = here.dentry;
	mnt = here.mnt;
	for (n = 0; n < KAPI_MAX_WAY; n++) {
		if (!root && dentry == end.dentry && mnt == end.mnt)
			break;
		if (!kapi_load(top, &mnt->mnt_root))
			return at;
		if (dentry == top) {
			mount = container_of(mnt, struct kapi_mount, mnt);
			if (!kapi_load(dentry, &mount->mountpoint) || !kapi_load(mount, &mount->parent))
				return at;
			if (&mount->mnt == mnt)
				break;
			mnt = &mount->mnt;
			continue;
		}
		if (!kapi_load(parent, &dentry->d_parent) || !kapi_load(name, &dentry->d_name) || parent == dentry)
			break;
		if (name.len > NAME_MAX || name.len >= at || kapi_read_kernel(to + at - name.len, (unsigned long)name.name, name.len))
			return at;
		at -= name.len;
		to[--at] = '/';
		dentry = parent;
	}
	if (at == size - 1)
		to[--at] = '/';
	return at;
}
NOKPROBE_SYMBOL(kapi_task_path);
