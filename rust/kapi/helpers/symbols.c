// SPDX-License-Identifier: GPL-2.0
/*
 * The one way to a symbol that the kernel does not export: a kprobe is asked where kallsyms_lookup_name is, and that
 * function tells the rest.
 */
#include <linux/kprobes.h>
#include "kapi.h"

/* The address may lie behind the function's ENDBR; it is as good an entry. */
unsigned long kapi_find_lookup(void)
{
	struct kprobe kp = { .symbol_name = "kallsyms_lookup_name" };
	unsigned long addr;

	if (register_kprobe(&kp))
		return 0;
	addr = (unsigned long)kp.addr;
	unregister_kprobe(&kp);
	return addr;
}

/* on_each is kallsyms_on_each_symbol(fn, arg). */
int kapi_each_kernel_symbol(unsigned long on_each, void *fn, void *arg)
{
	return kapi_call4(on_each, (unsigned long)fn, (unsigned long)arg, 0, 0);
}
