// SPDX-License-Identifier: GPL-2.0
/*
 * A livepatch of the module beside it. selftests/lib/klp-relocate makes its references to that
 * module those of a livepatch, which the kernel writes when that module is loaded.
 */
#include <linux/livepatch.h>
#include <linux/module.h>
#include "patched.h"

/* Ends by a jump into the other module. */
noinline long patching_tail(long n)
{
	if (unlikely(n < 0))
		return n;
	return patched_inner(n);
}

/* Begins with it. */
noinline notrace long patching_first(long n)
{
	return patched_inner(n);
}

/* Only calls into it. */
noinline long patching_call(long n)
{
	return patched_inner(n) + 1;
}

static struct klp_func patching_funcs[] = {
	{ .old_name = "patched_tail", .new_func = patching_tail },
	{ .old_name = "patched_first", .new_func = patching_first },
	{ .old_name = "patched_call", .new_func = patching_call },
	{ }
};

static struct klp_object patching_objs[] = {
	{ .name = "patched", .funcs = patching_funcs },
	{ }
};

static struct klp_patch patching_patch = {
	.mod = THIS_MODULE,
	.objs = patching_objs,
};

static int __init patching_init(void)
{
	return klp_enable_patch(&patching_patch);
}

/* It can be removed once `enabled` in /sys/kernel/livepatch is 0. */
static void __exit patching_exit(void)
{
}

module_init(patching_init);
module_exit(patching_exit);
MODULE_DESCRIPTION("Patches another module");
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
