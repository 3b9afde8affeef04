// SPDX-License-Identifier: GPL-2.0
//! Decides whether a function may be traced, and how; if not, why.
//!
//! The checks run for every symbol in text. They reject symbols that are no functions, functions
//! that the kernel forbids to trace, functions that a firing probe itself runs, and code that
//! cannot be patched.

use crate::limits::Limits;
use crate::walk::Starts;
use crate::{path, unready};
use abi::probe::Techniques;
use abi::reason::Reason;
use core::cell::Cell;
use core::ops::Range;
use kapi::forbidden::Why;
use kapi::{ftrace, text as kernel_text};
use kernel::prelude::*;
use x86::body::{self, Around, Code, Scratch, Unfit};
use x86::encoding::{self, WIDE};
use x86::{Boundary, Decoded, Shape};

/// The length in bytes of the nop that the compiler left for ftrace.
pub(crate) const FENTRY_LEN: u64 = WIDE as u64;

/// The way to trace the entry of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// By ftrace, at this site.
    Fentry(u64),
    /// By a breakpoint on this instruction.
    Break(Decoded),
}

impl Entry {
    pub(crate) fn technique(self) -> Techniques {
        let Self::Break(insn) = self else { return Techniques::FENTRY };
        match insn.shape() {
            Shape::Push(_) => Techniques::TRAP_PUSH,
            Shape::Plain(_) => Techniques::TRAP_DISPLACED,
            _ => Techniques::TRAP_EMULATED,
        }
    }
}

/// Functions of the kernel proper that cannot be traced, found by analysis of the code.
#[derive(Default)]
pub(crate) struct Untraceable {
    /// A firing probe runs them.
    firing: Starts,
    /// They run on CPUs that cannot take a breakpoint.
    unready: Starts,
}

impl Untraceable {
    /// Analyses the code. Fails if memory is short, or if the code cannot be followed; the latter
    /// is logged.
    pub(crate) fn compute() -> Result<Self> {
        let this = Self { firing: path::compute()?, unready: unready::compute()? };
        let (firing, unready) = (this.firing.len(), this.unready.len());
        pr_info!("no probes on {firing} kernel functions that a firing probe runs, and on {unready} that run on CPUs that cannot take a breakpoint\n");
        Ok(this)
    }

    pub(crate) fn is_computed(&self) -> bool {
        self.firing.len() != 0
    }

    fn why(&self, start: u64) -> Option<Reason> {
        match () {
            () if self.unready.contains(start) => Some(Reason::Unready),
            () if self.firing.contains(start) => Some(Reason::FirePath),
            () => None,
        }
    }

    /// Returns a range around `start` in which no such function begins. `start` must not begin one.
    fn free(&self, start: u64) -> Range<u64> {
        let (a, b) = (self.firing.free(start), self.unready.free(start));
        a.start.max(b.start)..a.end.min(b.end)
    }
}

/// The rules for one piece of text.
pub(crate) struct Judge<'a> {
    pub(crate) limits: &'a Limits,
    pub(crate) never: &'a Untraceable,
    /// Do not use ftrace.
    pub(crate) only_breakpoints: bool,
    /// The last range found in which nothing is forbidden.
    pub(crate) free: Cell<(u64, u64)>,
}

impl Judge<'_> {
    /// Tells whether the function at `start` may be traced, as far as its address decides that.
    pub(crate) fn place(&self, start: u64) -> core::result::Result<(), Reason> {
        if !encoding::is_aligned(start) {
            return Err(Reason::NotFunction);
        }
        let (from, to) = self.free.get();
        if (from..to).contains(&start) {
            return Ok(());
        }
        if let Some(why) = self.limits.why(start) {
            return Err(match why {
                Why::Noinstr => Reason::Noinstr,
                Why::Entry => Reason::EntryCode,
                Why::Kprobes | Why::Nokprobe => Reason::KprobeBlacklist,
                Why::StaticCall => Reason::StaticCall,
                Why::Breakpoint => Reason::FirePath,
            });
        }
        if let Some(reason) = self.never.why(start) {
            return Err(reason);
        }
        let (limits, never) = (self.limits.free(start), self.never.free(start));
        self.free.set((limits.start.max(never.start), limits.end.min(never.end)));
        Ok(())
    }

    /// Returns the way to trace the entry of a function. `code` is its code, or at least the
    /// beginning.
    pub(crate) fn entry(
        &self,
        code: Code<'_>,
        scratch: &mut Scratch<'_>,
    ) -> core::result::Result<Entry, Reason> {
        match fentry(code) {
            Some(site) if !self.only_breakpoints => Ok(Entry::Fentry(site)),
            site => self.first_instruction(code, site, scratch),
        }
    }

    /// Returns the way to trace an entry by a breakpoint, behind the `endbr` and ftrace's site.
    fn first_instruction(
        &self,
        code: Code<'_>,
        fentry: Option<u64>,
        scratch: &mut Scratch<'_>,
    ) -> core::result::Result<Entry, Reason> {
        let start = code.start;
        let at = fentry.map_or(start.wrapping_add(encoding::landing(code.bytes)), |f| {
            f.wrapping_add(FENTRY_LEN)
        });
        let skip = at.wrapping_sub(start);
        let bytes = code.bytes.get(skip as usize..).unwrap_or_default();
        let found = Boundary::find(code.bytes, start, at).ok_or(Reason::Undecodable)?;
        let insn = Decoded::new(found, bytes).ok_or(Reason::Undecodable)?;
        if self.limits.any_rewritten(at..insn.next()) {
            return Err(Reason::Reserved);
        }
        match insn.shape() {
            Shape::Trap => return Err(Reason::TrapsAtOnce),
            Shape::Other => return Err(Reason::Undecodable),
            // `can_optimize()` would not know that this jump may lead into the bytes that it replaces.
            Shape::Jump(to) | Shape::Branch(_, to) if code.range().contains(&to) => {
                return Err(Reason::FirstJump)
            }
            _ if kernel_text::may_fault(at) => return Err(Reason::MayFault),
            _ => {}
        }
        // If a loop leads to the instruction, the probe would fire in every round. That is rare, so
        // a cheap guess comes first.
        if !body::may_loop(code.bytes, skip as usize) {
            return Ok(Entry::Break(insn));
        }
        let around = Around { return_thunk: 0, elsewhere: &|_| false, watched: at };
        match body::exits::<Unfit>(code, &around, scratch, &mut |_, _| Ok(())) {
            Ok(all) if all.loops => Err(Reason::LoopHead),
            // A function that cannot be followed to its end still has an entry.
            _ => Ok(Entry::Break(insn)),
        }
    }
}

/// Returns the address of ftrace's site. It asks ftrace only if the bytes may be a site, or are a
/// breakpoint, which can hide anything. It asks for the site's own address, because ftrace finds
/// that faster than the function around it.
fn fentry(code: Code<'_>) -> Option<u64> {
    let skip = encoding::landing(code.bytes);
    let at = code.start.wrapping_add(skip);
    let rest = code.bytes.get(skip as usize..)?;
    encoding::may_be_ftrace(rest).then(|| ftrace::location(at).filter(|site| *site == at))?
}
