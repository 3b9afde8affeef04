// SPDX-License-Identifier: GPL-2.0
//! The parts of a piece of text that must not be patched.

use crate::list::{first, sort};
use crate::text::Source;
use core::ops::Range;
use kapi::forbidden::{self, Rewrites, Why};
use kapi::mem;
use kernel::prelude::*;
use x86::MAX_LEN;

/// A range of text that must not be patched.
#[derive(Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) start: u64,
    end: u64,
    why: Why,
}

/// An instruction, or a part of one, that the kernel itself rewrites.
#[derive(Clone, Copy)]
struct Rewritten {
    at: u64,
    len: u8,
    what: Rewrites,
}

/// The parts of a piece of text that must not be patched.
pub(crate) struct Limits {
    stretches: KVVec<Stretch>,
    rewritten: KVVec<Rewritten>,
}

impl Limits {
    pub(crate) fn of(source: &Source<'_>) -> Result<Self> {
        let mut this = Self { stretches: KVVec::new(), rewritten: KVVec::new() };
        let range = source.range();
        let mut result = Ok(());
        let mut stretch = |r: Range<u64>, why| {
            if result.is_ok() && r.start < r.end {
                let s = Stretch { start: r.start, end: r.end, why };
                result = mem::push(&mut this.stretches, s);
            }
        };
        match source {
            Source::Kernel => forbidden::ranges(&mut stretch)?,
            Source::Module(m) => forbidden::of_module(m, &mut stretch)?,
        }
        let mut site = |at: u64, len: usize, what| {
            if result.is_ok() && range.contains(&at) {
                // CAST: an instruction is shorter.
                let rewritten = Rewritten { at, len: len as u8, what };
                result = mem::push(&mut this.rewritten, rewritten);
            }
        };
        match source {
            Source::Kernel => forbidden::sites(&mut site)?,
            Source::Module(m) => forbidden::sites_of_module(m, &mut site)?,
        }
        result?;
        sort(&mut this.stretches, |s| s.start);
        // A section may contain functions that are also listed one by one. The stretch that reaches
        // farthest counts.
        let mut farthest: Option<(u64, Why)> = None;
        for s in this.stretches.iter_mut() {
            match farthest {
                Some((end, why)) if end >= s.end => (s.end, s.why) = (end, why),
                _ => farthest = Some((s.end, s.why)),
            }
        }
        sort(&mut this.rewritten, |r| r.at);
        Ok(Self {
            stretches: mem::exact_copy(&this.stretches)?,
            rewritten: mem::exact_copy(&this.rewritten)?,
        })
    }

    /// Returns why `addr` must not be patched.
    pub(crate) fn why(&self, addr: u64) -> Option<Why> {
        let behind = first(&self.stretches, |s| s.start > addr);
        let s = self.stretches.get(behind.checked_sub(1)?)?;
        (addr < s.end).then_some(s.why)
    }

    /// Returns a range around `addr` without any forbidden stretch. `addr` must not be in one.
    pub(crate) fn free(&self, addr: u64) -> Range<u64> {
        let behind = first(&self.stretches, |s| s.start > addr);
        let before = behind.checked_sub(1).and_then(|n| self.stretches.get(n));
        let next = self.stretches.get(behind);
        before.map_or(0, |s| s.end)..next.map_or(u64::MAX, |s| s.start)
    }

    /// Tells whether the kernel rewrites a byte of `range`. Code that is read during such a change
    /// may seem to have an instruction that begins within the changed one.
    pub(crate) fn any_rewritten(&self, range: Range<u64>) -> bool {
        let from = range.start.wrapping_sub(MAX_LEN as u64);
        let mut near = self.rewritten_in(from..range.end);
        near.any(|r| r.at.wrapping_add(r.len.into()) > range.start)
    }

    /// Tells whether the kernel rewrites a jump in `range` that leaves the function. `leaves` tells
    /// that of an instruction.
    pub(crate) fn any_jump(&self, range: Range<u64>, leaves: &dyn Fn(u64) -> bool) -> bool {
        self.rewritten_in(range).any(|r| match r.what {
            Rewrites::Instruction => leaves(r.at),
            Rewrites::Reference => false,
            Rewrites::Distance => true,
        })
    }

    fn rewritten_in(&self, range: Range<u64>) -> impl Iterator<Item = Rewritten> + '_ {
        let from = first(&self.rewritten, |r| r.at >= range.start);
        let rest = self.rewritten.get(from..).unwrap_or_default().iter().copied();
        rest.take_while(move |r| r.at < range.end)
    }
}
