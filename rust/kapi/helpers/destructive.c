// SPDX-License-Identifier: GPL-2.0
/*
 * The module's parameter `destructive`. False: destructive actions are off until the module is loaded
 * again. A parameter with functions of its own needs a macro of C.
 */
#include <linux/errno.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/sysfs.h>
#include "kapi.h"

static bool kapi_destructive = true;

/* Also called in probe context: running programs obey it, too. */
notrace bool kapi_task_destructive(void)
{
	return READ_ONCE(kapi_destructive);
}

/*
 * The parameter can only become stricter: anybody who could take it back could as well have asked
 * first.
 */
static int kapi_destructive_set(const char *text, const struct kernel_param *kp)
{
	bool wanted;
	int err = kstrtobool(text, &wanted);

	if (err)
		return err;
	if (wanted)
		return READ_ONCE(kapi_destructive) ? 0 : -EPERM;
	WRITE_ONCE(kapi_destructive, false);
	return 0;
}

static int kapi_destructive_get(char *to, const struct kernel_param *kp)
{
	return sysfs_emit(to, "%d\n", READ_ONCE(kapi_destructive));
}

static const struct kernel_param_ops kapi_destructive_ops = {
	.set = kapi_destructive_set,
	.get = kapi_destructive_get,
};
module_param_cb(destructive, &kapi_destructive_ops, NULL, 0644);
MODULE_PARM_DESC(destructive, "0: no destructive actions (-w), for anybody; once 0, it stays 0 until the module is loaded again");
