// SPDX-License-Identifier: GPL-2.0
/* The work by which stuck.rs tries again each second; a Rust static cannot hold one yet. */
#include <linux/jiffies.h>
#include <linux/workqueue.h>
#include "kapi.h"

static void kapi_stuck_try(struct work_struct *work)
{
	kapi_stuck_retry();
}
static DECLARE_DELAYED_WORK(kapi_stuck_work, kapi_stuck_try);

/* Has kapi_stuck_retry() called in a second, if it is not due earlier. */
void kapi_stuck_later(void)
{
	schedule_delayed_work(&kapi_stuck_work, HZ);
}

/* Nothing is stuck any more. Waits for the last try to return. */
void kapi_stuck_end(void)
{
	cancel_delayed_work_sync(&kapi_stuck_work);
}
