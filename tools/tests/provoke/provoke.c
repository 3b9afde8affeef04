// SPDX-License-Identifier: GPL-2.0
/* Misbehaves as told, so that tests can see the kernel complain. */
#include <linux/module.h>
#include <linux/bug.h>
#include <linux/kprobes.h>

static char *how = "warn";
module_param(how, charp, 0);
/* For how=there: where. */
static unsigned long at;
module_param(at, ulong, 0);

static void die(void)
{
	BUG();
}

/* Goes on in die(), as if the function had called it. */
static int diverted(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)die);
	return 1;
}

/* Keeps the kernel from making the kprobe a jump, which would not heed the changed address. */
static void after(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
}

static struct kprobe there = { .pre_handler = diverted, .post_handler = after };

static int __init provoke_init(void)
{
	if (!strcmp(how, "warn"))
		WARN(1, "asked to warn\n");
	else if (!strcmp(how, "oops"))
		*(volatile int *)8 = 1;
	else if (!strcmp(how, "bug"))
		BUG();
	else if (!strcmp(how, "there")) {
		there.addr = (kprobe_opcode_t *)at;
		return register_kprobe(&there);
	}
	return 0;
}
module_init(provoke_init);

static void __exit provoke_exit(void)
{
	if (there.addr)
		unregister_kprobe(&there);
}
module_exit(provoke_exit);
MODULE_DESCRIPTION("misbehaves as told");
MODULE_LICENSE("GPL");
