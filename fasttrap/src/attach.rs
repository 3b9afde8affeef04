// SPDX-License-Identifier: GPL-2.0
//! Enabling and disabling.
//!
//! ```text
//!   enable:   places, slots ─► write the slots ─► publish the table ─► breakpoints ─► wait for all CPUs
//!   disable:  breakpoints away ─► wait for all CPUs ─► publish the table ─► slots away ─► a while later: forget the places
//! ```
//! Each of that is done to the processes that have changed, so it costs what they have, however many others there are.
//!
//! Disabling must not fail: without memory for a new table the old one stays, whose entries lead to
//! probes that nobody has enabled.

use crate::probes::{Known, Probes};
use crate::process::{complain_of, reason, Process, Reader, BATCH};
use crate::processes::Processes;
use crate::table::{Spaces, SPACES};
use abi::user::UserReason;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use framework::{EnableError, Probe};
use kapi::publish::{Replace, Retired};
use kapi::user::{self, Found, Ground, Handlers, Poke, Space};
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
    /// Returns the functions to call at breakpoints, signals, forks and ends of processes.
    pub(crate) handlers: fn() -> Handlers,
    pub(crate) processes: Processes<Process>,
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
        self.processes.get(space)
    }

    /// From now on something is known of a process, and it matters if it forks.
    pub(crate) fn know(&mut self, found: Found) -> Result {
        self.watch()?;
        let key = found.space.key();
        if let Some(known) = self.processes.get_mut(key) {
            // Programs begin without one: their C library asks for it.
            known.shadow_stack |= found.has_shadow_stack;
        } else {
            self.processes.add(Process::new(found)?)?;
            if let Err(e) = self.publish_spaces() {
                drop(self.processes.remove(key));
                return Err(e);
            }
        }
        Ok(())
    }

    /// Forgets a process that nobody is in any more; the first one from a key on that `has_ended`.
    pub(crate) fn forget(
        &mut self,
        from: u64,
        has_ended: impl Fn(&Process) -> bool,
    ) -> Option<KBox<Process>> {
        let key = self.processes.iter_from(from).find(|p| has_ended(p))?.space.key();
        let gone = self.processes.remove(key)?;
        if self.publish_spaces().is_err() {
            // The old table still has its address, which must not become that of another one.
            self.processes.put(gone);
            return None;
        }
        gone.numbers.iter().for_each(|n| self.probes.remove(*n));
        Some(gone)
    }

    /// Puts all processes where threads that are hit look for them.
    fn publish_spaces(&self) -> Result {
        let all = self.processes.iter().map(|p| (p.space.key(), &p.entry));
        let spaces = match self.processes.is_empty() {
            true => None,
            false => Some(mem::boxed(Spaces::new(self.processes.len(), all)?)?),
        };
        drop(SPACES.swap(spaces));
        Ok(())
    }

    /// From now on we are told of what happens to processes.
    pub(crate) fn watch(&mut self) -> Result {
        if !self.watching {
            user::watch((self.handlers)())?;
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
        // From here on a breakpoint there is somebody else's.
        if !any_refused || self.publish().is_ok() {
            self.settled();
        }
        if self.processes.iter().any(Process::is_idle) {
            self.patience = LEAST_PATIENCE;
            user::look_again(self.patience);
        }
    }

    /// What the entries of processes show is what they have.
    fn settled(&mut self) {
        self.processes.iter_mut().filter(|p| p.changed).for_each(Process::settled);
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
        self.processes.iter_mut().filter(|p| p.changed).for_each(Process::write_slots);
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
        let process = processes.get_mut(known.space).filter(|p| p.space.is_alive());
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
        if let Some(process) = processes.get_mut(known.space) {
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
        let Some(process) = self.process(space).filter(|p| p.has_counters) else { return (0, at) };
        for number in process.numbers.get(from..).unwrap_or_default() {
            if let Some(known) = self.probes.get(*number).filter(|k| k.enabled.is_some()) {
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
        (n, at)
    }

    /// The probes of a process that are enabled, of helpers that are meant.
    pub(crate) fn enabled_of(
        &self,
        space: u64,
        is_meant: impl Fn(u32) -> bool,
    ) -> impl Iterator<Item = &Probe> {
        let numbers = self.process(space).map_or(&[][..], |p| &p.numbers);
        let probes = &self.probes;
        let known = numbers.iter().filter_map(move |n| probes.get(*n));
        known.filter(move |k| is_meant(k.helper)).filter_map(|k| k.enabled.as_deref())
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
        for process in self.processes.iter_mut().filter(|p| p.changed || p.is_stuck()) {
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
        self.settled();
        self.patience = LEAST_PATIENCE;
        self.vacate();
    }

    /// Tries again what could not be done: breakpoints that are left, slots with threads in them.
    pub(crate) fn again(&mut self) {
        if self.processes.iter().any(Process::is_stuck) {
            self.processes.iter_mut().filter(|p| p.is_stuck()).for_each(|p| p.changed = true);
            self.disarm();
            xcall::sync();
            let _ = self.publish();
            self.settled();
        }
        self.vacate();
    }

    /// Gives back the slots of processes that have no breakpoint, and, when this is called again later, forgets their
    /// places. If threads are in some, or make copies of the process, it is tried again.
    pub(crate) fn vacate(&mut self) {
        let mut any_idle = false;
        for process in self.processes.iter_mut().filter(|p| p.is_idle()) {
            if process.has_slots() {
                process.rewrite();
            }
            process.awaited = process.is_interrupted();
            any_idle = true;
        }
        let mut all_left = !self.processes.iter().any(Process::is_stuck);
        if any_idle {
            xcall::sync();
            // Those that make copies before the copies that wait: they go from here to there.
            user::each_thread(|key, thread| {
                let process = self.processes.get_mut(key).filter(|p| p.is_idle());
                match (process, thread) {
                    (Some(process), Some(thread)) => process.look_at(thread),
                    (None, _) => return false,
                    (Some(_), None) => {}
                }
                true
            });
            for process in self.processes.iter_mut().filter(|p| p.is_idle()) {
                all_left = false;
                // A child's copies of them are told by what we know of its parent.
                if process.awaited || user::awaits_children(process.space.key()) {
                    continue;
                }
                match process.has_slots() {
                    true => drop(process.vacate()),
                    false => process.forget(),
                }
            }
            // The old tables have slots that are not there; no breakpoint leads to them.
            let _ = self.publish();
            self.settled();
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
            let Some(process) = self.processes.get_mut(space) else { break };
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
        self.forget_numbers(space);
        if any_enabled {
            self.settle();
        }
    }

    /// A process forgets the numbers of probes that have gone.
    pub(crate) fn forget_numbers(&mut self, space: u64) {
        let Self { processes, probes, .. } = self;
        if let Some(process) = processes.get_mut(space) {
            process.numbers.retain(|n| probes.get(*n).is_some());
        }
    }

    /// Puts the places of all processes that have changed where threads that are hit look for them.
    fn publish(&mut self) -> Result {
        let Self { processes, probes, .. } = self;
        let mut result = Ok(());
        for process in processes.iter_mut().filter(|p| p.changed) {
            match process.table(probes) {
                Ok(table) => process.retired = process.entry.table.swap(table),
                Err(e) => result = Err(e),
            }
        }
        Retired::free_all(processes.iter_mut().filter_map(|p| p.retired.take()));
        result
    }
}

/// The first `n` places of a probe have one user less.
fn leave(process: &mut Process, known: &Known, n: usize) {
    process.changed = true;
    for addr in known.addresses().take(n) {
        if let Some(point) = process.at_mut(addr) {
            point.users = point.users.saturating_sub(1);
        }
    }
}
