// SPDX-License-Identifier: GPL-2.0
//! Enabling and disabling.
//!
//! ```text
//!   enable:   places, slots ─► write the slots ─► publish the table ─► breakpoints ─► wait for all CPUs
//!   disable:  breakpoints away ─► wait for all CPUs ─► publish the table
//! ```
//! Disabling must not fail: without memory for a new table the old one stays, whose entries lead to
//! probes that nobody has enabled.

use crate::index::Index;
use crate::probes::{Known, Probes};
use crate::process::{complain_of, reason, Process, Reader, BATCH};
use crate::provider::HANDLERS;
use crate::table::{hash, Table, Use, TABLE};
use abi::user::UserReason;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use framework::{EnableError, Probe};
use kapi::user::{self, Ground, Poke, Space};
use kapi::{mem, xcall};
use kernel::prelude::*;
use kernel::sync::Arc;

/// A semaphore has not been there; said once.
static TOLD: AtomicBool = AtomicBool::new(false);

/// A counter of two bytes in a process, and a probe that it is of.
#[derive(Clone, Copy, Default)]
pub(crate) struct Counter {
    at: u64,
    of: u64,
    text: u64,
}

impl Counter {
    /// Takes one back in a copy of the process: nobody has its probe there.
    pub(crate) fn lower_in(&self, copy: &Space) {
        if copy.ground(self.of) == Ok(self.text) && copy.may_count(self.at, self.of) {
            let _ = copy.count(self.at, -1);
        }
    }
}

/// What is known and done, under the lock `State`.
pub(crate) struct State {
    pub(crate) processes: KVec<Process>,
    pub(crate) probes: Probes,
    /// We are told of what happens to processes.
    pub(crate) watching: bool,
    /// After so many milliseconds it is seen again whether threads have left the slots.
    pub(crate) patience: u32,
}

const LEAST_PATIENCE: u32 = 50;
const MOST_PATIENCE: u32 = 60_000;

pub(crate) fn refusal(why: UserReason) -> EnableError {
    match why {
        UserReason::NoMemory => EnableError::Memory,
        UserReason::Gone | UserReason::Unmapped => EnableError::Gone,
        UserReason::Breakpoint => EnableError::Busy(why.words()),
        _ => EnableError::Unsupported(why.words()),
    }
}

impl State {
    pub(crate) fn process(&self, space: u64) -> Option<&Process> {
        self.processes.iter().find(|p| p.space.key() == space)
    }

    /// From now on we are told of what happens to processes.
    pub(crate) fn watch(&mut self) -> Result {
        if !self.watching {
            user::watch(HANDLERS)?;
            self.watching = true;
        }
        Ok(())
    }

    /// Arms probes; see [`framework::Provider::enable`].
    pub(crate) fn enable(
        &mut self,
        probes: &[Arc<Probe>],
        refuse: &mut dyn FnMut(usize, EnableError),
    ) {
        let ready = self.prepare_all(probes, refuse).and_then(|()| self.publish());
        if ready.is_err() {
            for (i, probe) in probes.iter().enumerate() {
                if self.release(probe) {
                    refuse(i, EnableError::Memory);
                }
            }
            return;
        }
        let mut any_refused = false;
        // Those whose slots cannot be written.
        for (i, probe) in probes.iter().enumerate() {
            if let Some(why) = self.broken(probe.cookie()) {
                if self.release(probe) {
                    refuse(i, refusal(why));
                    any_refused = true;
                }
            }
        }
        self.arm();
        for (i, probe) in probes.iter().enumerate() {
            if let Err(why) = self.armed(probe.cookie()) {
                if self.release(probe) {
                    refuse(i, refusal(why));
                    any_refused = true;
                }
            } else {
                self.raise(probe.cookie(), 1);
            }
        }
        if any_refused {
            // What some of them armed.
            self.disarm();
        }
        xcall::sync();
        if any_refused {
            // From here on a breakpoint there is somebody else's.
            let _ = self.publish();
        }
    }

    /// Finds places for all of them, and slots for the places.
    fn prepare_all(
        &mut self,
        probes: &[Arc<Probe>],
        refuse: &mut dyn FnMut(usize, EnableError),
    ) -> Result {
        let mut reader = Reader::new()?;
        for (i, probe) in probes.iter().enumerate() {
            if let Err(why) = self.prepare(probe, &mut reader) {
                refuse(i, refusal(why));
            }
        }
        self.processes.iter_mut().for_each(Process::write_slots);
        Ok(())
    }

