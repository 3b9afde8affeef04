// SPDX-License-Identifier: GPL-2.0
//! The functions that a firing probe runs. They cannot have probes, which would fire during a
//! firing. (The module refuses such a firing and counts it, so nothing breaks, but every firing
//! would be lost.)
//!
//! They are found by analysis of the code. From the points where a patched place leads into our
//! module, every call and every jump is followed, into the kernel and on. What the analysis cannot
//! find is added by name: functions that are called through pointers, and functions that the kernel
//! runs between a breakpoint and us. It does not follow functions that stop the machine, or that
//! are not reached while interrupts are off.
//!
//! Other tracers may have calls in functions that the kernel runs between a breakpoint and us. A
//! breakpoint in a function that they call would lead there again, before they or we know that they
//! are already running. So these tracers are followed, too, except for functions that ftrace can
//! trace: tracers are prepared for probes there.

use crate::hit;
use crate::walk::{Starts, Walk};
use kapi::trampoline;
use kernel::prelude::*;

/// Functions that are called through a pointer: the clock that the kernel has chosen.
const BY_POINTER: &[&CStr] = &[
    c"read_tsc",
    c"read_hpet",
    c"acpi_pm_read",
    c"jiffies_read",
    c"kvm_clock_get_cycles",
    c"kvm_sched_clock_read",
    c"pvclock_clocksource_read_nowd",
    c"read_hv_clock_tsc_cs",
    c"read_hv_clock_msr_cs",
    c"xen_clocksource_get_cycles",
    c"vmware_sched_clock",
];

/// Functions that the kernel runs between a breakpoint and us, and on the way back. (The code that
/// asks whether the breakpoint came from user space is not followed, because it did not.)
const AT_BREAKPOINTS: &[&CStr] = &[
    c"irqentry_nmi_enter",
    c"irqentry_nmi_exit",
    c"smp_text_poke_int3_handler",
    c"kprobe_int3_handler",
    c"notify_die",
    // What an event on this way runs before it knows that it is already running: `notifier_run`,
    // which `notifier_call_chain` has, `rcu_watching`, and osnoise's, on the way back. They are
    // called through pointers.
    c"__traceiter_notifier_run",
    c"trace_event_raw_event_notifier_info",
    c"do_trace_event_raw_event_notifier_info",
    c"__traceiter_rcu_watching",
    c"trace_event_raw_event_rcu_watching",
    c"do_trace_event_raw_event_rcu_watching",
    c"__traceiter_nmi_noise",
    c"trace_event_raw_event_nmi_noise",
    c"do_trace_event_raw_event_nmi_noise",
];

/// Functions on this way that return at once in an NMI, or are not called in one. A breakpoint in the
/// kernel counts as an NMI.
const NOT_IN_NMI: &[&CStr] =
    &[c"__rcu_irq_enter_check_tick", c"housekeeping_any_cpu", c"irq_work_queue_on"];

/// The functions that other tracers call at a traced function: ftrace itself, its graph tracer,
/// fprobes and kprobes, live patches, and BPF programs.
const TRACERS: &[&CStr] = &[
    c"arch_ftrace_ops_list_func",
    c"ftrace_ops_assist_func",
    c"ftrace_pid_func",
    c"function_trace_call",
    c"function_args_trace_call",
    c"function_stack_trace_call",
    c"function_no_repeats_trace_call",
    c"function_stack_no_repeats_trace_call",
    c"function_trace_probe_call",
    c"function_profile_call",
    c"stack_trace_call",
    c"irqsoff_tracer_call",
    c"wakeup_tracer_call",
    c"perf_ftrace_function_call",
    c"klp_ftrace_handler",
    c"kprobe_ftrace_handler",
    c"ftrace_graph_func",
    c"ftrace_return_to_handler",
    c"trace_graph_entry",
    c"trace_graph_entry_args",
    c"trace_graph_return",
    c"trace_graph_thresh_return",
    c"fprobe_ftrace_entry",
    c"fprobe_fgraph_entry",
    c"fprobe_return",
    c"arch_rethook_trampoline_callback",
    c"fentry_dispatcher",
    c"fexit_dispatcher",
    // Clocks that tracers call through a pointer.
    c"trace_clock",
    c"trace_clock_counter",
    c"trace_clock_global",
    c"trace_clock_jiffies",
    c"trace_clock_local",
    c"trace_clock_x86_tsc",
    c"__bpf_tramp_enter",
    c"__bpf_tramp_exit",
    c"__bpf_prog_enter",
    c"__bpf_prog_enter_recur",
    c"__bpf_prog_enter_sleepable",
    c"__bpf_prog_enter_sleepable_recur",
    c"__bpf_prog_enter_lsm_cgroup",
    c"__bpf_prog_exit",
    c"__bpf_prog_exit_recur",
    c"__bpf_prog_exit_sleepable",
    c"__bpf_prog_exit_sleepable_recur",
    c"__bpf_prog_exit_lsm_cgroup",
    // Those of the events on the way from a breakpoint to us.
    c"perf_trace_notifier_info",
    c"do_perf_trace_notifier_info",
    c"perf_trace_rcu_watching",
    c"do_perf_trace_rcu_watching",
    c"__bpf_trace_notifier_info",
    c"__bpf_trace_rcu_watching",
    c"perf_trace_nmi_noise",
    c"do_perf_trace_nmi_noise",
    c"__bpf_trace_nmi_noise",
    c"bpf_trace_run1",
    c"bpf_trace_run2",
    c"bpf_trace_run4",
];

/// Returns the functions. Fails if memory is short, or if there is more code than [`Walk`] follows.
pub(crate) fn compute() -> Result<Starts> {
    let mut walk = Walk::new()?;
    walk.end_at(NOT_IN_NMI)?;
    let ours = [
        hit::entry as *const () as u64,
        hit::returned as *const () as u64,
        hit::tail as *const () as u64,
        hit::trap as *const () as u64,
    ];
    for root in Iterator::chain(ours.into_iter(), trampoline::roots()) {
        walk.add(root)?;
    }
    walk.add_named(BY_POINTER)?;
    walk.add_named(AT_BREAKPOINTS)?;
    walk.run(false)?;
    walk.add_named(TRACERS)?;
    // Tracers are prepared for probes on functions that ftrace can trace.
    walk.run(true)?;
    walk.starts()
}
