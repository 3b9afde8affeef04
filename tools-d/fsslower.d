#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fsslower: print operations of one file system that take long
 *
 * It measures reads, writes, opens and fsyncs of the files of one kind of file system: ext4, xfs, btrfs, nfs ...
 * Without -t it prints those of all file systems that have a name.
 *
 * options:
 *   $1 -t TYPE = ""  only this kind of file system
 *   $2 [MIN] = 10    shortest time in milliseconds
 * process: optional
 * overhead: Probes fire at each read, write, open and fsync of a file.
 * example:
 *   # fsslower -t tmpfs 0
 *   COMMAND          TID     TYPE     CALL       BYTES   TIME(ms) FILE
 *   sync             803     tmpfs    open           0      0.015 /tmp/data
 */
BEGIN
{
	printf("%-16s %-7s %-8s %-6s %9s %10s %s\n", "COMMAND", "TID", "TYPE", "CALL", "BYTES", "TIME(ms)", "FILE");
}

self struct file *file;

inline string TYPE = stringof(self->file->f_path.dentry->d_sb->s_type->name);

fbt:vmlinux:vfs_read:entry,
fbt:vmlinux:vfs_write:entry,
fbt:vmlinux:vfs_fsync_range:entry
/$target == 0 || pid == $target/
{
	self->file = args[0];
	self->begun = timestamp;
}

fbt:vmlinux:vfs_open:entry
/$target == 0 || pid == $target/
{
	self->file = args[1];
	self->begun = timestamp;
}

fbt:vmlinux:vfs_read:return,
fbt:vmlinux:vfs_write:return,
fbt:vmlinux:vfs_fsync_range:return,
fbt:vmlinux:vfs_open:return
/self->file && timestamp - self->begun >= (int64_t)$2 * 1000000 && self->file->f_path.dentry != NULL && ($$1 == "" || TYPE == $$1)/
{
	this->us = (timestamp - self->begun) / 1000;
	printf("%-16s %-7d %-8s %-6s %9d %6d.%03d %s\n", execname, tid, TYPE,
	    probefunc == "vfs_read" ? "read" : probefunc == "vfs_write" ? "write" : probefunc == "vfs_open" ? "open" : "fsync",
	    (int)arg1, this->us / 1000, this->us % 1000, d_path(&self->file->f_path));
}

fbt:vmlinux:vfs_read:return,
fbt:vmlinux:vfs_write:return,
fbt:vmlinux:vfs_fsync_range:return,
fbt:vmlinux:vfs_open:return
/self->file/
{
	self->file = 0;
	self->begun = 0;
}
