// SPDX-License-Identifier: GPL-2.0
/*
 * A device node that everybody may open: the kernel's Rust miscdevice cannot set a mode. It has
 * only ioctls, for 64-bit programs, and no state.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include "kapi.h"

static long kapi_node_asked(struct file *file, unsigned int cmd, unsigned long arg)
{
	return kapi_node_ioctl(cmd, arg);
}

static const struct file_operations kapi_node_fops = {
	.owner = THIS_MODULE,
	.open = nonseekable_open,
	.unlocked_ioctl = kapi_node_asked,
};

static struct miscdevice kapi_node = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "dtrace/helper",
	.fops = &kapi_node_fops,
	.mode = 0666,
};

int kapi_node_on(void)
{
	return misc_register(&kapi_node);
}

void kapi_node_off(void)
{
	misc_deregister(&kapi_node);
}
