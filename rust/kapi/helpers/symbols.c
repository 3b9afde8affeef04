// SPDX-License-Identifier: GPL-2.0
/*
 * The only way to symbols that the kernel does not export: a kprobe gives the address of
 * kallsyms_lookup_name, and that function finds the rest.
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