    /// Why the process of a probe that is about to be enabled can have none that need new slots.
    fn broken(&self, number: u32) -> Option<UserReason> {
        let known = self.probes.get(number)?;
        let process = self.process(known.space)?;
        let lacks = |addr| process.at(addr).is_some_and(|p| p.slot == 0 && !p.armed);
        process.broken.filter(|_| known.addresses().any(lacks))
    }

    fn prepare(&mut self, probe: &Arc<Probe>, reader: &mut Reader) -> Result<(), UserReason> {
        let Self { processes, probes, .. } = self;
        let known = probes.get_mut(probe.cookie()).ok_or(UserReason::Gone)?;
        let process = in_space(processes, known.space).filter(|p| p.space.is_alive());
        let process = process.ok_or(UserReason::Gone)?;
        // A library may have been unloaded since, and another one be at its place. When it comes back the probe is
        // made again, and enabled then.
        known.find_parts(|part| process.has(part, reader));
        for (n, addr) in known.addresses().enumerate() {
            let at = process.point(addr, reader);
            if let Some(point) = at.ok().and_then(|at| process.points.get_mut(at)) {
                point.users = point.users.saturating_add(1);
                continue;
            }
            leave(process, known, n);
            return Err(at.err().unwrap_or(UserReason::NoMemory));
        }
        known.enabled = Some(probe.clone());
        Ok(())
    }

    /// Nobody wants it any more, or cannot have it. False: it was not enabled.
    fn release(&mut self, probe: &Probe) -> bool {
        let Self { processes, probes, .. } = self;
        let Some(known) = probes.get_mut(probe.cookie()) else { return false };
        if known.enabled.take().is_none() {
            return false;
        }
        if let Some(process) = in_space(processes, known.space) {
            leave(process, known, usize::MAX);
        }
        true
    }

    /// Whether all places of an enabled probe have breakpoints.
    fn armed(&self, number: u32) -> Result<(), UserReason> {
        let known = self.probes.get(number).ok_or(UserReason::Gone)?;
        let process = self.process(known.space).ok_or(UserReason::Gone)?;
        for addr in known.addresses() {
            let Some(point) = process.at(addr) else { return Err(UserReason::Gone) };
            if !point.armed {
                return Err(match (process.space.ground(addr), point.failed) {
                    (Err(ground), _) => reason(ground),
                    (Ok(_), failed) => reason(failed.unwrap_or(Ground::Differs)),
                });
            }
        }
        Ok(())
    }

    /// Counts an enabling in the process, if it asks for that.
    fn raise(&self, number: u32, by: i16) {
        let Some(known) = self.probes.get(number) else { return };
        let Some(p) = self.process(known.space) else { return };
        for part in known.semaphores() {
            // With its library it may have gone, and something else be there, or the same anew.
            let is_there = p.space.ground(part.address) == Ok(part.text)
                && p.space.may_count(part.semaphore, part.address);
            let is_new = by < 0 && part.addresses().any(|addr| p.is_lost(addr));
            if is_there && !is_new && p.space.count(part.semaphore, by).is_err() && by > 0 {
                // Any user's process may be so.
                if !TOLD.swap(true, Relaxed) {
                    pr_warn!(
                        "fasttrap: a semaphore at {:#x} is not there; told once\n",
                        part.semaphore
                    );
                }
            }
        }
    }

    /// Counters that enablings of a process's probes have changed, of probes from a number on: as many as there is
    /// room for. Gives how many, and the number to go on from.
    pub(crate) fn counters(&self, space: u64, from: usize, into: &mut [Counter]) -> (usize, usize) {
        let (mut n, mut at) = (0usize, from);
        if self.process(space).is_some_and(|p| p.has_counters) {
            for known in self.probes.iter_from(from) {
                if let Some(known) = known.filter(|k| k.space == space && k.enabled.is_some()) {
                    let Some(room) = into.get_mut(n..) else { break };
                    if known.semaphores().count() > room.len() {
                        break;
                    }
                    for (to, part) in room.iter_mut().zip(known.semaphores()) {
                        *to = Counter { at: part.semaphore, of: part.address, text: part.text };
                        n = n.wrapping_add(1);
                    }
                }
                at = at.wrapping_add(1);
            }
        }
        (n, at)
    }

