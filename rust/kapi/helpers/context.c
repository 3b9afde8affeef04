// SPDX-License-Identifier: GPL-2.0
/*
 * The recursion guard of probe context. Entering takes two steps: interrupts off, then the CPU's
 * busy word set. Only an NMI can come between them on this CPU. An NMI that fires a probe in
 * between finds the word clear, runs its probe from end to end and leaves the word as it found it;
 * a later NMI finds the word set. The steps themselves are inline, in context.rs. C has what Rust
 * cannot define: variables of each CPU, and functions that nothing may probe.
 */
#include <linux/atomic.h>
#include <linux/cpufeature.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/smp.h>
#include "kapi.h"

DEFINE_PER_CPU(unsigned long, kapi_probe_busy);
/*
 * The CPU that a probe here is served for: this one, except while xcall.rs acts for an
 * offline CPU.
 */
DEFINE_PER_CPU(unsigned long, kapi_probe_cpu);
static DEFINE_PER_CPU(unsigned long, kapi_probe_dropped);
static atomic_long_t kapi_probe_died = ATOMIC_LONG_INIT(0);

/*
 * A firing that dies by a Rust panic or an unforeseen fault. The kernel ends the task (or stops, if
 * panic_on_oops is set, or if it happened in an interrupt). No code of the firing runs again, so the
 * CPU may trace on; the firing counts as lost. Its half-done work belongs to its own consumer and is
 * safe to read: at worst a record makes no sense, or a table element stays locked, where other
 * firings give up and count a drop. But what dtrace.ko does from here on cannot be trusted, so every
 * consumer that traces now ends within a second (see Watch in module/framework/src/state.rs).
 */
static int kapi_oops(struct notifier_block *nb, unsigned long what, void *data)
{
	if (what != DIE_OOPS || !raw_cpu_read(kapi_probe_busy))
		return NOTIFY_DONE;
	raw_cpu_inc(kapi_probe_dropped);
	atomic_long_inc(&kapi_probe_died);
	raw_cpu_write(kapi_probe_cpu, raw_smp_processor_id());
	raw_cpu_write(kapi_probe_busy, 0);
	/* They lie on the stack that the kernel now gives up. */
	raw_cpu_write(kapi_over_regs, NULL);
	raw_cpu_write(kapi_trap_regs, NULL);
	pr_err("dtrace: a probe failed as it fired, by an error in dtrace.ko; all tracing that goes on now ends. Please report this\n");
	return NOTIFY_DONE;
}
NOKPROBE_SYMBOL(kapi_oops);

/* Returns the number of firings that died. */
unsigned long kapi_probe_deaths(void)
{
	return atomic_long_read(&kapi_probe_died);
}

static struct notifier_block kapi_oops_nb = {
	.notifier_call = kapi_oops,
};

static bool kapi_oops_told;

/* Called before the first probe is entered. */
void kapi_probe_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(kapi_probe_cpu, cpu) = cpu;
	kapi_oops_told = !register_die_notifier(&kapi_oops_nb);
}

/* Called when no probe is entered any more; a second call does nothing. May sleep. */
void kapi_probe_end(void)
{
	if (kapi_oops_told)
		unregister_die_notifier(&kapi_oops_nb);
	kapi_oops_told = false;
}

/* Tells whether the kernel is a guest of Xen that may not turn interrupts off by an instruction. */
bool kapi_is_xen_pv(void)
{
	return cpu_feature_enabled(X86_FEATURE_XENPV);
}

/* Interrupts are off. */
notrace void kapi_probe_count_dropped(void)
{
	raw_cpu_inc(kapi_probe_dropped);
}
NOKPROBE_SYMBOL(kapi_probe_count_dropped);

u64 kapi_probe_nested(unsigned int cpu)
{
	return READ_ONCE(per_cpu(kapi_probe_dropped, cpu));
}
