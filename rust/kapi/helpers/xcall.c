// SPDX-License-Identifier: GPL-2.0
/*
 * Waits until every CPU has left the code that it ran with interrupts off. Calls a function in
 * another thread.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/workqueue.h>
#include "kapi.h"

struct kapi_aside {
	struct work_struct work;
	kapi_aside_fn f;
	void *arg;
};

static void kapi_aside_run(struct work_struct *work)
{
	struct kapi_aside *aside = container_of(work, struct kapi_aside, work);

	aside->f(aside->arg);
}

/* Calls f(arg) in a thread of the kernel, and waits until it has returned. */
void kapi_aside(kapi_aside_fn f, void *arg)
{
	struct kapi_aside aside = { .f = f, .arg = arg };

	INIT_WORK_ONSTACK(&aside.work, kapi_aside_run);
	queue_work(system_dfl_wq, &aside.work);
	flush_work(&aside.work);
	destroy_work_on_stack(&aside.work);
}

bool kapi_cpu_possible(unsigned int cpu)
{
	return cpu < nr_cpu_ids && cpu_possible(cpu);
}

bool kapi_cpu_online(unsigned int cpu)
{
	return cpu < nr_cpu_ids && cpu_online(cpu);
}

bool kapi_irqs_are_off(void)
{
	return irqs_disabled();
}

static void kapi_nothing(void *unused)
{
}

/* False: it cannot wait. In a probe it would wait for itself, or for a CPU that waits for it. */
bool kapi_sync(void)
{
	if (WARN_ON_ONCE(irqs_disabled()))
		return false;
	cpus_read_lock();
	on_each_cpu(kapi_nothing, NULL, 1);
	cpus_read_unlock();
	return true;
}

/*
 * Waits for tasks, then for idle tasks, which no grace period of tasks and none of RCU covers. On PREEMPT_RT it
 * does not wait for a task that sleeps on a spinlock in our text. The holder of such a lock is boosted, and needs
 * less time than all this.
 */
void kapi_quiesce(void)
{
	kapi_sync();
	synchronize_rcu();
	synchronize_rcu_tasks();
#ifdef CONFIG_TASKS_RUDE_RCU
	synchronize_rcu_tasks_rude();
#endif
}

void kapi_breathe(void)
{
	cond_resched();
}
