// SPDX-License-Identifier: GPL-2.0
/*
 * Mutexes that exist before anything is initialised, for short and rare sections of this crate. A
 * Rust static cannot yet hold a mutex of the kernel that needs no call to initialise it.
 */
#include <linux/mutex.h>
#include "kapi.h"

static DEFINE_MUTEX(kapi_publish_mutex);
static DEFINE_MUTEX(kapi_global_mutex);
static DEFINE_MUTEX(kapi_sites_mutex);
static DEFINE_MUTEX(kapi_ftrace_mutex);
static DEFINE_MUTEX(kapi_follow_mutex);
static DEFINE_MUTEX(kapi_tracepoints_mutex);
static DEFINE_MUTEX(kapi_hooks_mutex);
static DEFINE_MUTEX(kapi_watch_mutex);
static DEFINE_MUTEX(kapi_counters_mutex);
static DEFINE_MUTEX(kapi_tickers_mutex);
static DEFINE_MUTEX(kapi_offline_mutex);
static DEFINE_MUTEX(kapi_stuck_mutex);
static DEFINE_MUTEX(kapi_entries_mutex);
static struct mutex *const kapi_mutex[] = {
	&kapi_publish_mutex, &kapi_global_mutex, &kapi_sites_mutex, &kapi_ftrace_mutex, &kapi_follow_mutex,
	&kapi_tracepoints_mutex, &kapi_hooks_mutex, &kapi_watch_mutex, &kapi_counters_mutex,
	&kapi_tickers_mutex, &kapi_offline_mutex, &kapi_stuck_mutex, &kapi_entries_mutex,
};

void kapi_lock(unsigned int which)
{
	mutex_lock(kapi_mutex[which]);
}

void kapi_unlock(unsigned int which)
{
	mutex_unlock(kapi_mutex[which]);
}
