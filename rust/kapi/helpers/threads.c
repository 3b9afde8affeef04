// SPDX-License-Identifier: GPL-2.0
/*
 * Events of threads, from tracepoints of the kernel: a thread ends, when nothing can run in its
 * name any more and its task_struct is about to be freed; a thread gives the CPU to another.
 */
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include "kapi.h"

static DEFINE_MUTEX(kapi_hooks_mutex);

/*
 * Returns a value that tells apart two threads with the same address one after the other. Not the
 * start time: a thread that executes a program takes its leader's.
 */
static __always_inline u64 kapi_mark(const struct task_struct *p)
{
	return READ_ONCE(*(const unsigned long *)((const char *)p + kapi_task_mark));
}

static kapi_end_fn kapi_ends_fn;

/* TP_PROTO(struct task_struct *p) */
static void notrace kapi_ended(void *data, struct task_struct *p)
{
	kapi_ends_fn((unsigned long)p, kapi_mark(p));
}

static kapi_switch_fn kapi_switches_fn;

/*
 * TP_PROTO(bool preempt, struct task_struct *prev, struct task_struct *next, unsigned int
 * prev_state)
 */
static void notrace kapi_switched(void *data, bool preempt, struct task_struct *prev, struct task_struct *next,
				  unsigned int prev_state)
{
	kapi_switches_fn((unsigned long)next, kapi_mark(next), READ_ONCE(next->se.sum_exec_runtime));
}

static struct kapi_hook kapi_ends_hook = { .name = "sched_process_free", .probe = kapi_ended };
static struct kapi_hook kapi_switches_hook = { .name = "sched_switch", .probe = kapi_switched };

static void kapi_hook_find(struct tracepoint *tp, void *arg)
{
	struct kapi_hook *hook = arg;

	if (!strcmp(tp->name, hook->name))
		hook->tp = tp;
}

/* Attaches the hook's probe to its tracepoint. -ENODEV: this kernel has none of that name. */
int kapi_hook_on(struct kapi_hook *hook)
{
	int err = 0;

	mutex_lock(&kapi_hooks_mutex);
	if (!hook->tp)
		for_each_kernel_tracepoint(kapi_hook_find, hook);
	if (!hook->tp)
		err = -ENODEV;
	else if (!hook->on)
		err = tracepoint_probe_register(hook->tp, hook->probe, NULL);
	if (!err)
		hook->on = hook->ever = true;
	mutex_unlock(&kapi_hooks_mutex);
	return err;
}

/* The last calls may still be under way. */
void kapi_hook_off(struct kapi_hook *hook)
{
	mutex_lock(&kapi_hooks_mutex);
	if (hook->on)
		tracepoint_probe_unregister(hook->tp, hook->probe, NULL);
	hook->on = false;
	mutex_unlock(&kapi_hooks_mutex);
}

/* fn is the same each time. */
int kapi_ends_watch(kapi_end_fn fn)
{
	WRITE_ONCE(kapi_ends_fn, fn);
	return kapi_hook_on(&kapi_ends_hook);
}

/* Calls under way may take a little longer. */
void kapi_ends_unwatch(void)
{
	kapi_hook_off(&kapi_ends_hook);
}

/* As above. */
int kapi_switches_watch(kapi_switch_fn fn)
{
	WRITE_ONCE(kapi_switches_fn, fn);
	return kapi_hook_on(&kapi_switches_hook);
}

/* As above. */
void kapi_switches_unwatch(void)
{
	kapi_hook_off(&kapi_switches_hook);
}

/* Waits for calls under way. All hooks are off. */
void kapi_threads_quiesce(void)
{
	if (kapi_ends_hook.ever || kapi_switches_hook.ever)
		tracepoint_synchronize_unregister();
}
