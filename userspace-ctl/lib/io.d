// SPDX-License-Identifier: GPL-2.0
/* Open files and block devices: fds[], and the arguments of the io provider. */

typedef struct fileinfo {
	string fi_name;
	string fi_dirname;
	string fi_pathname;
	loff_t fi_offset;
	string fi_fs;
	string fi_mount;
	int fi_oflags;
} fileinfo_t;

translator fileinfo_t < struct file *F > {
	fi_name = F == NULL ? "<none>" : stringof(F->f_path.dentry->d_name.name);
	fi_dirname = F == NULL ? "<none>" : dirname(d_path(&F->f_path));
	fi_pathname = F == NULL ? "<none>" : d_path(&F->f_path);
	fi_offset = F == NULL ? 0 : F->f_pos;
	fi_fs = F == NULL ? "<none>" : stringof(F->f_inode->i_sb->s_type->name);
	fi_mount = F == NULL ? "<none>" : mnt_path(&F->f_path);
	fi_oflags = F == NULL ? 0 : F->f_flags;
};

/* Files of the process that fires; what is not open has "<none>" for a name. */
inline fileinfo_t fds[int fd] = xlate <fileinfo_t> (getf(fd));

typedef struct bufinfo {
	int b_flags;
	size_t b_bcount;
	uintptr_t b_addr;
	uint64_t b_blkno;
	uint64_t b_lblkno;
	size_t b_resid;
	size_t b_bufsize;
	uintptr_t b_iodone;
	int b_error;
	dev_t b_edev;
} bufinfo_t;

inline int B_BUSY = 0x000001;
inline int B_DONE = 0x000002;
inline int B_ERROR = 0x000004;
inline int B_PAGEIO = 0x000010;
inline int B_PHYS = 0x000020;
inline int B_READ = 0x000040;
inline int B_WRITE = 0x000100;
inline int B_ASYNC = 0x000400;

/* How it ends: as io:::done is told, for the kernel notes it later where there are requests. */
inline int __bio_status[struct bio *B] = probeprov == "io" && probename == "done" ? arg2 : B->bi_status;

/* The kernel's BLK_STS_*, as the errno that programs are told. */
inline int __blk_errno[int S] = S == 0 ? 0 : S == 1 ? EOPNOTSUPP : S == 2 ? ETIMEDOUT : S == 3 ? ENOSPC :
    S == 4 ? ENOLINK : S == 5 ? EREMOTEIO : S == 6 ? EBADE : S == 7 ? ENODATA : S == 8 ? EILSEQ :
    S == 9 || S == 13 ? ENOMEM : S == 12 ? EAGAIN : S == 14 ? EBUSY : S == 15 ? EOVERFLOW :
    S == 16 || S == 17 ? ETIMEDOUT : EIO;

/*
 * The address of the data in the kernel; 0 for a request without data, as a flush. A struct page stands for 4096 bytes. For
 * the rest of a request that was divided within a page, it is where the whole page's data begins.
 */
