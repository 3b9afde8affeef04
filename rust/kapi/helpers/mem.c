// SPDX-License-Identifier: GPL-2.0
/* Large blocks on a user's request: charged to its cgroup, refused without an OOM kill and without a warning. */
#include <linux/mm.h>
#include <linux/slab.h>
#include "kapi.h"

void *kapi_zalloc(size_t bytes)
{
	long pages = si_mem_available();

	/* Several such blocks make a request, and others live here too. */
	if (pages < 0 || (bytes >> PAGE_SHIFT) > pages / 4)
		return NULL;
	return kvzalloc(bytes, GFP_KERNEL_ACCOUNT | __GFP_NOWARN | __GFP_RETRY_MAYFAIL);
}
