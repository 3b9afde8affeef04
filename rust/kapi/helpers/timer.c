// SPDX-License-Identifier: GPL-2.0
/*
 * Something that happens at regular intervals, on every CPU that is on or on one of them, whatever CPUs come and go.
 * A timer fires in a hard interrupt; what that interrupted is passed on.
 *
 * The kernel calls us on each CPU that comes and, with the instance added, on each that is there. So starting there
 * is the same in both cases; it holds off the coming and going of CPUs while it adds or removes an instance.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <asm/irq_regs.h>
#include <asm/timex.h>
#include <asm/ptrace.h>
#include "kapi.h"

struct kapi_beat {
	struct hrtimer timer;
	struct kapi_ticker *of;
};

struct kapi_ticker {
	struct hlist_node node;
	struct kapi_beat __percpu *beats;
	u64 interval;
	bool everywhere;
	/* The one CPU; -1 before it is known. Changed where CPUs come and go, so by one at a time. */
	int cpu;
	/* Which it is to be, if that is on. */
	int wanted;
	kapi_tick_fn fn;
	void *arg;
};

/* Cycles that are less than any interval: after so few it is hardly later than before, and need not be asked. */
#define KAPI_SHORT 20000

static enum hrtimer_restart kapi_tick(struct hrtimer *timer)
{
	const struct kapi_ticker *t = container_of(timer, struct kapi_beat, timer)->of;
	struct pt_regs *regs = get_irq_regs();
	cycles_t begun = get_cycles();
	ktime_t now = hrtimer_cb_get_time(timer);
	s64 late = ktime_to_ns(now) - ktime_to_ns(hrtimer_get_expires(timer));
	u64 pc = regs ? instruction_pointer(regs) : 0;
	bool user = regs && user_mode(regs);

	t->fn(t->arg, user ? 0 : pc, user ? pc : 0, late > 0 ? late : 0);
	/* From the time when it is over: who needs longer than the interval is not called without a break. */
	if (get_cycles() - begun > KAPI_SHORT)
		now = hrtimer_cb_get_time(timer);
	hrtimer_forward(timer, now, ns_to_ktime(t->interval));
	return HRTIMER_RESTART;
}

/* On the CPU. */
static void kapi_beat_first(struct kapi_beat *beat)
{
	hrtimer_start(&beat->timer, ns_to_ktime(beat->of->interval), HRTIMER_MODE_REL_PINNED_HARD);
}

/* On the CPU, which takes over from another one: in the same rhythm. */
static void kapi_beat_go_on(void *arg)
{
	struct kapi_beat *beat = arg;

	hrtimer_start(&beat->timer, hrtimer_get_expires(&beat->timer), HRTIMER_MODE_ABS_PINNED_HARD);
}

/* On the CPU. */
static int kapi_ticker_online(unsigned int cpu, struct hlist_node *node)
{
	struct kapi_ticker *t = hlist_entry(node, struct kapi_ticker, node);

	if (t->everywhere) {
		kapi_beat_first(per_cpu_ptr(t->beats, cpu));
	} else if (t->cpu < 0 && (cpu == t->wanted || !cpu_online(t->wanted))) {
		t->cpu = cpu;
		kapi_beat_first(per_cpu_ptr(t->beats, cpu));
	}
	return 0;
}

/* On the CPU, which is not off yet; there is another one, or it would not go. */
static int kapi_ticker_offline(unsigned int cpu, struct hlist_node *node)
{
	struct kapi_ticker *t = hlist_entry(node, struct kapi_ticker, node);
	struct kapi_beat *here = per_cpu_ptr(t->beats, cpu), *there;

	hrtimer_cancel(&here->timer);
	if (t->everywhere || t->cpu != cpu)
		return 0;
	t->cpu = cpumask_any_but(cpu_online_mask, cpu);
	if (t->cpu >= nr_cpu_ids) {
		t->cpu = -1;
		return 0;
	}
	there = per_cpu_ptr(t->beats, t->cpu);
	hrtimer_set_expires(&there->timer, hrtimer_get_expires(&here->timer));
	smp_call_function_single(t->cpu, kapi_beat_go_on, there, true);
	return 0;
}

static DEFINE_MUTEX(kapi_ticker_mutex);
static int kapi_ticker_state;
static unsigned int kapi_tickers;

/* With the first ticker. Under the mutex. */
static int kapi_ticker_hold(void)
{
	int state;

	if (!kapi_tickers) {
		state = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "dtrace:ticker", kapi_ticker_online, kapi_ticker_offline);
		if (state < 0)
			return state;
		kapi_ticker_state = state;
	}
	kapi_tickers++;
	return 0;
}

static void kapi_ticker_release(void)
{
	if (!--kapi_tickers)
		cpuhp_remove_multi_state(kapi_ticker_state);
}

static void kapi_ticker_free(struct kapi_ticker *t)
{
	free_percpu(t->beats);
	kfree(t);
}

static int kapi_ticker_add(struct kapi_ticker *t)
{
	int err;

	mutex_lock(&kapi_ticker_mutex);
	err = kapi_ticker_hold();
	if (!err) {
		err = cpuhp_state_add_instance(kapi_ticker_state, &t->node);
		if (err)
			kapi_ticker_release();
	}
	mutex_unlock(&kapi_ticker_mutex);
	return err;
}

/* fn(arg, ...) is called in hard interrupts from now on; its errno as a pointer if it cannot be. */
struct kapi_ticker *kapi_ticker_start(u64 interval, bool everywhere, kapi_tick_fn fn, void *arg)
{
	struct kapi_ticker *t = kzalloc(sizeof(*t), GFP_KERNEL);
	unsigned int cpu;
	int err;

	if (!t)
		return ERR_PTR(-ENOMEM);
	*t = (struct kapi_ticker) {
		.interval = interval, .everywhere = everywhere, .cpu = -1, .wanted = raw_smp_processor_id(), .fn = fn, .arg = arg,
	};
	t->beats = alloc_percpu(struct kapi_beat);
	if (!t->beats) {
		kfree(t);
		return ERR_PTR(-ENOMEM);
	}
	for_each_possible_cpu(cpu) {
		struct kapi_beat *beat = per_cpu_ptr(t->beats, cpu);

		beat->of = t;
		hrtimer_setup(&beat->timer, kapi_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	}
	err = kapi_ticker_add(t);
	if (err) {
		kapi_ticker_free(t);
		return ERR_PTR(err);
	}
	return t;
}

/* fn is not called any more when it returns, nor being called. */
void kapi_ticker_stop(struct kapi_ticker *t)
{
	unsigned int cpu;

	mutex_lock(&kapi_ticker_mutex);
	/* No CPU that comes or goes starts a timer from here on. */
	cpuhp_state_remove_instance_nocalls(kapi_ticker_state, &t->node);
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(t->beats, cpu)->timer);
	kapi_ticker_release();
	mutex_unlock(&kapi_ticker_mutex);
	kapi_ticker_free(t);
}
