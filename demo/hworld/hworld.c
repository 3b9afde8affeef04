// SPDX-License-Identifier: GPL-2.0
/* /proc/hello-world: a driver that greets whoever reads it, with probes of its own. */
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <dtrace/sdt.h>

static atomic_t opens = ATOMIC_INIT(0);

static int hworld_show(struct seq_file *m, void *v)
{
	seq_printf(m, "hello, world: opened %d times\n", atomic_read(&opens));
	return 0;
}

static int hworld_open(struct inode *inode, struct file *file)
{
	int num_opens = atomic_inc_return(&opens);
	int rc;

	DTRACE_PROBE1(hworld, open_module, open1, entry, num_opens);
	rc = single_open(file, hworld_show, NULL);
	DTRACE_PROBE1(hworld, open_module, open1, return, rc);
	return rc;
}

static ssize_t hworld_read(struct file *file, char __user *buf, size_t size, loff_t *pos)
{
	ssize_t rc;

	DTRACE_PROBE2(hworld, read_module, read1, entry, size, *pos);
	rc = seq_read(file, buf, size, pos);
	DTRACE_PROBE1(hworld, read_module, read1, return, rc);
	return rc;
}

static const struct proc_ops hworld_ops = {
	.proc_open	= hworld_open,
	.proc_read	= hworld_read,
	.proc_lseek	= seq_lseek,
	.proc_release	= single_release,
};

static int __init hworld_init(void)
{
	return proc_create("hello-world", 0444, NULL, &hworld_ops) ? 0 : -ENOMEM;
}

static void __exit hworld_exit(void)
{
	remove_proc_entry("hello-world", NULL);
}

module_init(hworld_init);
module_exit(hworld_exit);
MODULE_DESCRIPTION("hello, world with DTrace probes");
MODULE_LICENSE("GPL");
