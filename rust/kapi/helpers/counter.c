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
 * The creation of events: perf takes cpus_read_lock() when it creates or releases an event
 * (static_key_slow_inc() in perf_swevent_init()). A hotplug callback runs while that lock is held
 * for writing, so it only queues a work, and the work creates the event soon after. A CPU that goes
 * offline disables its events (perf_event_exit_cpu()); they are released when the CPU comes back,
 * or at the end.
 */
#include <linux/atomic.h>
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cpuhotplug.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
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

struct kapi_counter {
	struct hlist_node node;
	struct perf_event_attr attr;
	struct work_struct work;
	/* Protects `events`. `came`: CPUs that came online since their event was created. */
	struct mutex mutex;
	unsigned long *came;
	atomic_long_t throttled;
	kapi_count_fn fn;
	void *arg;
	struct perf_event *events[];
};

static notrace void kapi_counted(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct kapi_counter *c = event->overflow_handler_context;
	struct pt_regs *before = this_cpu_read(kapi_over_regs);
	u64 pc = instruction_pointer(regs);
	bool user = user_mode(regs);

	if (event->hw.interrupts == KAPI_THROTTLED)
		atomic_long_inc(&c->throttled);
	this_cpu_write(kapi_over_regs, regs);
	c->fn(c->arg, user ? 0 : pc, user ? pc : 0);
	this_cpu_write(kapi_over_regs, before);
}
NOKPROBE_SYMBOL(kapi_counted);

/* NULL: the CPU is offline, or cannot count this event. */
static struct perf_event *kapi_counter_of(struct kapi_counter *c, unsigned int cpu)
{
	struct perf_event *event = perf_event_create_kernel_counter(&c->attr, cpu, NULL, kapi_counted, c);

	if (IS_ERR(event))
		return PTR_ERR(event) == -ENODEV || PTR_ERR(event) == -ENOENT ? NULL : event;
	/* A pinned event that finds no counter is in this state: it would never count. */
	if (READ_ONCE(event->state) == PERF_EVENT_STATE_ERROR) {
		perf_event_release_kernel(event);
		return ERR_PTR(-EBUSY);
	}
	return event;
}

/* Creates the events of CPUs that have come online. */
static void kapi_counter_follow(struct work_struct *work)
{
	struct kapi_counter *c = container_of(work, struct kapi_counter, work);
	struct perf_event *event;
	unsigned int cpu;

	mutex_lock(&c->mutex);
	for_each_possible_cpu(cpu) {
		if (!test_and_clear_bit(cpu, c->came))
			continue;
		if (c->events[cpu])
			perf_event_release_kernel(c->events[cpu]);
		event = kapi_counter_of(c, cpu);
		if (IS_ERR(event))
			pr_warn("dtrace: cpc: CPU %u came online but cannot count event %u:%llx: error %ld\n", cpu, c->attr.type,
				c->attr.config, PTR_ERR(event));
		c->events[cpu] = IS_ERR(event) ? NULL : event;
	}
	mutex_unlock(&c->mutex);
}

static int kapi_counter_online(unsigned int cpu, struct hlist_node *node)
{
	struct kapi_counter *c = hlist_entry(node, struct kapi_counter, node);

	set_bit(cpu, c->came);
	schedule_work(&c->work);
	return 0;
}

static DEFINE_MUTEX(kapi_counter_mutex);
static int kapi_counter_state;
static unsigned int kapi_counters;

/* From now on, CPUs that come online count too. */
static int kapi_counter_watch(struct kapi_counter *c)
{
	int err = 0;

	mutex_lock(&kapi_counter_mutex);
	if (!kapi_counters) {
		err = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "dtrace:counter", kapi_counter_online, NULL);
		if (err > 0)
			kapi_counter_state = err;
	}
	if (err >= 0) {
		err = cpuhp_state_add_instance_nocalls(kapi_counter_state, &c->node);
		if (!err)
			kapi_counters++;
		else if (!kapi_counters)
			cpuhp_remove_multi_state(kapi_counter_state);
	}
	mutex_unlock(&kapi_counter_mutex);
	return err;
}

