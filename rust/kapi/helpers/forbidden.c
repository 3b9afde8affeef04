// SPDX-License-Identifier: GPL-2.0
/* The blacklist of kprobes, whose layout no binding has. */
#include <linux/kprobes.h>
#include <linux/list.h>
#include "kapi.h"

/* Returns the entry behind `prev`, or the first; NULL: there is none. Under kprobe_mutex. */
const struct kprobe_blacklist_entry *kapi_blacklist_next(const struct list_head *list,
							 const struct kprobe_blacklist_entry *prev, u64 *start, u64 *end)
{
	const struct list_head *next = prev ? prev->list.next : list->next;
	const struct kprobe_blacklist_entry *entry = list_entry(next, struct kprobe_blacklist_entry, list);

	if (next == list)
		return NULL;
	*start = entry->start_addr;
	*end = entry->end_addr;
	return entry;
}
