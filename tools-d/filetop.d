#!/usr/sbin/dtrace --tool
/* SPDX-License-Identifier: GPL-2.0 */
/*
 * filetop: show the files that are read and written most
 *
 * It counts the bytes of read and write calls on files of a file system, also those that the page cache answers.
 *
 * options:
 *   $1 -a              also sockets, pipes and other files
 *   $2 -r ROWS = 20    rows in each output
 *   $3 [INTERVAL] = 1  seconds between outputs
 *   $4 [COUNT] = 0     end after so many outputs; 0: never
 * process: optional
 * overhead: Probes fire at each read and write of a file, and copy its name.
 * example:
 *   # filetop
 *   TID     COMMAND          D FILE                                CALLS     KBYTES
 *   780     dd               W copy                                   64         64
 *   780     dd               R data                                   64         64
 *   780     dd               R libc.so.6                               3          2
 */
#pragma D option aggsortrev

fbt:vmlinux:vfs_read:entry,
fbt:vmlinux:vfs_write:entry
/($target == 0 || pid == $target) && ($1 || (args[0]->f_inode->i_mode & S_IFMT) == S_IFREG)/
{
	self->file = args[0];
}

fbt:vmlinux:vfs_read:return,
fbt:vmlinux:vfs_write:return
/self->file && (long)arg1 > 0/
{
	this->name = stringof(self->file->f_path.dentry->d_name.name);
	@n[tid, execname, probefunc == "vfs_read" ? "R" : "W", this->name] = count();
	@kb[tid, execname, probefunc == "vfs_read" ? "R" : "W", this->name] = sum(arg1);
}

fbt:vmlinux:vfs_read:return,
fbt:vmlinux:vfs_write:return
/self->file/
{
	self->file = 0;
}

tick-${3}s,
END
{
	printf("%-7s %-16s %1s %-32s %8s %10s\n", "TID", "COMMAND", "D", "FILE", "CALLS", "KBYTES");
	normalize(@kb, 1024);
	setopt("aggrows", lltostr($2));
	setopt("aggsortpos", "1");
	printa("%-7d %-16s %1s %-32s %@8d %@10d\n", @n, @kb);
	trunc(@n);
	trunc(@kb);
}

tick-${3}s
/$4 && ++outputs >= $4/
{
	exit(0);
}
