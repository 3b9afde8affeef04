// SPDX-License-Identifier: GPL-2.0
/*
 * Function entries, traced by ftrace's direct calls: the compiler's nop becomes a call to our
 * trampoline, which all functions share. One ftrace_ops holds all sites, so they can be added and
 * removed in any batches, and other tracers of a function go on. A function can have only one
 * direct call, and none if a livepatch has replaced it.
 */
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/string.h>
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

/*
 * Adds the first sites. The exported function has the same effect and makes a hash of a fitting
 * size; the other path makes one of 64 chains for any number of sites, and walks them several times
 * for each function.
 */
int kapi_ftrace_first(unsigned long *sites, size_t n)
{
	int err = ftrace_set_filter_ips(&kapi_ftrace_ops, sites, n, 0, 1);

	/* An empty filter would mean all functions, but is refused. */
	if (!err)
		err = register_ftrace_direct(&kapi_ftrace_ops, (unsigned long)kapi_entry_trampoline);
	if (err)
		ftrace_free_filter(&kapi_ftrace_ops);
	return err;
}

/* Calls update_ftrace_direct_add() or _del(). */
int kapi_ftrace_change(unsigned long update, unsigned long hash)
{
	return kapi_call4(update, (unsigned long)&kapi_ftrace_ops, hash, 0, 0);
}

/* From here on, sites are added. */
void kapi_ftrace_share_none(void)
{
	kapi_nshared = 0;
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
	if (!kapi_ftrace_attached())
		return 0;
	return unregister_ftrace_direct(&kapi_ftrace_ops, (unsigned long)kapi_entry_trampoline, true);
}
