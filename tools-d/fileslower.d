#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fileslower: print reads and writes of files that take long
 *
 * The time includes the page cache, the file system and the disk, as the program sees it.
 *
 * options:
 *   $1 -a          also sockets, pipes and other files
 *   $2 [MIN] = 10  shortest time in milliseconds
 * process: optional
 * overhead: Probes fire at each read and write of a file.
 * example:
 *   # fileslower 0 -c "sh -c 'read x </etc/hostname'"
 *   COMMAND          TID     D     BYTES   TIME(ms) FILE
 *   sh               792     R       832      0.334 /usr/lib/x86_64-linux-gnu/libc.so.6
 *   sh               792     R       840      0.012 /usr/lib/x86_64-linux-gnu/libc.so.6
 *   sh               792     R       840      0.005 /usr/lib/x86_64-linux-gnu/libc.so.6
 *   sh               792     R         1      0.032 /etc/hostname
 *   sh               792     R         1      0.004 /etc/hostname
 *   sh               792     R         1      0.002 /etc/hostname
 *   sh               792     R         1      0.002 /etc/hostname
 *   sh               792     R         1      0.002 /etc/hostname
 *   sh               792     R         1      0.002 /etc/hostname
 *   sh               792     R         1      0.002 /etc/hostname
 *   sh               792     R         1      0.002 /etc/hostname
 *   sh               792     R         1      0.002 /etc/hostname
 *   sh               792     R         1      0.002 /etc/hostname
 */
BEGIN
{
	printf("%-16s %-7s %1s %9s %10s %s\n", "COMMAND", "TID", "D", "BYTES", "TIME(ms)", "FILE");
}

fbt:vmlinux:vfs_read:entry,
fbt:vmlinux:vfs_write:entry
/($target == 0 || pid == $target) && ($1 || (args[0]->f_inode->i_mode & S_IFMT) == S_IFREG)/
{
	self->file = args[0];
	self->begun = timestamp;
}

fbt:vmlinux:vfs_read:return,
fbt:vmlinux:vfs_write:return
/self->file && timestamp - self->begun >= (int64_t)$2 * 1000000/
{
	this->us = (timestamp - self->begun) / 1000;
	printf("%-16s %-7d %s %9d %6d.%03d %s\n", execname, tid, probefunc == "vfs_read" ? "R" : "W", (int)arg1,
	    this->us / 1000, this->us % 1000, d_path(&self->file->f_path));
}

fbt:vmlinux:vfs_read:return,
fbt:vmlinux:vfs_write:return
/self->file/
{
	self->file = 0;
	self->begun = 0;
}
