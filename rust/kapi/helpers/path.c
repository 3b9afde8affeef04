// SPDX-License-Identifier: GPL-2.0
/*
 * Paths of files and directories. The kernel's own d_path() takes locks that the interrupted code
 * may hold, so this walks up with loads that may fail. A rename or a move meanwhile may give a path
 * that never existed.
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

/*
 * The fields that the kernel keeps in front of a mount's public part; a test compares the result
 * with getcwd().
 */
struct kapi_mount {
	struct hlist_node hash;
	struct kapi_mount *parent;
	struct dentry *mountpoint;
	struct vfsmount mnt;
};

/* The most directories and mounts on one path. */
#define KAPI_MAX_WAY 64

#define kapi_load(to, from) (!kapi_read_kernel(&(to), (unsigned long)(from), sizeof(to)))

/*
 * Writes the path of `here`, seen from `end`, or from the topmost directory if `end` is not on the
 * way. The path lies at the end of `to`, with a NUL. Returns the index where it begins, or `size`
 * if a load on the way failed. A path that is too long loses its beginning.
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
		/* An object outside of the tree, such as a pipe, has only its own name. */
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

/* Reads the process's root and current directory. */
static notrace bool kapi_here(struct path *root, struct path *pwd)
{
	const struct fs_struct *fs = READ_ONCE(current->fs);

	return fs && kapi_load(*root, &fs->root) && kapi_load(*pwd, &fs->pwd);
}
NOKPROBE_SYMBOL(kapi_here);

/*
 * Writes the current directory, seen from the process's root; or that root, seen from the topmost
 * one.
 */
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
 * Writes the path of the struct path at `at`, or of the place where its file system is mounted
 * (`of_mount`), both seen from the process's root. An object outside of the tree has no such place:
 * its path is empty.
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