    /// Enabled probes are about to change; until [`Self::enable`]d again they fire as before.
    pub(crate) fn suspend(&mut self, probe: &Probe) {
        if self.release(probe) {
            self.raise(probe.cookie(), -1);
        }
    }

    /// Puts breakpoints where one is wanted and none is.
    fn arm(&mut self) {
        self.change(true);
    }

    /// Takes away those that nobody wants.
    fn disarm(&mut self) {
        self.change(false);
    }

    fn change(&mut self, on: bool) {
        for process in self.processes.iter_mut() {
            let Process { points, space, .. } = process;
            let (mut pokes, mut which) = ([Poke::new(0, 0, 0, 0); BATCH], [0; BATCH]);
            let mut at = 0;
            loop {
                let mut n = 0usize;
                let rest = points.iter().enumerate().skip(at);
                let all = pokes.iter_mut().zip(which.iter_mut());
                let wanted = rest.filter(|(_, p)| {
                    // Without a slot nobody could go on from there.
                    p.armed != on && (p.users > 0) == on && (p.slot != 0 || !on)
                });
                for ((poke, which), (i, point)) in all.zip(wanted) {
                    (*poke, *which) = (point.poke(on), i);
                    n = n.wrapping_add(1);
                    at = i.wrapping_add(1);
                }
                if n == 0 {
                    break;
                }
                let pokes = pokes.get_mut(..n).unwrap_or_default();
                space.poke(pokes);
                for (poke, i) in pokes.iter().zip(which) {
                    if let Some(point) = points.get_mut(i) {
                        point.failed = poke.result().err();
                        point.armed = match poke.result() {
                            Ok(()) => on,
                            // It is still there, and is tried again.
                            Err(Ground::NoMemory | Ground::Away) => !on,
                            Err(Ground::Differs) if !on => {
                                point.take_from_copy(space);
                                false
                            }
                            // It was unmapped, or overwritten.
                            Err(_) => false,
                        };
                    }
                }
            }
        }
    }

    /// Disarms probes; see [`framework::Provider::disable`].
    pub(crate) fn disable(&mut self, probes: &[Arc<Probe>]) {
        probes.iter().for_each(|probe| self.suspend(probe));
        self.settle();
    }

    /// Takes away what nobody wants any more.
    fn settle(&mut self) {
        self.disarm();
        xcall::sync();
        let _ = self.publish();
        self.patience = LEAST_PATIENCE;
        self.vacate();
    }

    /// Tries again what could not be done: breakpoints that are left, slots with threads in them.
    pub(crate) fn again(&mut self) {
        if self.processes.iter().any(Process::is_stuck) {
            self.disarm();
            xcall::sync();
            let _ = self.publish();
        }
        self.vacate();
    }

    /// Gives back the slots of processes that have no breakpoint; if threads are in some, it is tried again.
    pub(crate) fn vacate(&mut self) {
        let mut any_idle = false;
        for process in self.processes.iter().filter(|p| p.is_idle()) {
            process.rewrite();
            any_idle = true;
        }
        let (mut any_left, mut all_left) = (false, !self.processes.iter().any(Process::is_stuck));
        if any_idle {
            xcall::sync();
        }
        for process in self.processes.iter_mut().filter(|p| p.is_idle()) {
            // A child's copies of them are told by what we know of its parent.
            match !user::awaits_children(process.space.key()) && process.vacate() {
                true => any_left = true,
                false => all_left = false,
            }
        }
        if any_left {
            // The old table has slots that are not there; no breakpoint leads to them.
            let _ = self.publish();
        }
        if !all_left {
            user::look_again(self.patience);
            self.patience = self.patience.saturating_mul(2).min(MOST_PATIENCE);
        }
    }

    /// Puts back what was under each breakpoint, whatever went wrong before.
    pub(crate) fn restore(&self) {
        let mut left = 0usize;
        for process in self.processes.iter() {
            left = left.wrapping_add(process.poke_all(&process.space, |p| p.poke(false)));
            left = left.wrapping_add(process.rewrite());
        }
        complain_of(left);
        xcall::sync();
    }

