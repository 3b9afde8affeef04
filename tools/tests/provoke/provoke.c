// SPDX-License-Identifier: GPL-2.0
/* Misbehaves as told, so that the tests of tools/vm can see the kernel complain. */
#include <linux/module.h>
#include <linux/bug.h>

static char *how = "warn";
module_param(how, charp, 0);

static int __init provoke_init(void)
{
	if (!strcmp(how, "warn"))
		WARN(1, "asked to warn\n");
	else if (!strcmp(how, "oops"))
		*(volatile int *)8 = 1;
	else if (!strcmp(how, "bug"))
		BUG();
	return 0;
}
module_init(provoke_init);
MODULE_DESCRIPTION("misbehaves as told");
MODULE_LICENSE("GPL");
