// SPDX-License-Identifier: GPL-2.0
/* A livepatch that replaces two functions of the kernel. README.md describes them. */
#include <linux/livepatch.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>

struct pt_regs;
int livepatched_cmdline(struct seq_file *m, void *v);
long livepatched_getppid(const struct pt_regs *regs);

noinline int livepatched_cmdline(struct seq_file *m, void *v)
{
	seq_puts(m, "livepatched\n");
	return 0;
}

/* Every program may call it, so it does what the kernel's function does. */
noinline long livepatched_getppid(const struct pt_regs *regs)
{
	long pid;

	rcu_read_lock();
	pid = task_tgid_vnr(rcu_dereference(current->real_parent));
	rcu_read_unlock();
	return pid;
}

static struct klp_func livepatched_funcs[] = {
	{ .old_name = "cmdline_proc_show", .new_func = livepatched_cmdline },
	{ .old_name = "__x64_sys_getppid", .new_func = livepatched_getppid },
	{ }
};

static struct klp_object livepatched_objs[] = {
	{ .funcs = livepatched_funcs },
	{ }
};

static struct klp_patch livepatched_patch = {
	.mod = THIS_MODULE,
	.objs = livepatched_objs,
};

static int __init livepatched_init(void)
{
	return klp_enable_patch(&livepatched_patch);
}

/* It can be removed once `enabled` in /sys/kernel/livepatch is 0. */
static void __exit livepatched_exit(void)
{
}

module_init(livepatched_init);
module_exit(livepatched_exit);
MODULE_DESCRIPTION("Replaces functions of the kernel");
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