static void kapi_counter_unwatch(struct kapi_counter *c)
{
	mutex_lock(&kapi_counter_mutex);
	cpuhp_state_remove_instance_nocalls(kapi_counter_state, &c->node);
	if (!--kapi_counters)
		cpuhp_remove_multi_state(kapi_counter_state);
	mutex_unlock(&kapi_counter_mutex);
	cancel_work_sync(&c->work);
}

/* Creates the event on all CPUs that are online, or fails. */
static int kapi_counter_begin(struct kapi_counter *c)
{
	struct perf_event *event;
	bool counts = false;
	unsigned int cpu;
	int err = 0;

	mutex_lock(&c->mutex);
	for_each_online_cpu(cpu) {
		/* The work may have been faster, if the CPU has just come online. */
		event = c->events[cpu] ?: kapi_counter_of(c, cpu);
		if (IS_ERR(event)) {
			err = PTR_ERR(event);
			break;
		}
		c->events[cpu] = event;
		counts |= event != NULL;
	}
	mutex_unlock(&c->mutex);
	return err ?: counts ? 0 : -ENOENT;
}

static struct perf_event_attr kapi_counter_attr(u32 type, u64 config, u64 period, bool user, bool kernel)
{
	return (struct perf_event_attr) {
		.size = sizeof(struct perf_event_attr),
		.type = type,
		.config = config,
		.sample_period = period,
		.pinned = 1,
		.exclude_user = !user,
		.exclude_kernel = !kernel,
		.exclude_hv = 1,
		/* Guests are neither this kernel nor its processes. */
		.exclude_guest = type != PERF_TYPE_SOFTWARE,
	};
}

/* Returns 0 if this machine can count the event, or perf's errno. May sleep. */
int kapi_counter_exists(u32 type, u64 config, u64 period, bool user, bool kernel)
{
	struct perf_event_attr attr = kapi_counter_attr(type, config, period, user, kernel);
	struct perf_event *event;

	attr.disabled = 1;
	event = perf_event_create_kernel_counter(&attr, cpumask_first(cpu_online_mask), NULL, kapi_counted, NULL);
	if (IS_ERR(event))
		return PTR_ERR(event);
	perf_event_release_kernel(event);
	return 0;
}

/* Releases everything. Afterwards fn is neither called nor running. */
static void kapi_counter_free(struct kapi_counter *c)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (c->events[cpu])
			perf_event_release_kernel(c->events[cpu]);
	}
	/*
	 * For NMIs and timers, perf_event_release_kernel() waits: it removes the event on its own CPU.
	 * Events of the kernel are found under RCU (do_perf_sw_event()), so in kernels that do not
	 * check the state again a call may still come.
	 */
	synchronize_rcu();
	bitmap_free(c->came);
	kfree(c);
}

/*
 * From now on fn(arg, ...) is called, by any number of CPUs. Returns an error pointer on failure.
 * May sleep.
 */
struct kapi_counter *kapi_counter_start(u32 type, u64 config, u64 period, bool user, bool kernel, kapi_count_fn fn, void *arg)
{
	struct kapi_counter *c = kzalloc(struct_size(c, events, nr_cpu_ids), GFP_KERNEL);
	int err;

	if (!c)
		return ERR_PTR(-ENOMEM);
	c->came = bitmap_zalloc(nr_cpu_ids, GFP_KERNEL);
	if (!c->came) {
		kfree(c);
		return ERR_PTR(-ENOMEM);
	}
	c->attr = kapi_counter_attr(type, config, period, user, kernel);
	c->fn = fn;
	c->arg = arg;
	mutex_init(&c->mutex);
	INIT_WORK(&c->work, kapi_counter_follow);
	err = kapi_counter_watch(c);
	if (!err) {
		err = kapi_counter_begin(c);
		if (err)
			kapi_counter_unwatch(c);
	}
	if (err) {
		kapi_counter_free(c);
		return ERR_PTR(err);
	}
	return c;
}

/* Afterwards fn is neither called nor running. May sleep. */
void kapi_counter_stop(struct kapi_counter *c)
{
	unsigned long throttled;

	kapi_counter_unwatch(c);
	throttled = atomic_long_read(&c->throttled);
	if (throttled)
		pr_warn("dtrace: cpc: perf stopped event %u:%llx until the next tick %lu times because it fired too often, and did not count meanwhile: use a larger count, or raise kernel.perf_event_max_sample_rate\n",
			c->attr.type, c->attr.config, throttled);
	kapi_counter_free(c);
}
