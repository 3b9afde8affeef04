// SPDX-License-Identifier: GPL-2.0
/* Large blocks. */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include "kapi.h"

/* Returns the bytes that can be allocated without swapping, by the kernel's estimate. */
size_t kapi_memory_available(void)
{
	long pages = si_mem_available();

	return pages < 0 ? 0 : (size_t)pages << PAGE_SHIFT;
}

/* Returns the bytes of the machine's memory. */
size_t kapi_memory_total(void)
{
	return totalram_pages() << PAGE_SHIFT;
}

/*
 * Allocates for a user's request: charged to its cgroup, refused without an OOM kill and without a
 * warning.
 */
void *kapi_zalloc(size_t bytes)
{
	/* Others need memory too. */
	if (bytes > kapi_memory_available() / 4)
		return NULL;
	return kvzalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
}

/*
 * Allocates a block that is kept, for kvfree(). kmalloc() rounds a size above its caches up to a
 * power of two pages; where that would waste more than an eighth, this calls vmalloc().
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

/*
 * Returns how many threads the kernel allows unless an administrator changes that: their stacks may
 * take an eighth of the memory.
 */
unsigned long kapi_most_threads(void)
{
	return totalram_pages() / (8 * (THREAD_SIZE / PAGE_SIZE));
}

/* As kapi_alloc_exact(), but charged to the current task's cgroup. */
void *kapi_alloc_charged(size_t bytes)
{
	return kapi_alloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_NORETRY);
}
