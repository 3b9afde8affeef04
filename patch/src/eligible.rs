// SPDX-License-Identifier: GPL-2.0
//! May this function be traced, and if not, why? How, if it may?
//!
//! The question is asked of every symbol in text, in the order of `Verdict`: what is not a function
//! at all, what the kernel forbids, what a firing probe itself runs, and what cannot be patched.

use crate::body::{self, Around, Code, Scratch, Unfit};
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
use x86::{Shape, MAX_LEN};

/// `endbr64`, and what the kernel writes over one to which no pointer leads.
const LANDINGS: [[u8; 4]; 2] = [[0xf3, 0x0f, 0x1e, 0xfa], [0x0f, 0x1f, 0x40, 0xd6]];

/// Bytes of the nop that the compiler left for ftrace.
pub(crate) const FENTRY_LEN: u64 = 5;

/// Functions begin at multiples of this: CONFIG_FUNCTION_ALIGNMENT of x86.
const ALIGNMENT: u64 = 16;

/// How the entry of a function can be traced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// By ftrace, whose site is here.
    Fentry(u64),
    /// By a breakpoint here, on this instruction of that length.
    Break(u64, Shape, u8),
}

impl Entry {
    pub(crate) fn technique(self) -> Techniques {
        match self {
            Self::Fentry(_) => Techniques::FENTRY,
            Self::Break(_, Shape::Push(_), _) => Techniques::TRAP_PUSH,
            Self::Break(_, Shape::Plain(_), _) => Techniques::TRAP_DISPLACED,
            Self::Break(..) => Techniques::TRAP_EMULATED,
        }
    }
}

/// Functions of the kernel proper that the code itself tells cannot be traced.
#[derive(Default)]
pub(crate) struct Untraceable {
    /// A firing probe runs them.
    firing: Starts,
    /// They run on CPUs that cannot take a breakpoint.
    unready: Starts,
}

impl Untraceable {
    /// Follows the code. The error: memory, or code that cannot be followed, which is logged.
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

    /// A range with `start` in which none of them begins; `start` is none of them.
    fn free(&self, start: u64) -> Range<u64> {
        let (a, b) = (self.firing.free(start), self.unready.free(start));
        a.start.max(b.start)..a.end.min(b.end)
    }
}

/// What decides.
pub(crate) struct Judge<'a> {
    pub(crate) limits: &'a Limits,
    pub(crate) never: &'a Untraceable,
    /// Do not ask ftrace for anything.
    pub(crate) only_breakpoints: bool,
    /// Nothing in there is forbidden.
    pub(crate) free: Cell<(u64, u64)>,
}

impl Judge<'_> {
    /// May the function at `start` be traced, as far as that depends on where it stands?
    pub(crate) fn place(&self, start: u64) -> core::result::Result<(), Reason> {
        if start & (ALIGNMENT - 1) != 0 {
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

    /// How to trace the entry of a function of which `code` is all, or at least the beginning.
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

    /// How to trace it by a breakpoint: behind what the compiler put there for others.
    fn first_instruction(
        &self,
        code: Code<'_>,
        fentry: Option<u64>,
        scratch: &mut Scratch<'_>,
    ) -> core::result::Result<Entry, Reason> {
        let start = code.start;
        let at = fentry.map_or(start.wrapping_add(landing(code)), |f| f.wrapping_add(FENTRY_LEN));
        let skip = at.wrapping_sub(start);
        let bytes = code.bytes.get(skip as usize..).unwrap_or_default();
        let bytes = bytes.get(..MAX_LEN).unwrap_or(bytes);
        let (shape, len) = x86::shape(bytes, at).ok_or(Reason::Undecodable)?;
        let all = at..at.wrapping_add(len as u64);
        if self.limits.any_rewritten(all) {
            return Err(Reason::Reserved);
        }
        match shape {
            Shape::Trap => return Err(Reason::TrapsAtOnce),
            Shape::Other => return Err(Reason::Undecodable),
            _ if kernel_text::may_fault(at) => return Err(Reason::MayFault),
            _ => {}
        }
        // Would it fire in every round of a loop? Hardly ever is there reason to look closely.
        // CAST: below 16.
        if !body::may_loop(code.bytes, skip as usize) {
            return Ok(Entry::Break(at, shape, len as u8));
        }
        let around = Around { return_thunk: 0, elsewhere: &|_| false, watched: at };
        match body::exits::<Unfit>(code, &around, scratch, &mut |_, _| Ok(())) {
            Ok(found) if found.loops => Err(Reason::LoopHead),
            // What cannot be followed to its end can still be entered.
            // CAST: at most 15.
            _ => Ok(Entry::Break(at, shape, len as u8)),
        }
    }
}

/// Bytes of the landing that a function begins with.
fn landing(code: Code<'_>) -> u64 {
    if LANDINGS.iter().any(|l| code.bytes.starts_with(l)) {
        4
    } else {
        0
    }
}

/// Where ftrace has its site. It is asked only if something that ftrace writes is there, or a
/// breakpoint, under which anything may be; and only for the site, which it finds sooner than what it
/// is in.
fn fentry(code: Code<'_>) -> Option<u64> {
    let skip = landing(code);
    let at = code.start.wrapping_add(skip);
    match code.bytes.get(skip as usize..)? {
        [0x0f, 0x1f, 0x44, ..] | [0xe8 | 0xe9 | 0xcc, ..] => {
            ftrace::location(at).filter(|site| *site == at)
        }
        _ => None,
    }
}
