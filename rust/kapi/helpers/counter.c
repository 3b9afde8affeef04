// SPDX-License-Identifier: GPL-2.0
/*
 * Events that perf counts on every CPU. Each time that a CPU has counted a given number, a
 * function is called with the place where the CPU was.
 *
 * The context of the call: for an event of the processor it is an NMI (arch/x86/events/core.c:
 * perf_event_nmi_handler): the interrupted code may hold any lock, and may be switching the task or
 * its memory. For a clock it is a hard interrupt (perf_swevent_hrtimer). For other events of the
 * kernel it is the place of the event: a context switch holds the lock of the run queue. So
 * kapi_counted() does only what an NMI may do: it writes variables of this CPU and calls. The
 * callee enters probe context first; context.c says why an NMI over a firing, or between the steps
 * of entering, is safe. All code that a firing reaches was written for NMIs, because fbt fires in
 * NMIs too: clocks are NMI-safe (time.rs), loads from processes check that the page tables are the
 * task's (copy_from_user_nofault() calls nmi_uaccess_okay()), signals and wake-ups go through
 * irq_work (signal.c, wake.c), paths are walked without locks (path.c), stacks begin at the
 * interrupted registers (stack.c). The tables of D variables and aggregations belong to the CPU, or
 * give up when a lock of theirs is held; a holder on the same CPU cannot be interrupted by another
 * firing, because the busy word turns that firing away.
 *
 * kapi_counted() stays in C: nothing may probe it. No binding has perf's functions. counter.rs
 * decides which events exist.
 */
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/workqueue.h>
#include <asm/ptrace.h>
#include "kapi.h"

/*
 * The registers that the event of the firing probe interrupted on this CPU; NULL: no such probe
 * fires.
 */
DEFINE_PER_CPU(struct pt_regs *, kapi_over_regs);

/* kernel/events/core.c: MAX_INTERRUPTS. Perf has stopped the event until the next tick. */
#define KAPI_THROTTLED (~0ULL)

static notrace void kapi_counted(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct kapi_counting *c = event->overflow_handler_context;
	u64 pc = instruction_pointer(regs);
	bool user = user_mode(regs);
	u32 what = KAPI_COUNTED;
	struct pt_regs *before;
	unsigned long flags;

	if (event->hw.interrupts == KAPI_THROTTLED)
		what |= KAPI_PAUSED;
	/* perf reports page faults with interrupts on. A timer's probe would take these registers for its own. */
	raw_local_irq_save(flags);
	before = this_cpu_read(kapi_over_regs);
	this_cpu_write(kapi_over_regs, regs);
	c->fn_(c->arg, user ? 0 : pc, user ? pc : 0, what);
	this_cpu_write(kapi_over_regs, before);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(kapi_counted);

/*
 * Creates an event on a CPU, which counts from now on; with counting == NULL, it does not. Returns an
 * error pointer on failure. May sleep.
 */
struct perf_event *kapi_counter_create(const struct kapi_event *what, unsigned int cpu, struct kapi_counting *counting)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = what->kind,
		.config = what->config,
		.sample_period = what->period,
		.disabled = !counting,
		.pinned = 1,
		.exclude_user = !what->user,
		.exclude_kernel = !what->kernel,
		.exclude_hv = 1,
		/* Guests are neither this kernel nor its processes. */
		.exclude_guest = what->kind != PERF_TYPE_SOFTWARE,
	};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, cpu, NULL, kapi_counted, counting);

	/* A pinned event that finds no counter is in this state: it would never count. */
	if (!IS_ERR(event) && READ_ONCE(event->state) == PERF_EVENT_STATE_ERROR) {
		perf_event_release_kernel(event);
		return ERR_PTR(-EBUSY);
	}
	return event;
}

/* May sleep. */
void kapi_counter_release(struct perf_event *event)
{
	perf_event_release_kernel(event);
}

/*
 * Has an event count again to which perf has given no counter, because an older pinned event needed
 * it: perf would never try again. Returns false if the event was in this state. May sleep.
 */
bool kapi_counter_revive(struct perf_event *event)
{
	if (READ_ONCE(event->state) != PERF_EVENT_STATE_ERROR)
		return true;
	perf_event_enable(event);
	return false;
}

/* CPUs that came online since their events were created. */
static struct cpumask kapi_counters_came;

static void kapi_counters_work(struct work_struct *work)
{
	if (kapi_counters_follow())
		schedule_delayed_work(to_delayed_work(work), HZ);
}
static DECLARE_DELAYED_WORK(kapi_counters_queued, kapi_counters_work);

/* Has kapi_counters_follow() called soon, and each second from then on as long as it returns true. */
void kapi_counters_look(void)
{
	mod_delayed_work(system_percpu_wq, &kapi_counters_queued, 0);
}

/* From now on, it is neither called nor running. */
void kapi_counters_stop(void)
{
	cancel_delayed_work_sync(&kapi_counters_queued);
}

static int kapi_counters_online(unsigned int cpu)
{
	cpumask_set_cpu(cpu, &kapi_counters_came);
	kapi_counters_look();
	return 0;
}

/* Has kapi_counters_look() called each time that a CPU comes online. Returns a state, or an error. */
int kapi_counters_watch(void)
{
	return cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "dtrace:counter", kapi_counters_online, NULL);
}

void kapi_counters_unwatch(int state)
{
	cpuhp_remove_state_nocalls(state);
}

bool kapi_counters_take(unsigned int cpu)
{
	return cpumask_test_and_clear_cpu(cpu, &kapi_counters_came);
}
