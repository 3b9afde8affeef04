// SPDX-License-Identifier: GPL-2.0
/*
 * Patches that cannot be taken back yet. The module must stay as long as a patched place leads to
 * it, so it is held, and rmmod says that it is in use. A work item tries again each second.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include "kapi.h"

static void kapi_stuck_retry(struct work_struct *work);

static DECLARE_DELAYED_WORK(kapi_stuck_work, kapi_stuck_retry);
static DEFINE_MUTEX(kapi_stuck_mutex);
/* Rust: stuck::Who. Each entry that has something stuck holds the module once. */
static struct {
	bool (*again)(void);
	/* More has become stuck since the last try. */
	bool more;
} kapi_stuck[2];

static void kapi_stuck_retry(struct work_struct *work)
{
	bool (*again)(void), done, any = false;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kapi_stuck); i++) {
		mutex_lock(&kapi_stuck_mutex);
		again = kapi_stuck[i].again;
		kapi_stuck[i].more = false;
		mutex_unlock(&kapi_stuck_mutex);
		if (!again)
			continue;
		/* Not under the mutex: it takes locks that callers of kapi_stuck_keep() hold. */
		done = again();
		mutex_lock(&kapi_stuck_mutex);
		done &= !kapi_stuck[i].more;
		if (done)
			kapi_stuck[i].again = NULL;
		mutex_unlock(&kapi_stuck_mutex);
		/* kapi_stuck_end() waits until we have returned from here. */
		if (done)
			module_put(THIS_MODULE);
		any |= !done;
	}
	if (any)
		schedule_delayed_work(&kapi_stuck_work, HZ);
}

/* False: the module is being unloaded already. May sleep. */
bool kapi_stuck_keep(unsigned int who, bool (*again)(void))
{
	bool kept = true;

	mutex_lock(&kapi_stuck_mutex);
	kapi_stuck[who].more = true;
	if (!kapi_stuck[who].again) {
		kept = try_module_get(THIS_MODULE);
		if (kept)
			kapi_stuck[who].again = again;
	}
	mutex_unlock(&kapi_stuck_mutex);
	if (kept)
		schedule_delayed_work(&kapi_stuck_work, HZ);
	return kept;
}

/* Nothing is stuck any more. Waits for the last try to return. */
void kapi_stuck_end(void)
{
	cancel_delayed_work_sync(&kapi_stuck_work);
}
