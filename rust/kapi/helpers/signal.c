// SPDX-License-Identifier: GPL-2.0
/*
 * Signals to the process in which a probe fires. The interrupted code may hold any lock, so the
 * probe leaves a note and raises an interrupt, which is taken when interrupts are on again, where
 * the locks of signals are not held. Under PREEMPT_RT these locks sleep, so a thread of the CPU
 * (irq_work) sends there: the work must not be a hard one. The notes are a variable of each CPU,
 * which only C can define.
 */
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
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

#define KAPI_NOTES 16

struct kapi_notes {
	struct irq_work work;
	unsigned int n;
	struct { struct pid *pid; int sig; } at[KAPI_NOTES];
};

static void kapi_signals_send(struct irq_work *work);

static DEFINE_PER_CPU(struct kapi_notes, kapi_notes) = { .work = IRQ_WORK_INIT(kapi_signals_send) };
/* A signal was ever noted. */
static bool kapi_signals_any;

/*
 * Runs on the CPU of the notes. A probe may add one meanwhile: the last one is then read again.
 * Nobody else takes any.
 */
static void kapi_signals_send(struct irq_work *work)
{
	struct kapi_notes *notes = container_of(work, struct kapi_notes, work);
	unsigned int n;

	while ((n = READ_ONCE(notes->n))) {
		struct pid *pid = notes->at[n - 1].pid;
		int sig = notes->at[n - 1].sig;

		if (cmpxchg_local(&notes->n, n, n - 1) != n)
			continue;
		kill_pid(pid, sig, 1);
		put_pid(pid);
	}
}

/*
 * Called in probe context. 1: the signal will be sent. 0: nobody can get it, or there is no such
 * signal. -1: it is lost, because too many wait or the CPU is about to go offline.
 */
notrace int kapi_signal(int sig)
{
	struct kapi_notes *notes = this_cpu_ptr(&kapi_notes);
	unsigned int n = notes->n;

	if ((current->flags & PF_KTHREAD) || is_global_init(current) || !valid_signal(sig) || !sig)
		return 0;
	if (n >= KAPI_NOTES || !kapi_irq_work_runs())
		return -1;
	notes->at[n].pid = get_pid(task_tgid(current));
	notes->at[n].sig = sig;
	WRITE_ONCE(notes->n, n + 1);
	WRITE_ONCE(kapi_signals_any, true);
	irq_work_queue(&notes->work);
	return 1;
}
NOKPROBE_SYMBOL(kapi_signal);

/*
 * Waits until all noted signals are sent; nobody notes any more. May sleep. irq_work_sync() may wait for a grace
 * period even if its work is not busy, which would be as many as there are CPUs: one is enough for all works that
 * have just ended.
 */
void kapi_signals_quiesce(void)
{
	unsigned int cpu;

	if (!READ_ONCE(kapi_signals_any))
		return;
	for_each_possible_cpu(cpu) {
		struct irq_work *work = &per_cpu(kapi_notes, cpu).work;

		if (irq_work_is_busy(work))
			irq_work_sync(work);
	}
	synchronize_rcu();
}
