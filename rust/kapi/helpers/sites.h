/* SPDX-License-Identifier: GPL-2.0 */
/* The table of sites, for sites.c, which reads it, and table.c, which changes it. */
#ifndef KAPI_SITES_H
#define KAPI_SITES_H
#include <linux/hash.h>
#include "kapi.h"

#define NEVER 0
#define FORGOTTEN 1

struct kapi_sites {
	unsigned int bits;
	/* Entries that are not NEVER: they lengthen a search. */
	size_t used;
	struct kapi_site at[];
};
extern struct kapi_sites *kapi_sites;

static __always_inline struct kapi_site *kapi_site_at(u64 addr)
{
	struct kapi_sites *all = READ_ONCE(kapi_sites);
	size_t mask, i;
	u64 seen;

	if (unlikely(!all))
		return NULL;
	mask = (1UL << all->bits) - 1;
	for (i = addr * GOLDEN_RATIO_64 >> (64 - all->bits);; i = (i + 1) & mask) {
		seen = smp_load_acquire(&all->at[i].addr);
		if (seen == addr)
			return &all->at[i];
		if (seen == NEVER)
			return NULL;
	}
}

#endif
