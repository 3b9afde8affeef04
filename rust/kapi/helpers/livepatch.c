// SPDX-License-Identifier: GPL-2.0
/* The functions that livepatches have replaced; no binding has the layouts of their lists. */
#include <linux/livepatch.h>
#include "kapi.h"

/*
 * Writes the addresses of the functions that livepatches have replaced, at most max, and returns their
 * number, which may be larger. A function that several livepatches replace is there several times.
 * patches is klp_patches. Under klp_mutex.
 *
 * The kernel sets func->patched only while the module that has the function is loaded, so old_func is
 * its address. From then on some threads run the new function, and when the transition is over all do.
 * A nop lets the old function run.
 */
size_t kapi_replaced(const struct list_head *patches, u64 *to, size_t max)
{
	size_t n = 0;
#ifdef CONFIG_LIVEPATCH
	const struct klp_patch *patch;
	const struct klp_object *obj;
	const struct klp_func *func;

	list_for_each_entry(patch, patches, list) {
		klp_for_each_object(patch, obj) {
			klp_for_each_func(obj, func) {
				if (!func->patched || func->nop)
					continue;
				if (n < max)
					to[n] = (unsigned long)func->old_func;
				n++;
			}
		}
	}
#endif
	return n;
}
