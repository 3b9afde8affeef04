// SPDX-License-Identifier: GPL-2.0
/*
 * The cost of a firing. Writing N to /proc/hot passes the probes `entry` and `return` N times each,
 * with interrupts on. Reading it gives the nanoseconds for the last N, after a first tenth that is
 * not counted. If the clock counts instructions (QEMU's -icount shift=0), the difference between
 * enabled and disabled is the instructions of a firing.
 */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <dtrace/sdt.h>

static u64 hot_ns;

static noinline void hot_pass(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		DTRACE_PROBE4(hot, main, vfs_read, entry, i, n, 1UL << (i % 16), &hot_ns);
		barrier();
		DTRACE_PROBE1(hot, main, vfs_read, return, i);
	}
}

static ssize_t hot_write(struct file *file, const char __user *text, size_t len, loff_t *pos)
{
	unsigned int n;
	u64 from;
	int err = kstrtouint_from_user(text, len, 0, &n);

	if (err)
		return err;
	hot_pass(n / 10 + 1);
	from = ktime_get_mono_fast_ns();
	hot_pass(n);
	hot_ns = ktime_get_mono_fast_ns() - from;
	return len;
}

static int hot_show(struct seq_file *s, void *v)
{
	seq_printf(s, "%llu\n", hot_ns);
	return 0;
}

static int hot_open(struct inode *inode, struct file *file)
{
	return single_open(file, hot_show, NULL);
}
static const struct proc_ops hot_ops = {
	.proc_open = hot_open, .proc_read = seq_read, .proc_lseek = seq_lseek, .proc_release = single_release,
	.proc_write = hot_write,
};

static int __init hot_init(void)
{
	return proc_create("hot", 0600, NULL, &hot_ops) ? 0 : -ENOMEM;
}

static void __exit hot_exit(void)
{
	remove_proc_entry("hot", NULL);
}

module_init(hot_init);
module_exit(hot_exit);
MODULE_DESCRIPTION("Probes in a loop");
MODULE_LICENSE("GPL");