inline struct bio_vec *__bio_vec[struct bio *B] = &B->bi_io_vec[B->bi_iter.bi_idx];
inline uintptr_t __bio_addr[struct bio *B] = B->bi_io_vec == NULL || (B->bi_opf & 0xfe) || !B->bi_iter.bi_size ? 0 :
    ((uintptr_t)__bio_vec[B]->bv_page - `vmemmap_base) / sizeof (struct page) * 4096 + `page_offset_base +
    __bio_vec[B]->bv_offset;

/* What the kernel is asked for: the low byte of bi_opf, even for what only reads. */
translator bufinfo_t < struct bio *B > {
	b_flags = (B->bi_opf & 1 ? B_WRITE : B_READ) | (__bio_status[B] ? B_ERROR : 0);
	b_bcount = B->bi_iter.bi_size;
	b_addr = __bio_addr[B];
	b_blkno = B->bi_iter.bi_sector;
	b_lblkno = B->bi_iter.bi_sector;
	b_resid = __bio_status[B] ? B->bi_iter.bi_size : 0;
	b_bufsize = B->bi_iter.bi_size;
	b_iodone = (uintptr_t)B->bi_end_io;
	b_error = __blk_errno[__bio_status[B]];
	b_edev = B->bi_bdev == NULL ? 0 : B->bi_bdev->bd_dev;
};

typedef struct devinfo {
	int dev_major;
	int dev_minor;
	int dev_instance;
	string dev_name;
	string dev_statname;
	string dev_pathname;
} devinfo_t;

/* dev_name is the disk's, dev_statname that of the disk or its partition. */
translator devinfo_t < struct block_device *D > {
	dev_major = D == NULL ? 0 : D->bd_dev >> 20;
	dev_minor = D == NULL ? 0 : D->bd_dev & 0xfffff;
	dev_instance = D == NULL ? 0 : D->bd_disk->first_minor;
	dev_name = D == NULL ? "<none>" : stringof(D->bd_disk->disk_name);
	dev_statname = D == NULL ? "<none>" : stringof(D->bd_device.kobj.name);
	dev_pathname = D == NULL ? "<none>" : strjoin("/dev/", stringof(D->bd_device.kobj.name));
};

translator devinfo_t < struct bio *B > {
	dev_major = xlate <devinfo_t> (B->bi_bdev).dev_major;
	dev_minor = xlate <devinfo_t> (B->bi_bdev).dev_minor;
	dev_instance = xlate <devinfo_t> (B->bi_bdev).dev_instance;
	dev_name = xlate <devinfo_t> (B->bi_bdev).dev_name;
	dev_statname = xlate <devinfo_t> (B->bi_bdev).dev_statname;
	dev_pathname = xlate <devinfo_t> (B->bi_bdev).dev_pathname;
};

/*
 * The file whose pages are read or written; of what is no file's, as the tables of a file system, "<none>". Where a file
 * system is mounted cannot be told from here: names begin at its root, and of deep ones at "...".
 */
inline string __dentry_0[struct dentry *D] = D->d_parent == D ? "" : "...";
inline string __dentry_1[struct dentry *D] = D->d_parent == D ? "" :
    strjoin(__dentry_0[D->d_parent], strjoin("/", stringof(D->d_name.name)));
inline string __dentry_2[struct dentry *D] = D->d_parent == D ? "" :
    strjoin(__dentry_1[D->d_parent], strjoin("/", stringof(D->d_name.name)));
inline string __dentry_3[struct dentry *D] = D->d_parent == D ? "" :
    strjoin(__dentry_2[D->d_parent], strjoin("/", stringof(D->d_name.name)));
inline string __dentry_4[struct dentry *D] = D->d_parent == D ? "" :
    strjoin(__dentry_3[D->d_parent], strjoin("/", stringof(D->d_name.name)));
inline string __dentry_5[struct dentry *D] = D->d_parent == D ? "" :
    strjoin(__dentry_4[D->d_parent], strjoin("/", stringof(D->d_name.name)));
inline string __dentry_6[struct dentry *D] = D->d_parent == D ? "" :
    strjoin(__dentry_5[D->d_parent], strjoin("/", stringof(D->d_name.name)));
inline string __dentry_path[struct dentry *D] = D->d_parent == D ? "/" :
    strjoin(__dentry_6[D->d_parent], strjoin("/", stringof(D->d_name.name)));

/* The pages of a device have a name of their own, which is no file's. */
inline int __no_file[struct dentry *D] = D == NULL || D->d_parent == D;

/*
 * Where the file system is mounted, at the first of its places if there are several; what a directory is mounted on is
 * seen from the root of the file system there, and so on, two times at most.
 */
inline string __mount_0[struct mount *M] = M->mnt_parent == M ? "" : __dentry_path[M->mnt_mountpoint];
inline string __mount_path[struct mount *M] = M == NULL ? "<unknown>" : M->mnt_parent == M ? "/" :
    strjoin(__mount_0[M->mnt_parent], __dentry_path[M->mnt_mountpoint]);

translator fileinfo_t < struct dentry *D > {
	fi_name = __no_file[D] ? "<none>" : stringof(D->d_name.name);
	fi_dirname = __no_file[D] ? "<none>" : __dentry_path[D->d_parent];
	fi_pathname = __no_file[D] ? "<none>" : __dentry_path[D];
	fi_offset = 0;
	fi_fs = __no_file[D] ? "<none>" : stringof(D->d_sb->s_type->name);
	fi_mount = __no_file[D] ? "<none>" : __mount_path[D->d_sb->s_mounts];
	fi_oflags = 0;
};

provider io {
	probe done(struct bio *b, struct dentry *f, int status) : (bufinfo_t *b, devinfo_t *b, fileinfo_t *f);
	probe start(struct bio *b, struct dentry *f) : (bufinfo_t *b, devinfo_t *b, fileinfo_t *f);
	probe wait__done(struct bio *b, struct dentry *f) : (bufinfo_t *b, devinfo_t *b, fileinfo_t *f);
	probe wait__start(struct bio *b, struct dentry *f) : (bufinfo_t *b, devinfo_t *b, fileinfo_t *f);
};