    /// Forgets the probes of a helper, which may be enabled; they are about to be retired.
    pub(crate) fn forget_helper(&mut self, space: u64, helper: u32) {
        let mut any_enabled = false;
        for n in 0.. {
            let Some(process) = in_space(&mut self.processes, space) else { break };
            let Some(group) = process.groups.get_mut(n) else { break };
            if group.helper != helper {
                continue;
            }
            for number in core::mem::replace(&mut group.numbers, KVVec::new()).iter() {
                let enabled = self.probes.get_mut(*number).and_then(|k| k.enabled.clone());
                any_enabled |= enabled.is_some();
                enabled.iter().for_each(|probe| self.suspend(probe));
                self.probes.remove(*number);
            }
        }
        if any_enabled {
            self.settle();
        }
    }

    /// Puts all places of all processes where threads that are hit look for them.
    pub(crate) fn publish(&self) -> Result {
        let table = if self.processes.is_empty() { None } else { Some(mem::boxed(self.table()?)?) };
        drop(TABLE.swap(table));
        Ok(())
    }

    fn table(&self) -> Result<Table> {
        let n = self.processes.iter().fold(0, |n: usize, p| n.saturating_add(p.points.len()));
        let mut hits = mem::exact(n)?;
        let mut bases: KVVec<usize> = mem::exact(self.processes.len())?;
        let mut spaces = mem::exact(self.processes.len())?;
        for process in self.processes.iter() {
            mem::push(&mut bases, hits.len())?;
            mem::push(&mut spaces, (process.space.key(), process.interrupted.clone()))?;
            for point in process.points.iter() {
                mem::push(&mut hits, process.hit(point))?;
            }
        }
        let mut table = Table { index: Index::new(), hits, uses: KVVec::new(), spaces };
        self.each_use(&bases, |at, _| {
            let Some(hit) = table.hits.get_mut(at) else { return };
            hit.uses = hit.uses.saturating_add(1);
        });
        let mut from = 0u32;
        for hit in table.hits.iter_mut() {
            hit.from = from;
            from = from.saturating_add(hit.uses);
            hit.uses = 0;
        }
        table.uses = mem::exact(from as usize)?;
        for _ in 0..from {
            mem::push(&mut table.uses, None)?;
        }
        self.each_use(&bases, |at, u| {
            let Some(hit) = table.hits.get_mut(at) else { return };
            let to = hit.from.wrapping_add(hit.uses) as usize;
            if let Some(to) = table.uses.get_mut(to) {
                *to = Some(u());
                hit.uses = hit.uses.wrapping_add(1);
            }
        });
        let twice = n.checked_mul(2).ok_or(ENOMEM)?;
        table.index.reserve(twice, |_| 0)?;
        for (n, hit) in table.hits.iter().enumerate() {
            let number = u32::try_from(n).map_err(|_| ENOMEM)?;
            table.index.insert(hash(hit.space, hit.addr), number);
            if hit.slot != 0 {
                table.index.insert(hash(hit.space, hit.slot), number);
            }
        }
        Ok(table)
    }

    /// All places of all enabled probes, in the same order each time; `bases`: where the places of a
    /// process begin.
    fn each_use(&self, bases: &[usize], mut f: impl FnMut(usize, &dyn Fn() -> Use)) {
        for known in self.probes.iter() {
            let Some(probe) = &known.enabled else { continue };
            let mut all = self.processes.iter().zip(bases);
            let Some((process, base)) = all.find(|(p, _)| p.space.key() == known.space) else {
                continue;
            };
            for part in known.parts() {
                for place in part.places() {
                    let addr = part.address.wrapping_add((*place).into());
                    let Some(point) = process.find(addr) else { continue };
                    if process.points.get(point).is_none_or(|p| p.text != part.text) {
                        continue;
                    }
                    f(base.wrapping_add(point), &|| Use {
                        probe: probe.clone(),
                        role: part.role,
                        place: *place,
                        size: part.size,
                        args: part.args.clone(),
                    });
                }
            }
        }
    }
}

/// That with this space.
pub(crate) fn in_space(processes: &mut [Process], space: u64) -> Option<&mut Process> {
    processes.iter_mut().find(|p| p.space.key() == space)
}

/// The first `n` places of a probe have one user less.
fn leave(process: &mut Process, known: &Known, n: usize) {
    for addr in known.addresses().take(n) {
        if let Some(point) = process.at_mut(addr) {
            point.users = point.users.saturating_sub(1);
        }
    }
}
