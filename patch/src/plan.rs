// SPDX-License-Identifier: GPL-2.0
//! Finds the places that must be patched for a probe.
//!
//! For an entry that is one place. For a return it is every exit of the function, including its
//! unlikely half. The function is decoded for this when the probe is enabled. If one exit cannot be
//! patched, the function has no return probe, because a probe that misses returns would be wrong.

use crate::catalog::{Catalog, Desk, Function, Rules};
use crate::eligible::Entry;
use crate::list;
use crate::site::{Ask, How, Role, Site, View};
use crate::text::{self, Reader};
use framework::{EnableError, Probe};
use kapi::symbols;
use kapi::text::Patch;
use kapi::trampoline::Trampoline;
use kernel::prelude::*;
use kernel::sync::Arc;
use x86::body::{self, Around, Code, Exit, Scratch, Unfit};
use x86::encoding::{INT3, JMP, WIDE};
use x86::{Boundary, Decoded, Shape, MAX_LEN};

/// The target of a probe.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The number of the catalog, from [`crate::Engine::reserve`].
    pub catalog: usize,
    /// The number of the function in it, from [`crate::Collected::functions`].
    pub function: usize,
    /// The probe is on its returns, not on its entry.
    pub is_return: bool,
    /// The meaning of the probe.
    pub view: View,
}

/// The way to arm a place.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// By ftrace.
    Fentry,
    /// By a breakpoint.
    Trap(Decoded),
    /// By a call in place of what is there.
    Call(Patch),
}

/// A place, and the way to arm it.
pub(crate) struct Plan {
    pub(crate) site: Site,
    pub(crate) work: Work,
    /// The probe's index in the batch.
    pub(crate) owner: u32,
    /// It is patched already, for another probe.
    pub(crate) shared: bool,
}

impl Plan {
    /// Tells whether a site has the same address and the same probe.
    pub(crate) fn is(&self, s: &Site) -> bool {
        s.addr == self.site.addr && s.probe.id() == self.site.probe.id()
    }
}

enum Stop {
    Unfit(Unfit),
    Enable(EnableError),
}

impl From<Unfit> for Stop {
    fn from(u: Unfit) -> Self {
        Self::Unfit(u)
    }
}

const HIDDEN: EnableError =
    EnableError::Busy("another tracer's breakpoint hides what stands there");

const REWRITTEN: EnableError = EnableError::Unsupported(
    "it returns by a jump that the kernel rewrites: a static call, or a livepatch's relocation",
);

const REPLACED: EnableError = EnableError::Busy(
    "a livepatch has replaced it; trace the new function, in the module that has it",
);

impl From<Stop> for EnableError {
    fn from(s: Stop) -> Self {
        match s {
            Stop::Enable(e) => e,
            Stop::Unfit(Unfit::TooLarge) => Self::Unsupported("it is too large to be followed"),
            Stop::Unfit(Unfit::OddExit(_)) => {
                Self::Unsupported("it returns in a way that cannot be reproduced")
            }
            Stop::Unfit(Unfit::Hidden(_)) => HIDDEN,
            Stop::Unfit(Unfit::Undecodable(_) | Unfit::Inconsistent(_)) => {
                Self::Unsupported("its code cannot be followed to where it returns")
            }
        }
    }
}

/// The probe that is planned, and its surroundings.
#[derive(Clone, Copy)]
pub(crate) struct Of<'a> {
    pub(crate) catalog: &'a Catalog,
    /// `None`: only check whether the places can be patched.
    pub(crate) probe: Option<&'a Arc<Probe>>,
    /// The probe's index in the batch.
    pub(crate) owner: u32,
    pub(crate) rules: &'a Rules<'a>,
}

/// Appends the places of a probe to `to`. After an error, `to` may contain some of them.
pub(crate) fn plan(
    of: Of<'_>,
    target: Target,
    desk: &mut Desk,
    to: &mut KVVec<Plan>,
) -> core::result::Result<(), EnableError> {
    let function = *of.catalog.functions.get(target.function).ok_or(EnableError::Gone)?;
    let start = of.catalog.start(&function);
    // Nothing of it runs any more, neither an exit nor an instruction behind ftrace's site.
    if of.rules.is_replaced(start) {
        return Err(REPLACED);
    }
    let planner = Planner { of, start, function, view: target.view };
    match (target.is_return, target.view) {
        (false, _) => planner.entry(desk, to),
        (true, View::Function | View::Event(_)) => planner.returns(None, desk, to),
        (true, View::Call { abi, number, .. }) => {
            calls_over(&planner, View::Call { abi, number, ask: Ask::All }, desk, to)
        }
    }
}

