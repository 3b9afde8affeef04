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

/* on_each is kallsyms_on_each_symbol(fn, arg). */
int kapi_each_kernel_symbol(unsigned long on_each, void *fn, void *arg)
{
	return kapi_call4(on_each, (unsigned long)fn, (unsigned long)arg, 0, 0);
}

/*
 * Finds the bounds of the symbol around addr, up to the next symbol. size_of is
 * kallsyms_lookup_size_offset(addr, size, offset).
 */
bool kapi_symbol_around(unsigned long size_of, u64 addr, u64 *start, u64 *end)
{
	unsigned long size = 0, offset = 0;

	if (!kapi_call4(size_of, addr, (unsigned long)&size, (unsigned long)&offset, 0) || size <= offset)
		return false;
	*start = addr - offset;
	*end = *start + size;
	return true;
}

/* name_of is lookup_symbol_name(addr, to), which writes KSYM_NAME_LEN bytes at most. */
bool kapi_symbol_name(unsigned long name_of, u64 addr, char *to)
{
	return !kapi_call4(name_of, addr, (unsigned long)to, 0, 0);
}
