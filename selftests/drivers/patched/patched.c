// SPDX-License-Identifier: GPL-2.0
/* A module that the livepatch beside it patches. README.md describes both. */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include "patched.h"

noinline long patched_inner(long n)
{
	barrier();
	return n + 1;
}
EXPORT_SYMBOL_GPL(patched_inner);

noinline long patched_tail(long n)
{
	barrier();
	return n;
}

noinline long patched_first(long n)
{
	barrier();
	return n;
}

noinline long patched_call(long n)
{
	barrier();
	return n;
}

/* Calls the functions with 0 to n-1. EIO: one has not returned what the livepatch makes of it. */
static int patched_run(const char *text, const struct kernel_param *kp)
{
	unsigned int i, n;
	int err = kstrtouint(text, 0, &n);
	long wrong = 0;

	if (err)
		return err;
	for (i = 0; i < n; i++) {
		wrong |= patched_tail(i) ^ (i + 1);
		wrong |= patched_first(i) ^ (i + 1);
		wrong |= patched_call(i) ^ (i + 2);
	}
	return wrong ? -EIO : 0;
}

static const struct kernel_param_ops patched_ops = { .set = patched_run };
module_param_cb(run, &patched_ops, NULL, 0200);

static int __init patched_init(void)
{
	return 0;
}

static void __exit patched_exit(void)
{
}

module_init(patched_init);
module_exit(patched_exit);
MODULE_DESCRIPTION("A module to be patched");
MODULE_LICENSE("GPL");
