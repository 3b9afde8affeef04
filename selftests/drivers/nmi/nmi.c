// SPDX-License-Identifier: GPL-2.0
/*
 * A probe in an NMI handler, and one in a loop for the NMIs to hit. Writing N to /proc/nmi-fire
 * fires the loop's probe N times. Writing N to /proc/nmi-send sends N NMIs, one by one, to another
 * CPU. (Parameters of one module exclude each other.) .../parameters/taken has the number of
 * firings in the handler. An NMI that arrives while another one is pending is lost.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/proc_fs.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/nmi.h>
#include <dtrace/sdt.h>

static atomic_t taken;
static atomic_t due;

static int nmi_taken(unsigned int type, struct pt_regs *regs)
{
	if (!atomic_add_unless(&due, -1, 0))
		return NMI_DONE;
	DTRACE_PROBE1(nmi, main, handler, taken, atomic_inc_return(&taken));
	return NMI_HANDLED;
}

static ssize_t nmi_fire(struct file *file, const char __user *text, size_t len, loff_t *pos)
{
	unsigned int n, i;
	int err = kstrtouint_from_user(text, len, 0, &n);

	for (i = 0; !err && i < n; i++)
		DTRACE_PROBE1(nmi, main, loop, iter, i);
	return err ? err : len;
}
static const struct proc_ops nmi_fire_ops = { .proc_write = nmi_fire };

static ssize_t nmi_send(struct file *file, const char __user *text, size_t len, loff_t *pos)
{
	unsigned int n, i, cpu;
	int err = kstrtouint_from_user(text, len, 0, &n);

	for (i = 0; !err && i < n; i++) {
		/* If this NMI arrives while another one is pending, `due` stays one too high. */
		atomic_inc(&due);
		cpus_read_lock();
		cpu = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
		if (cpu < nr_cpu_ids)
			__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
		cpus_read_unlock();
		usleep_range(50, 300);
	}
	return err ? err : len;
}
static const struct proc_ops nmi_send_ops = { .proc_write = nmi_send };

static int nmi_get(char *val, const struct kernel_param *kp)
{
	return sysfs_emit(val, "%d\n", atomic_read(&taken));
}
static const struct kernel_param_ops nmi_get_ops = { .get = nmi_get };
module_param_cb(taken, &nmi_get_ops, NULL, 0400);

/* This is test code: a missing file shows up in the test. */
static int __init nmi_init(void)
{
	proc_create("nmi-fire", 0200, NULL, &nmi_fire_ops);
	proc_create("nmi-send", 0200, NULL, &nmi_send_ops);
	return register_nmi_handler(NMI_LOCAL, nmi_taken, NMI_FLAG_FIRST, "dtrace_test");
}

static void __exit nmi_exit(void)
{
	remove_proc_entry("nmi-fire", NULL);
	remove_proc_entry("nmi-send", NULL);
	unregister_nmi_handler(NMI_LOCAL, "dtrace_test");
}

module_init(nmi_init);
module_exit(nmi_exit);
MODULE_DESCRIPTION("Probes in NMIs");
MODULE_LICENSE("GPL");
