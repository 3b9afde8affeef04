// SPDX-License-Identifier: GPL-2.0
//! Follows code from some places to all functions that can run from there: every call and every
//! jump, through our module and the kernel proper. It cannot follow calls through pointers; the
//! callers name their targets. At a jump label, it follows both ways: the kernel may change the
//! label at any time, for example when somebody looks at a tracepoint. Where another tracer has a
//! kprobe, it follows the instruction under the breakpoint.

use crate::list::{first, has, sort, unique};
use crate::symtab::{self, Symbols};
use crate::text::{read, Source};
use core::ops::Range;
use kapi::modules::ModuleRef;
use kapi::{forbidden, ftrace, mem, symbols, text as kernel_text};
use kernel::prelude::*;
use x86::follow::{self, Text};
use x86::Flow;

/// Functions that are not followed: they report that the kernel is broken, or are not called while
/// interrupts and page faults are off.
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
    // Reports of debug kernels.
    c"kasan_report",
    c"kasan_report_async",
    c"kasan_report_invalid_free",
    c"dump_stack",
    c"dump_stack_lvl",
    c"lockdep_rcu_suspicious",
    c"debug_locks_off",
    c"debug_locks_off_graph_unlock",
    c"__ubsan_handle_pointer_overflow",
    c"__ubsan_handle_builtin_unreachable",
    c"__ubsan_handle_local_out_of_bounds",
    c"__might_resched",
];

/// The keys of jump labels that are followed only as they are now. With the first one, the kernel
/// prints each event on the console (the boot parameter `tp_printk`), under a spinlock: otherwise no
/// firing takes one, and its functions would have no probes.
const AS_THEY_ARE: [&CStr; 1] = [c"tracepoint_printk_key"];

/// The maximum number of pieces of code to follow. A stock kernel needs 3,000, one that checks
/// locks and memory 40,000.
const MAX_BLOCKS: usize = 1 << 17;

/// The addresses of some functions, in ascending order.
#[derive(Default)]
pub(crate) struct Starts(KVVec<u64>);

impl Starts {
    pub(crate) fn contains(&self, start: u64) -> bool {
        has(&self.0, start)
    }

