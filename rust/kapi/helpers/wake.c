// SPDX-License-Identifier: GPL-2.0
/*
 * Waking a process that waits for an eventfd. Who wants it woken may hold any lock, and may be in an NMI: it raises an
 * interrupt, which comes when interrupts are on again. Under PREEMPT_RT eventfd's lock sleeps, so there it is a thread
 * that wakes it: the work must not be a hard one.
 */
#include <linux/err.h>
#include <linux/eventfd.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/slab.h>
#include "kapi.h"

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

/* In any context. Not queued twice: it is one signal that comes. */
notrace void kapi_waker_wake(void *waker)
{
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
