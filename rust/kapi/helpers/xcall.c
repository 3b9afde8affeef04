// SPDX-License-Identifier: GPL-2.0
/*
 * Runs work on a given CPU, and waits until every CPU has left the code that it ran with interrupts
 * off.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include "kapi.h"

/* Only one thread at a time acts for CPUs that are off. */
static DEFINE_MUTEX(kapi_offline_mutex);

bool kapi_cpu_possible(unsigned int cpu)
{
	return cpu < nr_cpu_ids && cpu_possible(cpu);
}

bool kapi_cpu_online(unsigned int cpu)
{
	return cpu < nr_cpu_ids && cpu_online(cpu);
}

/*
 * Calls fn(arg) on the CPU, from an IPI, and waits. For a CPU that is off, it calls offline(arg)
 * here, while the hotplug lock keeps the CPU off.
 */
int kapi_call_on(unsigned int cpu, void (*fn)(void *arg), void (*offline)(void *arg), void *arg)
{
	int err = 0;

	if (!kapi_cpu_possible(cpu))
		return -ENXIO;
	/* In a probe, two CPUs that wait for each other would never end. */
	if (irqs_disabled())
		return -EBUSY;
	cpus_read_lock();
	if (cpu_online(cpu)) {
		err = smp_call_function_single(cpu, fn, arg, 1);
	} else {
		mutex_lock(&kapi_offline_mutex);
		offline(arg);
		mutex_unlock(&kapi_offline_mutex);
	}
	cpus_read_unlock();
	return err;
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

/* Waits for tasks, then for idle tasks, which no grace period of tasks and none of RCU covers. */
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