/// Tells whether all places can be found where a system call that this function serves is over.
pub(crate) fn ends(
    catalog: &Catalog,
    function: Function,
    rules: &Rules<'_>,
    desk: &mut Desk,
) -> bool {
    let of = Of { catalog, probe: None, owner: 0, rules };
    let planner = Planner { of, start: catalog.start(&function), function, view: View::Function };
    calls_over(&planner, View::Function, desk, &mut KVVec::new()).is_ok()
}

/// The maximum number of functions that a function may end in, by jumping to them.
const MAX_BEHIND: usize = 48;

/// Functions that are jumped to at the end of others.
struct Behind {
    starts: [u64; MAX_BEHIND],
    len: usize,
}

impl Behind {
    fn add(&mut self, start: u64) -> core::result::Result<(), EnableError> {
        if self.starts.iter().take(self.len).any(|s| *s == start) {
            return Ok(());
        }
        let slot = self.starts.get_mut(self.len);
        *slot.ok_or(EnableError::Unsupported("it ends in too many functions"))? = start;
        self.len = self.len.wrapping_add(1);
        Ok(())
    }
}

/// Plans the places where a system call is over. A jump to another function is no such place,
/// because the value is not known yet. The call is over where that function returns, and so on.
/// `there` is the view for sites in those other functions, which other callers reach, too.
fn calls_over(
    first: &Planner<'_>,
    there: View,
    desk: &mut Desk,
    to: &mut KVVec<Plan>,
) -> core::result::Result<(), EnableError> {
    let mut behind = Behind { starts: [0; MAX_BEHIND], len: 0 };
    behind.add(first.start)?;
    let mut next = 0;
    while let Some(&start) = behind.starts.get(next).filter(|_| next < behind.len) {
        let untraceable = EnableError::Unsupported("it ends in a function that cannot be traced");
        if first.of.rules.is_replaced(start) {
            return Err(EnableError::Busy("it ends in a function that a livepatch has replaced"));
        }
        let function = first.of.catalog.function_at(start, first.of.rules, desk);
        let function = function.map_err(|_| EnableError::Memory)?.ok_or(untraceable)?;
        let view = if next == 0 { first.view } else { there };
        let planner =
            Planner { function, start: first.of.catalog.start(&function), view, ..*first };
        planner.returns(Some(&mut behind), desk, to)?;
        next = next.wrapping_add(1);
    }
    Ok(())
}

#[derive(Clone, Copy)]
struct Planner<'a> {
    of: Of<'a>,
    start: u64,
    function: Function,
    view: View,
}