    /// Returns a range around `addr` in which none of them begins. `addr` must not be one of them.
    pub(crate) fn free(&self, addr: u64) -> Range<u64> {
        let at = first(&self.0, |s| *s >= addr);
        let before = at.checked_sub(1).and_then(|n| self.0.get(n));
        let next = self.0.get(at);
        before.map_or(0, |s| s.wrapping_add(1))..next.map_or(u64::MAX, |s| *s)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The text of our module and of the kernel proper.
struct Both {
    own: Range<u64>,
    /// The symbols of our module. We keep them because each lookup by the kernel would search all
    /// of them.
    symbols: Symbols,
    /// The jump labels of both and their targets, ascending.
    labels: KVVec<(u64, u64)>,
}

impl Text for Both {
    fn read(&self, addr: u64, into: &mut [u8]) -> bool {
        let there = read(addr, into);
        if there {
            kernel_text::uncover(addr, into);
        }
        there
    }

    fn end(&self, addr: u64) -> u64 {
        if !self.own.contains(&addr) {
            return symtab::end(addr);
        }
        let behind = self.symbols.list.get(self.symbols.position(addr.wrapping_add(1))..);
        let begins = behind.unwrap_or_default().iter().find(|s| s.begins());
        begins.map_or(self.own.end, |s| s.addr)
    }

    fn is_site(&self, addr: u64) -> bool {
        ftrace::location(addr) == Some(addr)
    }

    fn label(&self, addr: u64) -> Option<u64> {
        let found = self.labels.get(first(&self.labels, |(at, _)| *at >= addr))?;
        (found.0 == addr).then_some(found.1)
    }
}

/// Returns the jump labels of the kernel proper and of our module, and their targets, ascending.
fn labels(own: &ModuleRef<'_>) -> Result<KVVec<(u64, u64)>> {
    let (mut labels, mut result) = (KVVec::new(), Ok(()));
    let keys = AS_THEY_ARE.map(|name| symbols::find(name));
    forbidden::jumps(own, &mut |at, to, key| {
        if !keys.contains(&Some(key)) {
            result = result.and_then(|()| mem::push(&mut labels, (at, to)));
        }
    })?;
    result?;
    sort(&mut labels, |(at, _)| *at);
    Ok(labels)
}

/// A set of addresses.
struct Set {
    slots: KVVec<u64>,
    len: usize,
}

impl Set {
    fn new() -> Result<Self> {
        Ok(Self { slots: mem::filled(1 << 14, 0)?, len: 0 })
    }

    /// Adds an address. Returns false if it was in the set.
    fn insert(&mut self, addr: u64) -> Result<bool> {
        // Up to half full, chains stay short.
        if self.len >= self.slots.len() / 2 {
            let slots = mem::filled(self.slots.len().saturating_mul(4), 0)?;
            let old = core::mem::replace(self, Self { slots, len: 0 });
            for addr in old.slots.iter().filter(|a| **a != 0) {
                self.put(*addr);
            }
        }
        Ok(self.put(addr))
    }

    /// Works like [`Self::insert`]; there must be a free slot.
    fn put(&mut self, addr: u64) -> bool {
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

/// A walk in progress.
pub(crate) struct Walk {
    text: Both,
    visited: Set,
    todo: KVVec<u64>,
    /// The addresses that jumps and calls have led to.
    reached: KVVec<u64>,
}

impl Walk {
    pub(crate) fn new() -> Result<Self> {
        let module = ModuleRef::own();
        let symbols = Symbols::of(&Source::Module(&module))?;
        let labels = labels(&module)?;
        let text = Both { own: module.text_range(), symbols, labels };
        let (visited, todo, reached) = (Set::new()?, KVVec::new(), KVVec::new());
        let mut this = Self { text, visited, todo, reached };
        this.end_at(ENDS)?;
        Ok(this)
    }

    /// Adds a place to follow.
    pub(crate) fn add(&mut self, root: u64) -> Result {
        mem::push(&mut self.todo, root)
    }

    /// Adds those of these functions that this kernel has.
    pub(crate) fn add_named(&mut self, names: &[&CStr]) -> Result {
        names.iter().filter_map(|n| symbols::find(n)).try_for_each(|root| self.add(root))
    }

    /// Makes the walk end at these functions, too.
    pub(crate) fn end_at(&mut self, names: &[&CStr]) -> Result {
        let mut found = names.iter().filter_map(|n| symbols::find(n));
        found.try_for_each(|addr| self.visited.insert(addr).map(|_| ()))
    }

    /// Adds the functions that `name` calls, up to the first call at or after an instruction for
    /// which `until` holds, or all of them if there is none.
    pub(crate) fn add_calls(&mut self, name: &CStr, until: &dyn Fn(&[u8], Flow) -> bool) -> Result {
        let Some(start) = symbols::find(name) else { return Ok(()) };
        let Self { text, todo, .. } = self;
        follow::calls(text, start, until, &mut |to| mem::push(todo, to))
    }

    /// Marks those of these functions that this kernel has as reached, without following them.
    pub(crate) fn reach_named(&mut self, names: &[&CStr]) -> Result {
        let mut found = names.iter().filter_map(|n| symbols::find(n));
        found.try_for_each(|addr| mem::push(&mut self.reached, addr))
    }

    /// Runs the walk. `untraced`: skip functions that ftrace can trace. `E2BIG`: there is too much
    /// code.
    pub(crate) fn run(&mut self, untraced: bool) -> Result {
        while let Some(addr) = self.todo.pop() {
            if !self.visited.insert(addr)? || untraced && follow::has_fentry(&self.text, addr) {
                continue;
            }
            if self.reached.len() >= MAX_BLOCKS {
                pr_warn!(
                    "no probes in kernel text: the kernel's code leads too far to be followed\n"
                );
                return Err(E2BIG);
            }
            mem::push(&mut self.reached, addr)?;
            let Self { text, todo, .. } = self;
            follow::block(text, addr, &mut |to| mem::push(todo, to))?;
            if self.reached.len() & 63 == 0 {
                kapi::xcall::breathe();
            }
        }
        Ok(())
    }

    /// Returns the functions of the kernel proper that were reached.
    pub(crate) fn starts(&self) -> Result<Starts> {
        let kernel = symbols::text_range().ok_or(ENODEV)?;
        let mut starts: KVVec<u64> = KVVec::new();
        for addr in self.reached.iter().filter(|a| kernel.contains(a)) {
            let Some(start) = symtab::start(*addr) else { continue };
            mem::push(&mut starts, start)?;
        }
        sort(&mut starts, |s| *s);
        unique(&mut starts, |s| *s);
        Ok(Starts(mem::exact_copy(&starts)?))
    }
}
