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
use crate::text::{first, read, sort, Symbols};
use core::ops::Range;
use kapi::{ftrace, mem, symbols, trampoline};
use kernel::prelude::*;
use x86::{Flow, MAX_LEN};

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

/// Bytes of the landing that a function may begin with.
const LANDING: u64 = 4;

/// What stands before a function, and never in one: room for the kernel to patch.
const PADDING: [u8; 8] = [0x90; 8];

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

    /// `kernel` are the kernel's symbols.
    pub(crate) fn compute(kernel: &Symbols) -> Result<Self> {
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
        walk.run(kernel)?;
        walk.tracers = true;
        for root in TRACERS.iter().filter_map(|n| symbols::find(n)) {
            mem::push(&mut walk.todo, root)?;
        }
        walk.run(kernel)?;
        let mut starts: KVVec<u64> = KVVec::new();
        for addr in walk.reached.iter() {
            let Some(start) = kernel.function(*addr) else { continue };
            mem::push(&mut starts, start)?;
        }
        sort(&mut starts, |s| *s);
        let mut last = None;
        starts.retain(|s| last.replace(*s) != Some(*s));
        Ok(Self { starts })
    }
}

impl Symbols {
    /// Where the next symbol above `addr` stands.
    fn above(&self, addr: u64) -> u64 {
        self.list.get(self.position(addr.wrapping_add(1))).map_or(u64::MAX, |s| s.addr)
    }

    /// The beginning of the function that `addr` is in.
    fn function(&self, addr: u64) -> Option<u64> {
        let behind = first(&self.list, |s| s.addr > addr);
        let before = self.list.get(..behind)?;
        before.last().filter(|_| behind < self.list.len())?;
        before.iter().map(|s| s.addr).rev().find(|a| a & 15 == 0)
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
        Ok(Self { visited, todo: KVVec::new(), reached: KVVec::new(), tracers: false })
    }

    fn run(&mut self, kernel: &Symbols) -> Result {
        while let Some(addr) = self.todo.pop() {
            if !self.visited.insert(addr) || (self.tracers && has_fentry(addr)) {
                continue;
            }
            if self.visited.len > MAX_BLOCKS {
                pr_warn!("fbt: what a probe runs leads too far to be followed\n");
                return Err(E2BIG);
            }
            mem::push(&mut self.reached, addr)?;
            self.block(addr, kernel)?;
        }
        Ok(())
    }

    /// Follows the code from `at` to where it goes on elsewhere.
    fn block(&mut self, mut at: u64, kernel: &Symbols) -> Result {
        let mut code = [0; 128];
        let from = at;
        let mut next = kernel.above(at);
        loop {
            if !read(at, &mut code) {
                return Ok(());
            }
            let base = at;
            for step in x86::walk(&code, base) {
                let Ok((ip, insn)) = step else { return Ok(()) };
                let rest = code.get(ip.wrapping_sub(base) as usize..).unwrap_or_default();
                if ip > next {
                    next = kernel.above(ip.wrapping_sub(1));
                }
                // Behind a call that never returns: the next function.
                if rest.starts_with(&PADDING) || ip == next {
                    return Ok(());
                }
                match insn.kind {
                    Flow::Next => {}
                    // Who traces this function now need not tomorrow.
                    Flow::Call(_) if is_fentry(ip, from) => {}
                    Flow::Branch(target) | Flow::Call(target) => {
                        mem::push(&mut self.todo, target)?;
                    }
                    Flow::Jump(target) => return mem::push(&mut self.todo, target),
                    Flow::Indirect if is_call(rest) => {}
                    _ => return Ok(()),
                }
                at = ip.wrapping_add(insn.len as u64);
                // What begins here may be cut off.
                if at.wrapping_sub(base) > (code.len() - MAX_LEN) as u64 {
                    break;
                }
            }
        }
    }
}

/// Is `ip`, in code that begins at `from`, where ftrace has its call?
fn is_fentry(ip: u64, from: u64) -> bool {
    ip.wrapping_sub(from) <= LANDING && ftrace::location(ip) == Some(ip)
}

/// Can ftrace trace the function that begins here?
fn has_fentry(start: u64) -> bool {
    start & 15 == 0 && [0, LANDING].iter().any(|skip| is_fentry(start.wrapping_add(*skip), start))
}

/// Is this indirect instruction a call?
fn is_call(rest: &[u8]) -> bool {
    matches!(x86::shape(rest, 0), Some((x86::Shape::CallReg(_) | x86::Shape::Other, _)))
}
