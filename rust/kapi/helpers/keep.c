// SPDX-License-Identifier: GPL-2.0
/*
 * How long probes have kept a CPU on purpose, for all consumers together: at most half a second in
 * each interval of a second, which begins with the first of them. Called in probe context, so by
 * one probe at a time on each CPU.
 */
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/time64.h>
#include "kapi.h"

#define KAPI_KEEP_MOST (NSEC_PER_SEC / 2)

struct kapi_kept {
	u64 begin, spent;
};

static DEFINE_PER_CPU(struct kapi_kept, kapi_kept);

/* Tells whether this CPU may be kept for `ns` from now on; if so, counts it. */
notrace bool kapi_keep(u64 now, u64 ns)
{
	struct kapi_kept *kept = raw_cpu_ptr(&kapi_kept);

	if (now - kept->begin >= NSEC_PER_SEC) {
		if (ns > KAPI_KEEP_MOST)
			return false;
		kept->begin = now;
		kept->spent = 0;
	}
	if (ns > KAPI_KEEP_MOST - kept->spent)
		return false;
	kept->spent += ns;
	return true;
}
NOKPROBE_SYMBOL(kapi_keep);
