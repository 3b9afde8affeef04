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

use crate::follow::{self, Text};
use crate::hit;
use crate::text::{self, first, read, sort, unique, Source, Symbols};
use core::ops::Range;
use kapi::modules::ModuleRef;
use kapi::{ftrace, mem, symbols, trampoline};
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

/// Where following ends: these report that the kernel is broken, or are not called with interrupts
/// and page faults off, as they are in a probe.
const ENDS: &[&CStr] = &[
    c"_printk",
    c"_printk_deferred",
    c"unwind_dump",
    c"rust_begin_unwind",
    c"__warn_printk",
    c"panic",
    c"__stack_chk_fail",
    c"__ubsan_handle_out_of_bounds",
    c"__ubsan_handle_shift_out_of_bounds",
    c"__ubsan_handle_load_invalid_value",
    c"usercopy_abort",
    c"__fortify_panic",
    c"__fortify_report",
    c"__might_fault",
    c"__might_sleep",
    c"__cond_resched",
    c"preempt_schedule",
    c"preempt_schedule_notrace",
    c"preempt_schedule_thunk",
    c"preempt_schedule_notrace_thunk",
    c"dynamic_preempt_schedule",
    c"dynamic_preempt_schedule_notrace",
    c"rcu_read_unlock_special",
    c"find_vmap_area",
    c"trace_hardirqs_on",
    c"trace_hardirqs_off",
];

/// More code than this is not ours to follow.
const MAX_BLOCKS: usize = 1 << 13;

/// The functions.
#[derive(Default)]
pub(crate) struct FirePath {
    /// Where they begin, ascending.
    starts: KVVec<u64>,
}

impl FirePath {
    pub(crate) fn contains(&self, start: u64) -> bool {
        let at = first(&self.starts, |s| *s >= start);
        self.starts.get(at) == Some(&start)
    }

    /// A range with `addr`, which is none of them, in which none of them begins.
    pub(crate) fn free(&self, addr: u64) -> Range<u64> {
        let at = first(&self.starts, |s| *s >= addr);
        let before = at.checked_sub(1).and_then(|n| self.starts.get(n));
        let next = self.starts.get(at);
        before.map_or(0, |s| s.wrapping_add(1))..next.map_or(u64::MAX, |s| *s)
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len()
    }

    pub(crate) fn compute() -> Result<Self> {
        let mut walk = Walk::new()?;
        let ours = [
            hit::entry as *const () as u64,
            hit::returned as *const () as u64,
            hit::tail as *const () as u64,
            hit::trap as *const () as u64,
        ];
        let named =
            Iterator::chain(BY_POINTER.iter(), AT_BREAKPOINTS).filter_map(|n| symbols::find(n));
        let theirs = Iterator::chain(trampoline::roots().into_iter(), named);
        for root in Iterator::chain(ours.into_iter(), theirs) {
            mem::push(&mut walk.todo, root)?;
        }
        walk.run()?;
        walk.tracers = true;
        for root in TRACERS.iter().filter_map(|n| symbols::find(n)) {
            mem::push(&mut walk.todo, root)?;
        }
        walk.run()?;
        let kernel = symbols::text_range().ok_or(ENODEV)?;
        let mut starts: KVVec<u64> = KVVec::new();
        for addr in walk.reached.iter().filter(|a| kernel.contains(a)) {
            let Some(start) = text::start(*addr) else { continue };
            mem::push(&mut starts, start)?;
        }
        sort(&mut starts, |s| *s);
        unique(&mut starts, |s| *s);
        Ok(Self { starts })
    }
}

/// What a firing probe runs stands in our module and in the kernel proper.
struct Both {
    own: Range<u64>,
    /// Those of our module; the kernel looks through all of them for each one.
    symbols: Symbols,
}

impl Text for Both {
    fn read(&self, addr: u64, into: &mut [u8]) -> bool {
        read(addr, into)
    }

    fn end(&self, addr: u64) -> u64 {
        if !self.own.contains(&addr) {
            return text::end(addr);
        }
        let behind = self.symbols.list.get(self.symbols.position(addr.wrapping_add(1))..);
        let begins = behind.unwrap_or_default().iter().find(|s| s.begins());
        begins.map_or(self.own.end, |s| s.addr)
    }

    fn is_site(&self, addr: u64) -> bool {
        ftrace::location(addr) == Some(addr)
    }
}

/// Addresses, each at most once.
struct Set {
    slots: KVVec<u64>,
    len: usize,
}

impl Set {
    fn insert(&mut self, addr: u64) -> bool {
        let mask = self.slots.len().wrapping_sub(1);
        let from = (addr.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize;
        for i in 0..self.slots.len() {
            match self.slots.get_mut(from.wrapping_add(i) & mask) {
                Some(slot) if *slot == 0 => {
                    *slot = addr;
                    self.len = self.len.wrapping_add(1);
                    return true;
                }
                Some(slot) if *slot == addr => return false,
                _ => {}
            }
        }
        false
    }
}

struct Walk {
    text: Both,
    visited: Set,
    todo: KVVec<u64>,
    /// Where jumps and calls have led.
    reached: KVVec<u64>,
    /// What ftrace can trace is not followed.
    tracers: bool,
}

impl Walk {
    fn new() -> Result<Self> {
        let mut visited = Set { slots: mem::zeroed_words(4 * MAX_BLOCKS)?, len: 0 };
        for addr in ENDS.iter().filter_map(|n| symbols::find(n)) {
            visited.insert(addr);
        }
        let module = ModuleRef::own();
        let symbols = Symbols::of(&Source::Module(&module))?;
        let text = Both { own: module.text_range(), symbols };
        Ok(Self { text, visited, todo: KVVec::new(), reached: KVVec::new(), tracers: false })
    }

    fn run(&mut self) -> Result {
        while let Some(addr) = self.todo.pop() {
            let skip = |text| self.tracers && follow::has_fentry(text, addr);
            if !self.visited.insert(addr) || skip(&self.text) {
                continue;
            }
            if self.visited.len > MAX_BLOCKS {
                pr_warn!("fbt: what a probe runs leads too far to be followed\n");
                return Err(E2BIG);
            }
            mem::push(&mut self.reached, addr)?;
            let Self { text, todo, .. } = self;
            follow::block(text, addr, &mut |to| mem::push(todo, to))?;
        }
        Ok(())
    }
}
