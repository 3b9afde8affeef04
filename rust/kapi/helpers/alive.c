// SPDX-License-Identifier: GPL-2.0
/*
 * Checks whether a CPU still runs threads: a thread that is preferred to nearly all others is given
 * work, and the work notes the time. The works are variables of each CPU, which only C can define.
 */
#include <linux/kprobes.h>
#include <linux/percpu.h>
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

void kapi_alive_init(void)
{
	unsigned int cpu;

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

	for_each_possible_cpu(cpu)
		cancel_work_sync(&per_cpu(kapi_alive, cpu).work);
}
