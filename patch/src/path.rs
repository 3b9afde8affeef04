// SPDX-License-Identifier: GPL-2.0
//! The functions that a firing probe runs. None of them can have a probe: it would fire while it is
//! being fired. (Such a firing is turned away and counted, so nothing breaks; but it would be lost
//! each time.)
//!
//! They are computed from the code itself: from where a patched place leads into our module, every
//! call and every jump is followed, into the kernel and on. What cannot be followed is added by name:
//! what is called through a pointer, and what the kernel runs between a breakpoint and us. What ends
//! the machine, or is not reached with interrupts off, is not followed.
//!
//! Other tracers may have their calls in functions that the kernel runs between a breakpoint and us. A
//! breakpoint in what they call would lead there again, before we or they know that they are in the
//! middle of something. So these tracers are followed too, as far as they are not ours to trace by
//! ftrace: what it can trace they are prepared for.

use crate::hit;
use crate::walk::{Starts, Walk};
use kapi::trampoline;
use kernel::prelude::*;

/// Called through a pointer: the clock that the kernel has chosen.
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

/// What the kernel runs between a breakpoint and us, and back. (Where it asks itself whether the
/// breakpoint came from user space is not followed: it did not.)
const AT_BREAKPOINTS: &[&CStr] = &[
    c"irqentry_nmi_enter",
    c"irqentry_nmi_exit",
    c"smp_text_poke_int3_handler",
    c"kprobe_int3_handler",
    c"notify_die",
];

/// What other tracers have called at functions: by ftrace itself, its graph tracer, fprobes and kprobes, live
/// patches, and BPF programs.
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
    // Their clocks, which they call through a pointer.
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
];

/// The functions. The error: memory, or more code than [`Walk`] follows.
pub(crate) fn compute() -> Result<Starts> {
    let mut walk = Walk::new()?;
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
    // What ftrace can trace they are prepared for.
    walk.run(true)?;
    walk.starts()
}
