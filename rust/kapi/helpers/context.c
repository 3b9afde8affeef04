// SPDX-License-Identifier: GPL-2.0
/*
 * The recursion guard of probe context. Entering takes two steps that nothing may come between on this CPU but
 * an NMI: interrupts off, then the CPU's busy word set. An NMI that fires a probe in between finds the word
 * clear, runs its probe from end to end and leaves the word as it found it; an NMI after it finds the word set.
 *
 * The raw_ forms: tracing of interrupt flags is tracing, and may not happen before the word is set.
 */
#include <linux/cpufeature.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include "kapi.h"

DEFINE_PER_CPU(unsigned long, kapi_probe_busy);
static DEFINE_PER_CPU(unsigned long, kapi_probe_dropped);

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

/*
 * What context.rs does in line, for where it cannot. Returns this CPU and saves the interrupt state, or -1: a probe is
 * being served here already.
 */
notrace long kapi_probe_enter(unsigned long *flags)
{
	raw_local_irq_save(*flags);
	if (unlikely(raw_cpu_read(kapi_probe_busy))) {
		kapi_probe_count_dropped();
		raw_local_irq_restore(*flags);
		return -1;
	}
	raw_cpu_write(kapi_probe_busy, 1);
	barrier();
	return raw_smp_processor_id();
}
NOKPROBE_SYMBOL(kapi_probe_enter);

notrace void kapi_probe_leave(unsigned long flags)
{
	barrier();
	raw_cpu_write(kapi_probe_busy, 0);
	raw_local_irq_restore(flags);
}
NOKPROBE_SYMBOL(kapi_probe_leave);

u64 kapi_probe_nested(unsigned int cpu)
{
	return READ_ONCE(per_cpu(kapi_probe_dropped, cpu));
}
