// SPDX-License-Identifier: GPL-2.0
/*
 * Waking a process that waits for an eventfd. Who wants it woken may hold any lock, and may be in an NMI: it raises an
 * interrupt, which comes when interrupts are on again. Under PREEMPT_RT eventfd's lock sleeps, so there it is a thread
 * that wakes it: the work must not be a hard one.
 */
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/eventfd.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include "kapi.h"

/*
 * Whether what is queued here now is done here soon. A CPU that goes does what it has once more after it has been marked
 * as off (smpcfd_dying_cpu), and then never again until it is back: whoever waits for the work would wait as long. A CPU
 * that comes cannot send itself an interrupt before it is on, and the kernel does not try a second time. Under PREEMPT_RT
 * it is a thread that does it, which is parked after the CPU has ceased to be active.
 */
notrace bool kapi_irq_work_runs(void)
{
	unsigned int cpu = raw_smp_processor_id();

	return IS_ENABLED(CONFIG_PREEMPT_RT) ? cpu_active(cpu) : cpu_online(cpu);
}
NOKPROBE_SYMBOL(kapi_irq_work_runs);

struct kapi_waker {
	struct irq_work work;
	struct eventfd_ctx *of;
};

static void kapi_waker_signal(struct irq_work *work)
{
	eventfd_signal(container_of(work, struct kapi_waker, work)->of);
}

/* Of an open eventfd of this process. An error, or a waker. May sleep. */
void *kapi_waker_new(int fd)
{
	struct eventfd_ctx *of = eventfd_ctx_fdget(fd);
	struct kapi_waker *waker;

	if (IS_ERR(of))
		return of;
	waker = kzalloc(sizeof(*waker), GFP_KERNEL);
	if (!waker) {
		eventfd_ctx_put(of);
		return ERR_PTR(-ENOMEM);
	}
	waker->work = IRQ_WORK_INIT(kapi_waker_signal);
	waker->of = of;
	return waker;
}

/*
 * In any context. Not queued twice: it is one signal that comes. Not on a CPU that would never do it: a signal that is
 * left out only comes late, by that of another CPU, or as the process looks by itself.
 */
notrace void kapi_waker_wake(void *waker)
{
	if (!kapi_irq_work_runs())
		return;
	irq_work_queue(&((struct kapi_waker *)waker)->work);
}
NOKPROBE_SYMBOL(kapi_waker_wake);

/* Nobody wakes by it any more. May sleep. */
void kapi_waker_free(void *waker)
{
	struct kapi_waker *w = waker;

	irq_work_sync(&w->work);
	eventfd_ctx_put(w->of);
	kfree(w);
}
