// SPDX-License-Identifier: GPL-2.0
/*
 * Calls a function at regular intervals, on every online CPU or on one of them, while CPUs come and
 * go. A timer fires in a hard interrupt; the interrupted address is passed on. This is C because each
 * tick is short, and because the kernel offers timers and their hotplug callbacks as inline functions.
 *
 * The kernel calls us on each CPU that comes online. It would do so on those that are online, too, when
 * a ticker is added, but by a thread of each CPU, which has no real-time priority: behind a program that
 * has, that thread may wait for ever, and all who start tickers with it. An interrupt does not wait.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/ktime.h>
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
	/* The one CPU; -1: not known yet. Changed by hotplug callbacks, so by one at a time. */
	int cpu;
	/* The CPU that it should be, if that is online. */
	int wanted;
	kapi_tick_fn fn;
	void *arg;
};

/*
 * Cycles, fewer than in any interval: after so few the time has hardly changed and is not read
 * again.
 */
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
	/*
	 * Counted from the end of the call: a function that takes longer than the interval gets a
	 * break.
	 */
	if (get_cycles() - begun > KAPI_SHORT)
		now = hrtimer_cb_get_time(timer);
	hrtimer_forward(timer, now, ns_to_ktime(t->interval));
	return HRTIMER_RESTART;
}

/* Runs on the CPU. */
static void kapi_beat_first(struct kapi_beat *beat)
{
	hrtimer_start(&beat->timer, ns_to_ktime(beat->of->interval), HRTIMER_MODE_REL_PINNED_HARD);
}

/* Runs on the CPU that takes over from another one, and keeps the rhythm. */
static void kapi_beat_go_on(void *arg)
{
	struct kapi_beat *beat = arg;

	hrtimer_start(&beat->timer, hrtimer_get_expires(&beat->timer), HRTIMER_MODE_ABS_PINNED_HARD);
}

/* Runs on the CPU. */
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

/*
 * Runs on the CPU, which is still online. Another CPU is online, or this one could not go offline.
 */
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

/* Sets up the hotplug callbacks of all tickers. Returns a state, or an error. */
int kapi_tickers_begin(void)
{
	return cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "dtrace:ticker", kapi_ticker_online, kapi_ticker_offline);
}

void kapi_tickers_end(int state)
{
	cpuhp_remove_multi_state(state);
}

/* Makes a ticker that does not run yet. NULL: there is no memory. */
struct kapi_ticker *kapi_ticker_new(u64 interval, bool everywhere, kapi_tick_fn fn, void *arg)
{
	struct kapi_ticker *t = kzalloc(sizeof(*t), GFP_KERNEL);
	unsigned int cpu;

	if (!t)
		return NULL;
	*t = (struct kapi_ticker) {
		.interval = interval, .everywhere = everywhere, .cpu = -1, .wanted = raw_smp_processor_id(), .fn = fn, .arg = arg,
	};
	t->beats = alloc_percpu(struct kapi_beat);
	if (!t->beats) {
		kfree(t);
		return NULL;
	}
	for_each_possible_cpu(cpu) {
		struct kapi_beat *beat = per_cpu_ptr(t->beats, cpu);

		beat->of = t;
		hrtimer_setup(&beat->timer, kapi_tick, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	}
	return t;
}

static void kapi_beat_here(void *arg)
{
	const struct kapi_ticker *t = arg;

	kapi_beat_first(this_cpu_ptr(t->beats));
}

/*
 * From now on fn(arg, ...) is called in hard interrupts. A CPU that comes online before cpus_read_lock()
 * has its timer already; a second start only moves its first tick.
 */
int kapi_ticker_start(int state, struct kapi_ticker *t)
{
	int err = cpuhp_state_add_instance_nocalls(state, &t->node);

	if (err)
		return err;
	cpus_read_lock();
	if (t->everywhere) {
		on_each_cpu(kapi_beat_here, t, true);
	} else if (t->cpu < 0) {
		t->cpu = cpu_online(t->wanted) ? t->wanted : cpumask_any(cpu_online_mask);
		smp_call_function_single(t->cpu, kapi_beat_here, t, true);
	}
	cpus_read_unlock();
	return 0;
}

/* When it returns, fn is neither called nor running. */
void kapi_ticker_stop(int state, struct kapi_ticker *t)
{
	unsigned int cpu;

	/* No CPU that comes or goes starts a timer from here on. */
	cpuhp_state_remove_instance_nocalls(state, &t->node);
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(t->beats, cpu)->timer);
}

/* It does not run. */
void kapi_ticker_free(struct kapi_ticker *t)
{
	free_percpu(t->beats);
	kfree(t);
}
