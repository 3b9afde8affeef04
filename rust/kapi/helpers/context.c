// SPDX-License-Identifier: GPL-2.0
/*
 * The recursion guard of probe context. Entering takes two steps that nothing may come between on this CPU but
 * an NMI: interrupts off, then the CPU's busy word set. An NMI that fires a probe in between finds the word
 * clear, runs its probe from end to end and leaves the word as it found it; an NMI after it finds the word set.
 * The steps themselves are in context.rs, in line.
 *
 * The raw_ forms: tracing of interrupt flags is tracing, and may not happen before the word is set.
 */
#include <linux/cpufeature.h>
#include <linux/irqflags.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include "kapi.h"

DEFINE_PER_CPU(unsigned long, kapi_probe_busy);
/* In the name of which CPU a probe is served here: its own, but while kapi_call_on() acts for one that is off. */
DEFINE_PER_CPU(unsigned long, kapi_probe_cpu);
static DEFINE_PER_CPU(unsigned long, kapi_probe_dropped);

/*
 * A firing that dies, by a panic of Rust's or a fault that nobody foresaw: the kernel ends the task (or stops, as it is
 * told to by panic_on_oops). Nothing of the firing runs again, so the CPU may trace on; the firing is counted as lost.
 * What it left half done is its own consumer's, and safe to read: the worst is a record that makes no sense, or an
 * element of a table that stays locked, at which others give up and count a drop.
 */
static int kapi_oops(struct notifier_block *nb, unsigned long what, void *data)
{
	if (what != DIE_OOPS || !raw_cpu_read(kapi_probe_busy))
		return NOTIFY_DONE;
	raw_cpu_inc(kapi_probe_dropped);
	raw_cpu_write(kapi_probe_cpu, raw_smp_processor_id());
	raw_cpu_write(kapi_probe_busy, 0);
	pr_err("dtrace: a probe failed as it fired, by an error in dtrace.ko; what is traced from here on may be wrong. Please report this\n");
	return NOTIFY_DONE;
}
NOKPROBE_SYMBOL(kapi_oops);

static struct notifier_block kapi_oops_nb = {
	.notifier_call = kapi_oops,
};

static bool kapi_oops_told;

/* Before the first probe is entered. */
void kapi_probe_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(kapi_probe_cpu, cpu) = cpu;
	kapi_oops_told = !register_die_notifier(&kapi_oops_nb);
}

/* No probe is entered any more; twice is fine. May sleep. */
void kapi_probe_end(void)
{
	if (kapi_oops_told)
		unregister_die_notifier(&kapi_oops_nb);
	kapi_oops_told = false;
}

/* The kernel runs as a guest of Xen that may not turn interrupts off by an instruction. */
bool kapi_is_xen_pv(void)
{
	return cpu_feature_enabled(X86_FEATURE_XENPV);
}

/* With interrupts off. */
notrace void kapi_probe_count_dropped(void)
{
	raw_cpu_inc(kapi_probe_dropped);
}
NOKPROBE_SYMBOL(kapi_probe_count_dropped);

/* For where the processor's instructions do not do it. True: they were on. */
notrace bool kapi_irq_save(void)
{
	unsigned long flags;

	raw_local_irq_save(flags);
	return !raw_irqs_disabled_flags(flags);
}
NOKPROBE_SYMBOL(kapi_irq_save);

notrace void kapi_irq_on(void)
{
	raw_local_irq_enable();
}
NOKPROBE_SYMBOL(kapi_irq_on);

u64 kapi_probe_nested(unsigned int cpu)
{
	return READ_ONCE(per_cpu(kapi_probe_dropped, cpu));
}
