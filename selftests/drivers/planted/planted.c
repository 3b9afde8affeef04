// SPDX-License-Identifier: GPL-2.0
/*
 * Registers a kprobe at `symbol`+`offset`, also where tracefs registers none: in functions without a
 * place for ftrace. If the kernel refuses it, the driver does not load. `hits` counts its hits.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static char *symbol;
module_param(symbol, charp, 0400);
static unsigned int offset;
module_param(offset, uint, 0400);
static unsigned int hits;
module_param(hits, uint, 0400);

static int planted_hit(struct kprobe *p, struct pt_regs *regs)
{
	WRITE_ONCE(hits, hits + 1);
	return 0;
}
NOKPROBE_SYMBOL(planted_hit);

static struct kprobe planted = { .pre_handler = planted_hit };

static int __init planted_init(void)
{
	planted.symbol_name = symbol;
	planted.offset = offset;
	return register_kprobe(&planted);
}

static void __exit planted_exit(void)
{
	unregister_kprobe(&planted);
}

module_init(planted_init);
module_exit(planted_exit);
MODULE_DESCRIPTION("A kprobe anywhere");
MODULE_LICENSE("GPL");
