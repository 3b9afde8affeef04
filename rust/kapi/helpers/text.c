// SPDX-License-Identifier: GPL-2.0
/* The text of modules, for poke.rs. */
#include <linux/list.h>
#include <linux/module.h>
#include "kapi.h"

/* Tells whether all of [addr, addr + len) is text of a module of this list. Under module_mutex. */
bool kapi_is_module_text(const struct list_head *modules, u64 addr, size_t len)
{
	static const enum mod_mem_type types[] = { MOD_TEXT, MOD_INIT_TEXT };
	struct module *m;
	int i;

	list_for_each_entry(m, modules, list) {
		if (m->state == MODULE_STATE_UNFORMED)
			continue;
		for (i = 0; i < ARRAY_SIZE(types); i++) {
			const struct module_memory *mem = &m->mem[types[i]];

			if (kapi_within((unsigned long)mem->base, mem->size, addr, len))
				return true;
		}
	}
	return false;
}
