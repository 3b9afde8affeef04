// SPDX-License-Identifier: GPL-2.0
/*
 * Wakes a process that waits for an eventfd. The caller may hold any lock and may be in an NMI, so
 * it raises an interrupt, which is taken when interrupts are on again. Under PREEMPT_RT eventfd's
 * lock sleeps, so a thread does the waking there: the irq_work must not be a hard one.
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
 * Tells whether irq_work that is queued on this CPU now runs here soon. A CPU that goes offline
 * runs its work once more after it has been marked as off (smpcfd_dying_cpu), and then not before
 * it is back; anyone who waits for the work would wait that long. A CPU that comes online cannot
 * send itself an interrupt before it is marked as on, and the kernel does not try a second time.
 * Under PREEMPT_RT a thread runs the work; it is parked after the CPU has ceased to be active.
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

/* Returns a waker for an open eventfd of this process, or an error pointer. May sleep. */
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
 * Can be called in any context. Calls before the work has run give one signal. On a CPU that would
 * not run the work, nothing is queued: the signal only comes late, from another CPU, or the process
 * looks by itself.
 */
notrace void kapi_waker_wake(void *waker)
{
	if (!kapi_irq_work_runs())
		return;
	irq_work_queue(&((struct kapi_waker *)waker)->work);
}
NOKPROBE_SYMBOL(kapi_waker_wake);

/* Nobody may use the waker any more. May sleep. */
void kapi_waker_free(void *waker)
{
	struct kapi_waker *w = waker;

	irq_work_sync(&w->work);
	eventfd_ctx_put(w->of);
	kfree(w);
}
