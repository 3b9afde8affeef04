// SPDX-License-Identifier: GPL-2.0
/* Large blocks. */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "kapi.h"

/* On a user's request: charged to its cgroup, refused without an OOM kill and without a warning. */
void *kapi_zalloc(size_t bytes)
{
	long pages = si_mem_available();

	/* Several such blocks make a request, and others live here too. */
	if (pages < 0 || (bytes >> PAGE_SHIFT) > pages / 4)
		return NULL;
	return kvzalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
}

/*
 * A block to be kept, for kvfree(). kmalloc() rounds what is larger than its caches up to a power of two pages; where
 * that would waste more than an eighth, and pages, vmalloc() is asked.
 */
static void *kapi_alloc(size_t bytes, gfp_t gfp)
{
	if (bytes > KMALLOC_MAX_CACHE_SIZE && roundup_pow_of_two(bytes) - PAGE_ALIGN(bytes) > bytes / 8)
		return __vmalloc(bytes, gfp);
	return kvmalloc(bytes, gfp);
}

void *kapi_alloc_exact(size_t bytes)
{
	return kapi_alloc(bytes, GFP_KERNEL | __GFP_NOWARN);
}

/* The same, charged to the current task's cgroup. */
void *kapi_alloc_charged(size_t bytes)
{
	return kapi_alloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_NORETRY);
}
