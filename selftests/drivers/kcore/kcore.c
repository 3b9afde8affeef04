// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/kcore for a kernel that is built without it: an ELF file whose one segment is the kernel's
 * image and the modules. Bytes that cannot be read are zero.
 */
#include <linux/elf.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

/* The last 2 GiB of the address space, but for the last page. */
#define FIRST __START_KERNEL_map
#define SIZE ((-PAGE_SIZE) - FIRST)

static const struct {
	struct elf64_hdr head;
	struct elf64_phdr part;
} file = {
	.head = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = ET_CORE,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(struct elf64_hdr),
		.e_ehsize = sizeof(struct elf64_hdr),
		.e_phentsize = sizeof(struct elf64_phdr),
		.e_phnum = 1,
	},
	.part = {
		.p_type = PT_LOAD,
		.p_flags = PF_R,
		.p_offset = PAGE_SIZE,
		.p_vaddr = FIRST,
		.p_filesz = SIZE,
		.p_memsz = SIZE,
		.p_align = PAGE_SIZE,
	},
};

static ssize_t kcore_read(struct file *f, char __user *to, size_t n, loff_t *at)
{
	static DEFINE_MUTEX(mutex);
	static char page[PAGE_SIZE];
	unsigned long from;
	size_t done, part;
	ssize_t err = 0;

	if (*at < PAGE_SIZE)
		return simple_read_from_buffer(to, n, at, &file, sizeof(file));
	if (*at - PAGE_SIZE >= SIZE)
		return 0;
	from = FIRST + (*at - PAGE_SIZE);
	n = min_t(size_t, n, FIRST + SIZE - from);
	mutex_lock(&mutex);
	for (done = 0; done < n && !err; done += part) {
		part = min(n - done, PAGE_SIZE - offset_in_page(from + done));
		if (copy_from_kernel_nofault(page, (void *)(from + done), part))
			memset(page, 0, part);
		if (copy_to_user(to + done, page, part) || fatal_signal_pending(current))
			err = -EFAULT;
	}
	mutex_unlock(&mutex);
	if (err)
		return err;
	*at += done;
	return done;
}

static const struct proc_ops ops = {
	.proc_read = kcore_read,
	.proc_lseek = default_llseek,
};

static int __init kcore_init(void)
{
	return proc_create("kcore", 0400, NULL, &ops) ? 0 : -ENOMEM;
}
module_init(kcore_init);

static void __exit kcore_exit(void)
{
	remove_proc_entry("kcore", NULL);
}
module_exit(kcore_exit);

MODULE_DESCRIPTION("/proc/kcore of the kernel's image, for tests");
MODULE_LICENSE("GPL");
