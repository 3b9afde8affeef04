// SPDX-License-Identifier: GPL-2.0
/* Lets ftrace have no memory for its hashes in programs of one name. */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

static char *program = "rmmod";
module_param(program, charp, 0400);

static unsigned int refused;
module_param(refused, uint, 0400);

static noinline void *starved_nothing(void)
{
	barrier();
	return NULL;
}

/* Goes on in another function. */
static int starved_called(struct kprobe *p, struct pt_regs *regs)
{
	if (strcmp(current->comm, program))
		return 0;
	refused++;
	instruction_pointer_set(regs, (unsigned long)starved_nothing);
	return 1;
}

/* An optimized kprobe would not go on elsewhere, and this is what it must not have. */
static void starved_behind(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe starved_probe = {
	.symbol_name = "alloc_ftrace_hash",
	.pre_handler = starved_called,
	.post_handler = starved_behind,
};

static int __init starved_init(void)
{
	return register_kprobe(&starved_probe);
}

static void __exit starved_exit(void)
{
	unregister_kprobe(&starved_probe);
}

module_init(starved_init);
module_exit(starved_exit);
MODULE_DESCRIPTION("Refuses memory to ftrace");
MODULE_LICENSE("GPL");
