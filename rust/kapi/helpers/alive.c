// SPDX-License-Identifier: GPL-2.0
/*
 * Checks whether a CPU still runs threads: a thread that is preferred to nearly all others is given
 * work, and the work notes the time. Also tells whether user space can run at all: the kernel
 * freezes it during a suspend or a hibernation, which may be longer than a living process is
 * silent.
 */
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/suspend.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>
#include "kapi.h"

struct kapi_alive {
	struct work_struct work;
	u64 answered;
};

static void kapi_answer(struct work_struct *work)
{
	WRITE_ONCE(container_of(work, struct kapi_alive, work)->answered, ktime_get_mono_fast_ns());
}

static DEFINE_PER_CPU(struct kapi_alive, kapi_alive);

/* The time since which user space can run, in ns; U64_MAX: it is frozen. */
static u64 kapi_awake;

/*
 * PREPARE comes before processes are frozen, POST after they have been thawed, also if the suspend
 * fails.
 */
static int kapi_pm(struct notifier_block *nb, unsigned long what, void *data)
{
	switch (what) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		WRITE_ONCE(kapi_awake, U64_MAX);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		WRITE_ONCE(kapi_awake, ktime_get_mono_fast_ns());
		break;
	}
	return NOTIFY_DONE;
}

static struct notifier_block kapi_pm_nb = {
	.notifier_call = kapi_pm,
};

static bool kapi_pm_told;

u64 kapi_alive_awake(void)
{
	return READ_ONCE(kapi_awake);
}

void kapi_alive_init(void)
{
	unsigned int cpu;

	/* Without this, a long suspend ends the tracing. That is no reason to refuse to load. */
	kapi_pm_told = !register_pm_notifier(&kapi_pm_nb);

	for_each_possible_cpu(cpu)
		INIT_WORK(&per_cpu(kapi_alive, cpu).work, kapi_answer);
}

/* Queues the work on this CPU. Interrupts are off. */
void kapi_alive_ask(void)
{
	queue_work_on(smp_processor_id(), system_highpri_wq, this_cpu_ptr(&kapi_alive.work));
}

/* Returns the time when the work last ran on this CPU, in ns. */
notrace u64 kapi_alive_answered(void)
{
	return raw_cpu_read(kapi_alive.answered);
}
NOKPROBE_SYMBOL(kapi_alive_answered);

/* Nobody calls kapi_alive_ask() any more. May sleep. */
void kapi_alive_end(void)
{
	unsigned int cpu;

	if (kapi_pm_told)
		unregister_pm_notifier(&kapi_pm_nb);
	kapi_pm_told = false;
	for_each_possible_cpu(cpu)
		cancel_work_sync(&per_cpu(kapi_alive, cpu).work);
}
