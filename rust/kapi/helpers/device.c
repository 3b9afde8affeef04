// SPDX-License-Identifier: GPL-2.0
/*
 * Makes device nodes own the module. The kernel's Rust miscdevice of 7.2 sets no `owner` in the
 * file operations, so an open file would not keep the module from being unloaded. 7.3 sets it; then
 * nothing is done here.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include "kapi.h"

static struct file_operations kapi_fops[4];
static unsigned int kapi_fops_used;

int kapi_device_own(struct miscdevice *misc)
{
	struct file_operations *owned;

	if (misc->fops->owner)
		return 0;
	if (kapi_fops_used == ARRAY_SIZE(kapi_fops))
		return -ENOSPC;
	owned = &kapi_fops[kapi_fops_used++];
	*owned = *misc->fops;
	owned->owner = THIS_MODULE;
	smp_store_release(&misc->fops, owned);
	return 0;
}
