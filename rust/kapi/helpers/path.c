// SPDX-License-Identifier: GPL-2.0
/*
 * Where a process is in the tree of files. The kernel's own d_path() takes locks that the interrupted code may hold, so
 * this goes up by loads that may miss. What is renamed or moved meanwhile may give a name that never was.
 */
#include <linux/container_of.h>
#include <linux/dcache.h>
#include <linux/fs.h>
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
 * The name of `here`, seen from `end`, or from the topmost directory if that is not on the way. It is at the end of `to`,
 * with a NUL; gives where it begins, `size` if something on the way is not to be had. Of what is too long it is the end.
 */
static notrace u32 kapi_way(struct path here, struct path end, u8 *to, u32 size)
{
	struct dentry *dentry = here.dentry, *parent, *top;
	struct vfsmount *mnt = here.mnt;
	struct kapi_mount *mount;
	struct qstr name;
	u32 at = size - 1;
	int n;

	to[at] = 0;
	for (n = 0; n < KAPI_MAX_WAY; n++) {
		if (dentry == end.dentry && mnt == end.mnt)
			break;
		if (!kapi_load(top, &mnt->mnt_root))
			return size;
		if (dentry == top) {
			mount = container_of(mnt, struct kapi_mount, mnt);
			if (!kapi_load(dentry, &mount->mountpoint) || !kapi_load(mount, &mount->parent))
				return size;
			if (&mount->mnt == mnt)
				break;
			mnt = &mount->mnt;
			continue;
		}
		if (!kapi_load(parent, &dentry->d_parent) || !kapi_load(name, &dentry->d_name))
			return size;
		/* What is no part of the tree, as a pipe, has its own name alone. */
		if (parent == dentry && at != size - 1)
			break;
		if (name.len > NAME_MAX || name.len >= at)
			break;
		if (kapi_read_kernel(to + at - name.len, (unsigned long)name.name, name.len))
			return size;
		at -= name.len;
		if (parent == dentry)
			return at;
		to[--at] = '/';
		dentry = parent;
	}
	if (at == size - 1)
		to[--at] = '/';
	return at;
}
NOKPROBE_SYMBOL(kapi_way);

/* The process's root and, if it is asked for, current directory. */
static notrace bool kapi_here(struct path *root, struct path *pwd)
{
	const struct fs_struct *fs = READ_ONCE(current->fs);

	return fs && kapi_load(*root, &fs->root) && kapi_load(*pwd, &fs->pwd);
}
NOKPROBE_SYMBOL(kapi_here);

/* The current directory seen from the process's root, or that root from the topmost one. */
notrace u32 kapi_task_path(bool root, u8 *to, u32 size)
{
	struct path end, here;

	to[size - 1] = 0;
	if (!kapi_here(&end, &here))
		return size;
	return root ? kapi_way(end, (struct path){}, to, size) : kapi_way(here, end, to, size);
}
NOKPROBE_SYMBOL(kapi_task_path);

/*
 * What the struct path at `at` stands for, seen from the process's root; or where what it is on is mounted. What is no part
 * of the tree is not mounted.
 */
notrace u32 kapi_path(u64 at, bool of_mount, u8 *to, u32 size)
{
	struct path end = {}, pwd, here;
	struct super_block *sb;
	unsigned long flags;

	to[size - 1] = 0;
	if (!kapi_load(here, at))
		return size;
	if (of_mount) {
		if (!kapi_load(sb, &here.mnt->mnt_sb) || !kapi_load(flags, &sb->s_flags) ||
		    !kapi_load(here.dentry, &here.mnt->mnt_root))
			return size;
		if (flags & SB_NOUSER)
			return size - 1;
	}
	kapi_here(&end, &pwd);
	return kapi_way(here, end, to, size);
}
NOKPROBE_SYMBOL(kapi_path);
