// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of the table of sites (sites.c explains it). sites.rs decides what is in it, and calls
 * all of this under its lock. It is C beside its reader, because they share the layout and the order of
 * accesses.
 */
#include <linux/irqflags.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>
#include "sites.h"

struct kapi_sites *kapi_sites;

static void kapi_site_insert(struct kapi_sites *all, const struct kapi_site *site)
{
	size_t mask = (1UL << all->bits) - 1;
	size_t i = site->addr * GOLDEN_RATIO_64 >> (64 - all->bits);
	struct kapi_site *to;
	u64 addr = site->addr;

	while (all->at[i].addr > FORGOTTEN)
		i = (i + 1) & mask;
	to = &all->at[i];
	all->used += to->addr == NEVER;
	to->target = site->target;
	to->kind = site->kind;
	to->reg = site->reg;
	to->len = site->len;
	to->armed = site->armed;
	to->touched = site->touched;
	memcpy(to->bytes, site->bytes, sizeof(to->bytes));
	smp_store_release(&to->addr, addr);
}

/* Makes room for `more` entries. The caller holds a lock around all changes of the table. */
int kapi_sites_reserve(size_t more)
{
	struct kapi_sites *old = kapi_sites, *all;
	size_t live = 0, i, size;

	if (old && (old->used + more) * 2 <= 1UL << old->bits)
		return 0;
	for (i = 0; old && i < 1UL << old->bits; i++)
		live += old->at[i].addr > FORGOTTEN;
	size = roundup_pow_of_two(max((live + more) * 2, 64UL));
	/* Charged to nobody: all others would wait with the caller for its cgroup. */
	all = kvzalloc(struct_size(all, at, size), GFP_KERNEL | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
	if (!all)
		return -ENOMEM;
	all->bits = ilog2(size);
	for (i = 0; old && i < 1UL << old->bits; i++) {
		if (old->at[i].addr > FORGOTTEN)
			kapi_site_insert(all, &old->at[i]);
	}
	smp_store_release(&kapi_sites, all);
	/* If it cannot wait, the old table stays. */
	if (old && kapi_sync())
		kvfree(old);
	return 0;
}

int kapi_sites_add(const struct kapi_site *site)
{
	if (site->addr <= FORGOTTEN)
		return -EINVAL;
	if (!kapi_sites || (kapi_sites->used + 1) * 2 > 1UL << kapi_sites->bits)
		return -ENOSPC;
	kapi_site_insert(kapi_sites, site);
	return 0;
}

/* Returns the site at an address; NULL: it is not known. */
struct kapi_site *kapi_site_find(u64 addr)
{
	return kapi_site_at(addr);
}

/* Returns the target of the jump that the site replaces; 0: it is not a site of a jump. Needs no lock. */
u64 kapi_tail_target(u64 addr)
{
	const struct kapi_site *site;
	unsigned long flags;
	u64 target = 0;

	raw_local_irq_save(flags);
	site = kapi_site_at(addr);
	if (site && site->kind == KAPI_TAIL)
		target = site->target;
	raw_local_irq_restore(flags);
	return target;
}

/* Returns a site at *place or behind it, and sets *place to the one that follows; NULL: there is none. */
struct kapi_site *kapi_site_next(size_t *place)
{
	struct kapi_site *site;

	while (kapi_sites && *place < 1UL << kapi_sites->bits) {
		site = &kapi_sites->at[(*place)++];
		if (site->addr > FORGOTTEN)
			return site;
	}
	return NULL;
}

/* Forgets the site for which kapi_site_next() has set `place`. It is used again only after kapi_sync(). */
void kapi_site_forget(size_t place)
{
	WRITE_ONCE(kapi_sites->at[place - 1].addr, FORGOTTEN);
}

/*
 * Called when no CPU can come from any site any more. If a jump is still a call, somebody has not
 * cleaned up, and the table stays. Returns true if it is gone. This is C for the sake of the
 * warning: warn_on!() of the kernel crate makes Kbuild write into the kernel's tree.
 */
bool kapi_sites_free(size_t calls)
{
	if (WARN_ON_ONCE(calls))
		return false;
	kvfree(kapi_sites);
	kapi_sites = NULL;
	return true;
}