impl Planner<'_> {
    fn entry(
        &self,
        desk: &mut Desk,
        to: &mut KVVec<Plan>,
    ) -> core::result::Result<(), EnableError> {
        if let Some(skip) = self.function.fentry().filter(|_| !self.of.rules.only_breakpoints) {
            let at = self.start.wrapping_add(skip);
            return match self.site(at, How::Fentry, Role::Entry, [0; WIDE]) {
                Some(site) => self.add(site, Work::Fentry, to),
                None => Ok(()),
            };
        }
        let judge = self.of.rules.judge(&self.of.catalog.limits);
        let Desk { code, words, .. } = desk;
        let mut scratch = Scratch::new(words).ok_or(EnableError::Memory)?;
        let size = self.function.size as usize;
        let mut beginning = [0; 2 * MAX_LEN];
        let code = match self.function.fentry() {
            // A first instruction without an ftrace site has already been checked for loops.
            None => {
                let few = size.min(beginning.len());
                let bytes = beginning.get_mut(..few).unwrap_or_default();
                let there = text::read_as_it_was(self.start, bytes);
                there.then_some(Code { start: self.start, bytes })
            }
            Some(_) => self.read(code, self.start, size.min(body::MAX_BODY) as u64)?,
        };
        let code = code.ok_or(EnableError::Gone)?;
        let entry = judge.entry(code, &mut scratch).map_err(|_| {
            EnableError::Busy(
                "another tracer has the entry, and there is no place for a breakpoint",
            )
        })?;
        let (site, work) = match entry {
            Entry::Fentry(at) => (self.site(at, How::Fentry, Role::Entry, [0; WIDE]), Work::Fentry),
            Entry::Break(insn) => {
                let at = insn.at().addr();
                (self.site(at, How::Trap, Role::Entry, [0; WIDE]), Work::Trap(insn))
            }
        };
        match site {
            Some(site) => self.add(site, work, to),
            None => Ok(()),
        }
    }

    /// Plans the exits of the function. With `behind`, jumps to other functions are no exits: their
    /// targets are added to `behind`.
    fn returns(
        &self,
        mut behind: Option<&mut Behind>,
        desk: &mut Desk,
        to: &mut KVVec<Plan>,
    ) -> core::result::Result<(), EnableError> {
        let whole = self.start..self.start.wrapping_add(self.function.size.into());
        let mut other = None;
        let Desk { code, cold, words } = desk;
        let is_cold = |a| self.of.catalog.cold(a).is_some();
        self.piece(whole.clone(), &is_cold, &mut other, &mut behind, (code, words), to)?;
        if let Some(half) = other.and_then(|a| self.of.catalog.cold(a)) {
            let is_warm = |a| whole.contains(&a);
            self.piece(half, &is_warm, &mut None, &mut behind, (cold, words), to)?;
        }
        Ok(())
    }

    /// Reads a piece of the catalog's text.
    fn read<'r>(
        &self,
        reader: &'r mut Reader,
        start: u64,
        size: u64,
    ) -> core::result::Result<Option<Code<'r>>, EnableError> {
        if size > body::MAX_BODY as u64 {
            return Err(Stop::Unfit(Unfit::TooLarge).into());
        }
        let end = self.of.catalog.range.end;
        match self.function.fentry() {
            Some(skip) => reader.code_untraced(start, size, end, self.start.wrapping_add(skip)),
            None => reader.code(start, size, end),
        }
        .map_err(|_| EnableError::Memory)
    }

    /// Plans the exits of one half of the function.
    fn piece(
        &self,
        range: core::ops::Range<u64>,
        elsewhere: &dyn Fn(u64) -> bool,
        other: &mut Option<u64>,
        behind: &mut Option<&mut Behind>,
        (reader, words): (&mut Reader, &mut [u64]),
        to: &mut KVVec<Plan>,
    ) -> core::result::Result<(), EnableError> {
        // A livepatch's jump seems to stay in the function until the kernel has written its
        // distance. The others are judged below.
        if self.of.catalog.limits.any_jump(range.clone(), &|_| false) {
            return Err(REWRITTEN);
        }
        let mut scratch = Scratch::new(words).ok_or(EnableError::Memory)?;
        let size = range.end.wrapping_sub(range.start);
        let code = self.read(reader, range.start, size)?.ok_or(EnableError::Gone)?;
        let around = Around { return_thunk: self.of.rules.return_thunk, elsewhere, watched: 0 };
        let found = body::exits::<Stop>(code, &around, &mut scratch, &mut |at, exit| {
            match behind {
                Some(behind) if exit != Exit::Return => self.jump(code, at, behind),
                _ => self.exit(code, at, exit, to),
            }
            .map_err(Stop::Enable)
        })?;
        *other = found.elsewhere;
        // Behind a jump or a return, a kprobe's breakpoint looks like padding. The jump that an
        // optimized one is may end within an instruction, and what was read behind it is none.
        let hides = |byte: &u8| matches!(*byte, INT3 | JMP);
        let kprobes = code.bytes.iter().zip(code.start..).filter(|(byte, _)| hides(byte));
        match kapi::text::has_kprobe(kprobes.map(|(_, addr)| addr)) {
            true => Err(HIDDEN),
            false => Ok(()),
        }
    }

    /// Adds the target of a jump that leaves the function to `behind`.
    fn jump(
        &self,
        code: Code<'_>,
        at: Boundary,
        behind: &mut Behind,
    ) -> core::result::Result<(), EnableError> {
        let from = at.addr().wrapping_sub(code.start) as usize;
        let bytes = code.bytes.get(from..).unwrap_or_default();
        match Decoded::new(at, bytes).ok_or(EnableError::Gone)?.shape() {
            Shape::Jump(target) | Shape::Branch(_, target) => behind.add(target),
            _ => Err(EnableError::Unsupported("where it ends is known only as it runs")),
        }
    }

    fn exit(
        &self,
        code: Code<'_>,
        place: Boundary,
        exit: Exit,
        to: &mut KVVec<Plan>,
    ) -> core::result::Result<(), EnableError> {
        let at = place.addr();
        let from = at.wrapping_sub(code.start) as usize;
        let bytes = code.bytes.get(from..).unwrap_or_default();
        // If an exit may be the first instruction, it gets a breakpoint, which can tell an entry
        // from an exit.
        let wide = !self.of.rules.only_breakpoints && at.wrapping_sub(self.start) >= 16;
        // An optimized kprobe is a jump to an address without a function, past or present, and
        // without an indirect jump that the kernel has moved.
        if let (Exit::Tail, [_, a, b, c, d, ..]) = (exit, bytes) {
            let distance = i64::from(i32::from_le_bytes([*a, *b, *c, *d]));
            let to = at.wrapping_add(WIDE as u64).wrapping_add_signed(distance);
            let init = || symbols::init_text_range().is_some_and(|r| r.contains(&to));
            let known = || init() || text::is_thunk(to);
            if self.of.catalog.is_kernel() && !self.of.catalog.range.contains(&to) && !known() {
                return Err(HIDDEN);
            }
        }
        // The instruction that gets a breakpoint; `None` if it becomes a call.
        let hidden = match exit {
            Exit::Return if wide => None,
            // After a call in place of the last jump, the return address lies behind the function.
            // The kernel then takes a thread for out of a livepatch, and may remove that.
            Exit::Tail if wide && !self.of.catalog.is_livepatch => None,
            Exit::Narrow(insn) => Some(insn),
            Exit::Return | Exit::Tail => Some(Decoded::new(place, bytes).ok_or(EnableError::Gone)?),
        };
        let len = hidden.map_or(WIDE, |insn| insn.size().into());
        if self.of.catalog.limits.any_rewritten(at..at.wrapping_add(len as u64)) {
            return Err(REWRITTEN);
        }
        let old = old(code, at);
        let call = |trampoline| {
            let call = Patch::to_call(place, old, trampoline).map(Work::Call);
            call.ok_or(EnableError::Unsupported("it is too far from dtrace.ko"))
        };
        let (how, work) = match (hidden, exit) {
            (Some(insn), _) => (How::Trap, Work::Trap(insn)),
            (None, Exit::Tail) => (How::Tail, call(Trampoline::Tail)?),
            (None, _) => (How::Return, call(Trampoline::Return)?),
        };
        match self.site(at, how, Role::Exit, old) {
            Some(site) => self.add(site, work, to),
            None => Ok(()),
        }
    }

    fn add(
        &self,
        site: Site,
        work: Work,
        to: &mut KVVec<Plan>,
    ) -> core::result::Result<(), EnableError> {
        let plan = Plan { site, work, owner: self.of.owner, shared: false };
        list::add(to, plan).map_err(|_| EnableError::Memory)
    }

    fn site(&self, addr: u64, how: How, role: Role, old: [u8; WIDE]) -> Option<Site> {
        // CAST: both halves of a function are in the same text, which is smaller than 2 GiB.
        let offset = addr.wrapping_sub(self.start) as i32;
        let (probe, size) = (self.of.probe?.clone(), self.function.size);
        Some(Site::new(addr, probe, offset, size, how, role, old).read_as(self.view))
    }
}

/// Returns the bytes at `at`.
fn old(code: Code<'_>, at: u64) -> [u8; WIDE] {
    let mut old = [0; WIDE];
    let from = at.wrapping_sub(code.start) as usize;
    for (to, from) in old.iter_mut().zip(code.bytes.get(from..).unwrap_or_default()) {
        *to = *from;
    }
    old
}
