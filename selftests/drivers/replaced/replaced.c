// SPDX-License-Identifier: GPL-2.0
/*
 * Holds all functions whose names match `functions`, as a livepatch holds those that it replaces,
 * but lets them run unchanged, as a kprobe does that holds a function in this way.
 */
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

static char *functions = "tcp_*";
module_param(functions, charp, 0400);

static notrace void replaced_called(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
				    struct ftrace_regs *regs)
{
}

static struct ftrace_ops replaced_ops = {
	.func = replaced_called,
	.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_RECURSION,
};

static int __init replaced_init(void)
{
	char glob[64];
	int err;

	/* ftrace takes the pattern apart in place. */
	strscpy(glob, functions);
	err = ftrace_set_filter(&replaced_ops, glob, strlen(glob), 1);
	if (!err)
		err = register_ftrace_function(&replaced_ops);
	if (err)
		ftrace_free_filter(&replaced_ops);
	return err;
}

static void __exit replaced_exit(void)
{
	unregister_ftrace_function(&replaced_ops);
	ftrace_free_filter(&replaced_ops);
}

module_init(replaced_init);
module_exit(replaced_exit);
MODULE_DESCRIPTION("Holds functions like a livepatch");
MODULE_LICENSE("GPL");
