// SPDX-License-Identifier: GPL-2.0
//! Enabling and disabling probes.
//!
//! ```text
//!   enable:   find places, reserve slots ─► write the slots ─► publish the table
//!             ─► write breakpoints ─► wait for all CPUs
//!   disable:  remove breakpoints ─► wait for all CPUs ─► publish the table
//!             ─► unmap the slots ─► later: forget the places
//! ```
//! Each step treats only the processes that have changed, so its cost does not depend on the number
//! of other processes.
//!
//! Disabling must not fail. If there is no memory for a new table, the old one stays; its entries
//! lead to probes that nobody has enabled.

use crate::code::{reason, Reader};
use crate::copy::MOST_ADOPTED;
use crate::litter::MOST_INSIDE;
use crate::probes::{Known, Part, Probes};
use crate::process::{complain_of, may_be_copy, Batch, Point, Process};
use crate::processes::{Keyed, Processes};
use crate::table::{Spaces, SPACES};
use abi::user::UserReason;
use core::sync::atomic::{AtomicBool, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use framework::{EnableError, Framework, Probe};
use kapi::publish::{Replace, Retired};
use kapi::task::ROOT;
use kapi::user::{self, Counter, Found, Ground, Handlers, Poke};
use kapi::{mem, xcall};
use kernel::prelude::*;
use kernel::sync::Arc;

/// A semaphore was missing, and the log says so once.
static TOLD: AtomicBool = AtomicBool::new(false);

/// What the provider knows and has done, under the lock `State`.
pub(crate) struct State {
    /// Returns the functions to call at breakpoints, signals, forks and ends of processes.
    pub(crate) handlers: fn() -> Handlers,
    pub(crate) processes: Processes<Process>,
    pub(crate) probes: Probes,
    /// The kernel calls our handlers for events of processes.
    pub(crate) watching: bool,
    /// Nobody removes what a process adopts any more.
    pub(crate) is_ending: bool,
    /// The time in milliseconds until the next check whether threads have left the slots.
    pub(crate) patience: u32,
    /// The key from which on stuck processes are retried next.
    pub(crate) next_stuck: u64,
}

/// When so many places have been retried, the others follow in the next call.
const AT_ONCE: usize = 1 << 12;

/// A child asks after so many places whether its user may have more.
const FEW_ADOPTED: usize = 64;

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

    /// Makes a process known. From then on we are called when it forks.
    pub(crate) fn know(&mut self, found: Found) -> Result {
        self.watch()?;
        let key = found.space.key();
        if let Some(known) = self.processes.get_mut(key) {
            // A process starts without a shadow stack; its C library turns it on later.
            known.shadow_stack |= found.has_shadow_stack;
            (known.owner, known.space) = (found.space.owner(), found.space);
        } else {
            self.processes.add(Process::new(found)?)?;
            if let Err(e) = self.publish_spaces() {
                drop(self.processes.remove(key));
                return Err(e);
            }
        }
        Ok(())
    }

    /// Forgets processes for which `has_ended` holds, and moves them to `gone`, whose places are
    /// free: as many as there are places, so that one new table of all processes serves them all.
    /// If memory is short, it forgets none.
    pub(crate) fn forget(
        &mut self,
        has_ended: impl Fn(&Process) -> bool,
        gone: &mut [Option<KBox<Process>>],
    ) {
        let mut from = 0;
        for place in gone.iter_mut() {
            let ended = self.processes.iter_from(from).find(|p| has_ended(p));
            let Some(key) = ended.map(|p| p.space.key()) else { break };
            *place = self.processes.remove(key);
            from = key;
        }
        let mut all = gone.iter_mut().take_while(|place| place.is_some()).peekable();
        if all.peek().is_none() {
            return;
        }
        if self.publish_spaces().is_err() {
            // The old table still has their addresses as keys, so no other process may get them.
            all.filter_map(Option::take).for_each(|process| self.processes.put(process));
            return;
        }
        let numbers = all.filter_map(|place| place.as_ref()).flat_map(|gone| &gone.numbers);
        numbers.for_each(|n| self.probes.remove(*n));
    }

    /// Publishes the table of all processes, which threads read when they hit a breakpoint.
    fn publish_spaces(&self) -> Result {
        let all = self.processes.iter().map(|p| (p.space.key(), &p.entry));
        let spaces = match self.processes.is_empty() {
            true => None,
            false => Some(mem::boxed(Spaces::new(self.processes.len(), all)?)?),
        };
        drop(SPACES.swap(spaces));
        Ok(())
    }

    /// Makes the kernel call our handlers for events of processes.
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
        // Refuse the probes whose slots could not be written.
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
            let armed = self.armed(probe.cookie());
            if let Err(why) = armed.and_then(|()| self.raise(probe.cookie())) {
                if self.release(probe) {
                    refuse(i, refusal(why));
                    any_refused = true;
                }
            }
        }
        if any_refused {
            // Remove the breakpoints that only refused probes wanted.
            self.disarm();
        }
        xcall::sync();
        // From here on, a breakpoint at a place without ours belongs to somebody else.
        if !any_refused || self.publish().is_ok() {
            self.settled();
        }
        let waits = |p: &Process| p.may_shrink() || p.has_replaced() || p.owes || p.is_stuck();
        if self.processes.iter().any(waits) {
            self.patience = LEAST_PATIENCE;
            user::look_again(self.patience);
        }
    }

    /// Marks the changed processes as published: their entries match their places.
    fn settled(&mut self) {
        self.processes.iter_mut().filter(|p| p.changed).for_each(Process::settled);
    }

    /// Finds places for all the probes, and reserves and writes slots for the places.
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

    /// Returns why slots could not be written in the process, if the probe with this number needs a
    /// new one.
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
        // The library may have been unloaded since, and another one mapped at its address. When the
        // library returns, the consumer makes the probe again, and that enables it.
        known.find_parts(|part| process.has(part, reader));
        let is_own = known.is_own();
        for (n, addr) in known.addresses().enumerate() {
            let at = process.point(addr, is_own, reader);
            if let Some(point) = at.ok().and_then(|at| process.points.get_mut(at)) {
                point.users = point.users.saturating_add(1);
                // Its breakpoint may still be there because it could not be removed.
                point.failed = None;
                continue;
            }
            leave(process, known, n);
            return Err(at.err().unwrap_or(UserReason::NoMemory));
        }
        known.enabled = Some(probe.clone());
        Ok(())
    }

    /// Drops the claims of a probe that is disabled or refused. Returns false if it was not
    /// enabled.
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

    /// Checks that all places of an enabled probe have breakpoints. The error says why one has
    /// none.
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

    /// Raises the semaphores of a probe, if it has any. On an error, none of them is raised, or
    /// [`again`](Self::again) lowers it.
    fn raise(&mut self, number: u32) -> Result<(), UserReason> {
        let Self { processes, probes, .. } = self;
        let Some(known) = probes.get_mut(number) else { return Ok(()) };
        let Some(process) = processes.get_mut(known.space) else { return Ok(()) };
        let mut failed = None;
        for part in known.semaphores_mut() {
            // Without room to note it, a child could not tell whose a part of its value is.
            if process.raised.reserve(part.semaphore).is_err() {
                failed = Some(UserReason::NoMemory);
                break;
            }
            // A counter that could not be lowered is raised already, unless the library was loaded
            // anew.
            let counter = Counter { home: None, ..part.counter() };
            let raised = process.space.count(&counter, |now| match part.raised {
                true => now.max(1),
                false => now.saturating_add(1),
            });
            match raised {
                Ok(home) => {
                    part.home = Some(home);
                    note_raised(process, part, true);
                }
                Err(why @ (Ground::Away | Ground::NoMemory)) => {
                    failed = Some(reason(why));
                    break;
                }
                // The library may be unloaded, or replaced by other memory. Any user can cause
                // this, so log it once.
                Err(_) => {
                    note_raised(process, part, false);
                    if !TOLD.swap(true, Relaxed) {
                        let at = part.semaphore;
                        pr_warn!("fasttrap: a semaphore at {at:#x} is not there; told once\n");
                    }
                }
            }
        }
        match failed {
            None => Ok(()),
            Some(why) => {
                lower(known, process);
                Err(why)
            }
        }
    }

    /// Lowers the semaphores that could not be lowered when their probes were disabled.
    fn repay(&mut self) {
        let Self { processes, probes, .. } = self;
        for process in processes.iter_mut().filter(|p| p.owes) {
            process.owes = false;
            for at in 0..process.numbers.len() {
                let known = process.numbers.get(at).and_then(|n| probes.get_mut(*n));
                if let Some(known) = known.filter(|k| k.enabled.is_none()) {
                    lower(known, process);
                }
            }
        }
    }

    /// Collects counters of a process, from a probe and a part of it on, while `into` has room:
    /// those that are raised, and those that were lowered so lately that a copy of the process may
    /// have been made before. Returns their number and the place to continue from.
    pub(crate) fn counters(
        &self,
        space: u64,
        from: (usize, usize),
        into: &mut [Option<Copied>],
    ) -> (usize, (usize, usize)) {
        let (mut n, (mut at, mut skip)) = (0usize, from);
        let Some(process) = self.process(space).filter(|p| p.has_counters) else {
            return (n, from);
        };
        // While such a copy may exist, `vacate` keeps the places.
        let is_late = |part: &Part| part.addresses().any(|addr| process.find(addr).is_some());
        for number in process.numbers.get(at..).unwrap_or_default() {
            let known = self.probes.get(*number);
            while let Some(part) = known.and_then(|known| known.part(skip)) {
                if part.raised || (part.lowered && is_late(part)) {
                    let Some(to) = into.get_mut(n) else { return (n, (at, skip)) };
                    let counter = part.counter();
                    let others = Self::others(process, &counter);
                    *to = Some(Copied { counter, raised: part.raised, others });
                    n = n.wrapping_add(1);
                }
                skip = skip.wrapping_add(1);
            }
            (at, skip) = (at.wrapping_add(1), 0);
        }
        (n, (at, skip))
    }

    /// Returns what a counter contains that is not ours, but of other tracers or the program's own.
    /// `None`: it cannot be read now.
    fn others(process: &Process, counter: &Counter) -> Option<u16> {
        let mut now = None;
        let _ = process.space.count(counter, |n| *now.insert(n));
        let ours = process.raised.times(counter.at);
        Some(now?.saturating_sub(u16::try_from(ours).unwrap_or(u16::MAX)))
    }

    /// Returns the enabled probes of a process whose helper satisfies `is_meant`.
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

    /// Releases a probe that is about to change or to be disabled. It fires as before until the
    /// next change of breakpoints and tables.
    pub(crate) fn suspend(&mut self, probe: &Probe) {
        if !self.release(probe) {
            return;
        }
        let Self { processes, probes, .. } = self;
        let Some(known) = probes.get_mut(probe.cookie()) else { return };
        if let Some(process) = processes.get_mut(known.space) {
            lower(known, process);
        }
    }

    /// Writes the missing breakpoints of places that have users.
    fn arm(&mut self) {
        self.change(true);
    }

    /// Removes the breakpoints of places that have no users or can have none.
    fn disarm(&mut self) {
        self.change(false);
    }

    fn change(&mut self, on: bool) {
        for process in self.processes.iter_mut().filter(|p| p.changed) {
            let mut pokes = Batch::new(Poke::NONE, process.points.len());
            let mut which = Batch::new(0, process.points.len());
            let mut at = 0;
            loop {
                let mut n = 0usize;
                let rest = process.points.iter().enumerate().skip(at);
                let all = pokes.room().iter_mut().zip(which.room());
                let wanted = rest.filter(|(_, p)| {
                    // Without a slot, a thread that hits the breakpoint could not continue.
                    p.armed != on && process.wants(p) == on && (p.slot != 0 || !on)
                });
                for ((poke, which), (i, point)) in all.zip(wanted) {
                    (*poke, *which) = (point.poke(on), i);
                    n = n.wrapping_add(1);
                    at = i.wrapping_add(1);
                }
                if n == 0 {
                    break;
                }
                let pokes = pokes.room().get_mut(..n).unwrap_or_default();
                let Process { points, space, .. } = &mut *process;
                space.poke(pokes);
                for (poke, i) in pokes.iter().zip(which.room()) {
                    if let Some(point) = points.get_mut(*i) {
                        point.failed = poke.result().err();
                        point.armed = match poke.result() {
                            Ok(()) => on,
                            // The memory is as it was; `again` retries.
                            Err(Ground::NoMemory | Ground::Away) => !on,
                            Err(why) if !on && may_be_copy(why) => {
                                point.stays_in_copy(space, false)
                            }
                            // The memory was unmapped or overwritten.
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

    /// Removes breakpoints, table entries and slots that no probe needs any more.
    fn settle(&mut self) {
        self.disarm();
        xcall::sync();
        let _ = self.publish();
        self.settled();
        self.patience = LEAST_PATIENCE;
        self.vacate();
    }

    /// Takes the breakpoints out of the calls of processes that have turned on shadow stacks. The
    /// consumers of probes that lose a place are told.
    pub(crate) fn shadowed(&mut self) {
        let Self { processes, probes, .. } = self;
        let mut any = false;
        for process in processes.iter_mut() {
            if !process.entry.shadowed.swap(false, Acquire) {
                continue;
            }
            process.shadow_stack = true;
            // One that could not be taken out is hit again and again, and counted once: `again`
            // retries it.
            let is_new = |p: &Point| p.armed && p.failed.is_none() && process.is_barred(p);
            if !process.points.iter().any(is_new) {
                continue;
            }
            (any, process.changed) = (true, true);
            let is_lost = |at| process.at(at).is_some_and(|p| p.armed && process.is_barred(p));
            for known in process.numbers.iter().filter_map(|n| probes.get(*n)) {
                if let Some(probe) =
                    known.enabled.as_ref().filter(|_| known.addresses().any(is_lost))
                {
                    Framework::count_left_out(probe);
                }
            }
        }
        if any {
            self.settle();
        }
    }

    /// Retries what failed earlier: lowering semaphores, removing breakpoints, and freeing slots
    /// that threads were in.
    pub(crate) fn again(&mut self) {
        self.repay();
        if self.take_up_stuck() {
            self.disarm();
            xcall::sync();
            let _ = self.publish();
            self.settled();
        }
        self.vacate();
    }

    /// Marks some of the processes with breakpoints that could not be removed as changed, so that
    /// the next change retries them: those that follow the ones of the previous call. Everybody
    /// waits for the lock, and any user can have such processes. Returns false if it found none.
    fn take_up_stuck(&mut self) -> bool {
        let (mut places, mut next) = (0usize, 0);
        let from = self.next_stuck;
        let rest = self.processes.iter_mut().filter(|p| p.is_stuck() && p.key() >= from);
        for process in rest {
            if places >= AT_ONCE {
                next = process.key();
                break;
            }
            process.changed = true;
            places = places.saturating_add(process.points.len());
        }
        self.next_stuck = next;
        places != 0
    }

    /// Makes a copy of a process known with a breakpoint that cannot be removed from it. After
    /// [`adopted`](Self::adopted), its threads pass that as those of the original do. `ENOSPC`,
    /// `ENOMEM`: the copy cannot have any more.
    pub(crate) fn adopt(&mut self, parent: u64, copy: Found, point: Point) -> Result {
        if self.is_ending {
            return Err(ESHUTDOWN);
        }
        let key = copy.space.key();
        self.know(copy)?;
        let original = self.process(parent).ok_or(ESRCH)?;
        let is_interrupted = original.is_interrupted();
        let room = original.room_with(point.slot).ok_or(ENOENT)?;
        let process = self.process(key).ok_or(ESRCH)?;
        if process.points.len() >= MOST_ADOPTED {
            return Err(ENOSPC);
        }
        // A program has as many children as it likes. So that a child does not ask for each place,
        // it may exceed the limit by a few.
        if process.points.len() % FEW_ADOPTED == 0 && process.owner != ROOT {
            let sum = self.sum(process.owner, Process::charged);
            sum.admits(process.owner, 1).map_err(|_| ENOSPC)?;
        }
        let process = self.processes.get_mut(key).ok_or(ESRCH)?;
        process.adopt(point, room)?;
        process.entry.interrupted.fetch_or(is_interrupted, Release);
        Ok(())
    }

    /// Ends calls of [`adopt`](Self::adopt).
    pub(crate) fn adopted(&mut self) -> Result {
        self.publish()?;
        self.settled();
        self.patience = LEAST_PATIENCE;
        user::look_again(self.patience);
        Ok(())
    }

    /// Unmaps the slots of processes that have no breakpoint. A later call forgets their places. If
    /// threads are in slots, or are copying the process, it tries again later. Also frees other
    /// processes of their dead places, and of replaced ones that no copy can have any more.
    pub(crate) fn vacate(&mut self) {
        let (mut any, mut inside) = (false, KVVec::new());
        for process in self.processes.iter_mut().filter(|p| p.has_replaced()) {
            process.may_fork = false;
            any = true;
        }
        for process in self.processes.iter_mut().filter(|p| p.may_shrink()) {
            match process.is_idle() {
                _ if process.rewritten => {}
                false => process.rewrite_dead(),
                true if process.has_slots() => drop(process.rewrite()),
                true => {}
            }
            process.rewritten = true;
            process.awaited = process.is_interrupted();
            any = true;
        }
        let mut all_left = !self.processes.iter().any(|p| p.is_stuck() || p.owes);
        if any {
            // Without memory for it, processes that have breakpoints are awaited.
            let _ = mem::reserve(&mut inside, MOST_INSIDE);
            xcall::sync();
            // Look at the threads that make copies first, and ask for waiting copies afterwards: a
            // copy moves from the first state to the second.
            user::each_thread(|key, thread| {
                let is_meant = |p: &&mut Process| p.may_shrink() || p.has_replaced();
                let process = self.processes.get_mut(key).filter(is_meant);
                match (process, thread) {
                    (Some(process), Some(thread)) => {
                        process.may_fork |= thread.may_fork();
                        if process.may_shrink() {
                            process.look_at(thread, &mut inside);
                        }
                    }
                    (None, _) => return false,
                    (Some(_), None) => {}
                }
                true
            });
            for process in self.processes.iter_mut().filter(|p| p.has_replaced()) {
                match process.may_fork || user::awaits_children(process.space.key()) {
                    true => all_left = false,
                    false => process.replaced = KVVec::new(),
                }
            }
            for process in self.processes.iter_mut().filter(|p| p.may_shrink()) {
                all_left = false;
                // A signal may have interrupted a thread in a slot since the look above. It notes
                // that before its `ip` becomes the handler's, which the walk has seen. To clean a
                // child's copy, we need the places of its parent.
                let is_awaited = process.awaited || process.is_interrupted();
                if is_awaited || user::awaits_children(process.space.key()) {
                    continue;
                }
                match (process.is_idle(), process.has_slots()) {
                    (false, _) => process.sweep(&inside),
                    (true, true) => drop(process.vacate()),
                    (true, false) => process.forget(),
                }
            }
            // The old tables name slots that are unmapped now, but no breakpoint leads to them.
            let _ = self.publish();
            self.settled();
        }
        if !all_left {
            user::look_again(self.patience);
            self.patience = self.patience.saturating_mul(2).min(MOST_PATIENCE);
        }
    }

    /// Restores the original byte under each breakpoint, and lowers semaphores, even where that
    /// failed before.
    pub(crate) fn restore(&mut self) {
        self.repay();
        let mut left = 0usize;
        for process in self.processes.iter() {
            left = left.wrapping_add(process.poke_all(&process.space, |p| p.poke(false)));
            left = left.wrapping_add(process.rewrite());
        }
        complain_of(left);
        xcall::sync();
    }

    /// Returns the lowest id, from `from` on, of a thread that may be forking a process that has
    /// places.
    pub(crate) fn forking(&self, from: u32) -> Option<u32> {
        let mut lowest = None;
        user::each_thread(|key, thread| {
            if let Some(thread) = thread.filter(|t| t.may_fork() && t.id() >= from) {
                lowest = Some(lowest.map_or(thread.id(), |id: u32| id.min(thread.id())));
            }
            self.process(key).is_some_and(Process::has_points)
        });
        lowest
    }

    /// Forgets the probes of a helper, disabling those that are enabled. The caller retires them.
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

    /// Removes from a process the numbers of probes that no longer exist.
    pub(crate) fn forget_numbers(&mut self, space: u64) {
        let Self { processes, probes, .. } = self;
        if let Some(process) = processes.get_mut(space) {
            process.numbers.retain(|n| probes.get(*n).is_some());
            let notes = process.numbers.iter().filter_map(|n| probes.get(*n)?.notes());
            process.notes = notes.sum();
        }
    }

    /// Publishes the tables of all processes that have changed, which threads read when they hit a
    /// breakpoint.
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

/// A counter that a copy of a process may have with a value of ours.
pub(crate) struct Copied {
    pub(crate) counter: Counter,
    /// It was raised when the copy was made, or was raised since.
    pub(crate) raised: bool,
    /// The value of the original without our part of it; `None`: it could not be read.
    pub(crate) others: Option<u16>,
}

/// Lowers the semaphores that were raised for a probe. If memory is short, or if the process keeps
/// its memory map locked, [`State::again`] retries it.
fn lower(known: &mut Known, process: &mut Process) {
    for part in known.all_parts_mut().filter(|part| part.raised) {
        // A program can drop the page of a counter, or load its library anew, whatever happens to
        // the text. A fresh counter has less than our share, which is gone then.
        let ours = process.raised.times(part.semaphore);
        let lowered = process.space.count(&part.counter(), |now| match u32::from(now) < ours {
            true => now,
            false => now.saturating_sub(1),
        });
        let stays = matches!(lowered, Err(Ground::Away | Ground::NoMemory));
        note_raised(process, part, stays);
        part.lowered = !part.raised;
        process.owes |= part.raised;
    }
}

/// Notes whether the semaphore of a part is raised for it.
fn note_raised(process: &mut Process, part: &mut Part, is_raised: bool) {
    match (part.raised, is_raised) {
        (false, true) => process.raised.add(part.semaphore),
        (true, false) => process.raised.remove(part.semaphore),
        _ => {}
    }
    part.raised = is_raised;
}

/// Removes one user from each of the first `n` places of a probe.
fn leave(process: &mut Process, known: &Known, n: usize) {
    process.changed = true;
    for addr in known.addresses().take(n) {
        if let Some(point) = process.at_mut(addr) {
            point.users = point.users.saturating_sub(1);
        }
    }
}
