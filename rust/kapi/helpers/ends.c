// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that end: told by a tracepoint of the kernel, when nothing can run in the thread's name any more and its
 * task_struct is about to go.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include "kapi.h"

static DEFINE_MUTEX(kapi_ends_mutex);
static struct tracepoint *kapi_ends_tp;
static kapi_end_fn kapi_ends_fn;
static bool kapi_ends_on, kapi_ends_ever;

static void kapi_ends_find(struct tracepoint *tp, void *name)
{
	if (!strcmp(tp->name, name))
		kapi_ends_tp = tp;
}

/* TP_PROTO(struct task_struct *p) */
static void notrace kapi_ended(void *data, struct task_struct *p)
{
	kapi_ends_fn((unsigned long)p, p->start_boottime);
}

/* fn is the same each time. */
int kapi_ends_watch(kapi_end_fn fn)
{
	int err = 0;

	mutex_lock(&kapi_ends_mutex);
	kapi_ends_fn = fn;
	if (!kapi_ends_tp)
		for_each_kernel_tracepoint(kapi_ends_find, "sched_process_free");
	if (!kapi_ends_tp)
		err = -ENODEV;
	else if (!kapi_ends_on)
		err = tracepoint_probe_register(kapi_ends_tp, kapi_ended, NULL);
	if (!err)
		kapi_ends_on = kapi_ends_ever = true;
	mutex_unlock(&kapi_ends_mutex);
	return err;
}

/* Who is being told now may be a little longer. */
void kapi_ends_unwatch(void)
{
	mutex_lock(&kapi_ends_mutex);
	if (kapi_ends_on)
		tracepoint_probe_unregister(kapi_ends_tp, kapi_ended, NULL);
	kapi_ends_on = false;
	mutex_unlock(&kapi_ends_mutex);
}

/* Nobody is told any more; waits until nobody is being told either. */
void kapi_ends_quiesce(void)
{
	if (kapi_ends_ever)
		tracepoint_synchronize_unregister();
}
