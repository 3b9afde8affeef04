// SPDX-License-Identifier: GPL-2.0
/*
 * Function entries, traced by ftrace's direct calls: the compiler's nop becomes a call to our
 * trampoline, which all functions share. One ftrace_ops holds all sites, so they can be added and
 * removed in any batches, and other tracers of a function go on. A function can have only one
 * direct call, and none if a livepatch has replaced it.
 */
#include <linux/ftrace.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/sort.h>
#include "kapi.h"

/*
 * Functions of a batch that a livepatch has replaced. Written under direct_mutex, during our own
 * calls only.
 */
static u64 kapi_shared[256];
static size_t kapi_nshared;

/*
 * In a function that a livepatch has replaced the call does no harm, but the trampoline gets the
 * address of the replacement. So the call is allowed, and the function noted to be removed. A
 * livepatch that comes later is refused while the function is traced; the alternative would be a
 * probe that silently does not fire.
 */
static int kapi_ftrace_share(struct ftrace_ops *ops, unsigned long ip, enum ftrace_ops_cmd cmd)
{
	if (cmd == FTRACE_OPS_CMD_DISABLE_SHARE_IPMODIFY_PEER)
		return 0;
	if (cmd != FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_SELF || kapi_nshared == ARRAY_SIZE(kapi_shared))
		return -EBUSY;
	kapi_shared[kapi_nshared++] = ip;
	return 0;
}

/*
 * PERMANENT: the kernel refuses kernel.ftrace_enabled=0 meanwhile, instead of silently removing the
 * calls.
 */
static struct ftrace_ops kapi_ftrace_ops = {
	.flags = FTRACE_OPS_FL_PERMANENT,
	.ops_func = kapi_ftrace_share,
};

bool kapi_ftrace_attached(void)
{
	return kapi_ftrace_ops.flags & FTRACE_OPS_FL_ENABLED;
}

u64 kapi_ftrace_location(const struct kapi_ftrace_fns *fns, u64 addr)
{
	return kapi_call4(fns->location, addr, 0, 0, 0);
}

/*
 * Sets why[i] to 0 if the site can be added or removed, to EALREADY if that is already so, else to
 * the errno. Errors that are already in why[] stay.
 */
void kapi_ftrace_sort_out(const struct kapi_ftrace_fns *fns, const u64 *sites, size_t n, bool on, u8 *why)
{
	const unsigned long ours = (unsigned long)kapi_entry_trampoline;
	unsigned long direct;
	size_t i;

	for (i = 0; i < n; i++) {
		if (why[i])
			continue;
		if (on && (!sites[i] || kapi_ftrace_location(fns, sites[i]) != sites[i])) {
			why[i] = ENXIO;
			continue;
		}
		direct = kapi_call4(fns->find_direct, sites[i], 0, 0, 0);
		if ((direct == ours) == on)
			why[i] = EALREADY;
		else if (on && direct)
			why[i] = EEXIST;
		cond_resched();
	}
}

/*
 * Adds the first sites. The exported function has the same effect and makes a hash of a fitting
 * size; the other path makes one of 64 chains for any number of sites, and walks them several times
 * for each function.
 */
static int kapi_ftrace_first(unsigned long *sites, size_t n)
{
	int err = ftrace_set_filter_ips(&kapi_ftrace_ops, sites, n, 0, 1);

	/* An empty filter would mean all functions, but is refused. */
	if (!err)
		err = register_ftrace_direct(&kapi_ftrace_ops, (unsigned long)kapi_entry_trampoline);
	if (err)
		ftrace_free_filter(&kapi_ftrace_ops);
	return err;
}

static int kapi_ftrace_order(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Sorts the sites. Mostly they are sorted already. */
static void kapi_ftrace_ascend(u64 *sites, size_t n)
{
	size_t i;

	for (i = 1; i < n && sites[i - 1] <= sites[i]; i++)
		;
	if (i < n)
		sort(sites, n, sizeof(*sites), kapi_ftrace_order, NULL);
}

/*
 * Adds or removes all sites, or none. EBUSY: kapi_ftrace_sort_out() did not see them, or things
 * have changed.
 */
int kapi_ftrace_update(const struct kapi_ftrace_fns *fns, u64 *sites, size_t n, bool on)
{
	const unsigned long ours = (unsigned long)kapi_entry_trampoline;
	unsigned long hash;
	int err = -ENOMEM;
	size_t i;

	BUILD_BUG_ON(sizeof(*sites) != sizeof(unsigned long));
	kapi_nshared = 0;
	if (!n)
		return 0;
	if (on && fns->enabled && !READ_ONCE(*fns->enabled))
		return -EOPNOTSUPP;
	if (on && !kapi_ftrace_attached())
		return kapi_ftrace_first((unsigned long *)sites, n);
	hash = kapi_call4(fns->hash_alloc, clamp(ilog2(n), 1, 12), 0, 0, 0);
	if (!hash)
		return err;
	kapi_ftrace_ascend(sites, n);
	for (i = 0; i < n; i++) {
		/* A site that is added twice can be removed only once. */
		if (i && sites[i] == sites[i - 1])
			continue;
		if (!kapi_call4(fns->hash_add, hash, sites[i], ours, 0))
			goto out;
	}
	err = kapi_call4(on ? fns->add : fns->del, (unsigned long)&kapi_ftrace_ops, hash, 0, 0);
out:
	kapi_call4(fns->hash_free, hash, 0, 0, 0);
	return err;
}

/*
 * Returns those of the sites just added that must be removed, because a livepatch has replaced
 * them.
 */
size_t kapi_ftrace_shared(u64 *sites, size_t max)
{
	size_t n = min(max, kapi_nshared);

	memcpy(sites, kapi_shared, n * sizeof(*sites));
	return n;
}

/* Needs no memory. */
int kapi_ftrace_detach_all(void)
{
	int err;

	if (!kapi_ftrace_attached())
		return 0;
	err = unregister_ftrace_direct(&kapi_ftrace_ops, (unsigned long)kapi_entry_trampoline, true);
	return err;
}
