// SPDX-License-Identifier: GPL-2.0
//! Attached tracepoints and the probes that each fires. A tracepoint that several probes need is
//! attached once. The kernel calls us with the tracepoint's position in a table, so a late call
//! finds an empty place.

use crate::event::{self, Field, Machine, Taken};
use crate::pending::{key_of, Kept, Set, SETS};
use crate::table::{Row, ROWS};
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use framework::{fire, forget, pause, Args, Burst, EnableError, Packed, Probe};
use kapi::publish::{Published, Replace};
use kapi::tracepoint::{self, Passed, Tracepoint};
use kapi::{context, field, mem, task, time, ProbeCtx};
use kernel::prelude::*;
use kernel::sync::Arc;

/// A probe that needs a tracepoint.
#[derive(Clone)]
struct User {
    probe: Arc<Probe>,
    /// The number of the row; `None` for a tracepoint's own probe in `sdt`.
    row: Option<u16>,
}

/// The owner of a tracepoint.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// The kernel itself; the tracepoint's name.
    Kernel(&'static [u8]),
    /// The module with this id.
    Module(u64),
    /// None: the place is free.
    None,
}

struct Point {
    owner: Owner,
    /// `None` if the tracepoint is gone.
    at: Option<Tracepoint>,
    users: KVVec<User>,
}

/// All tracepoints, and the probes that need each.
pub(crate) struct State {
    points: KVVec<Point>,
}

/// The table that a firing tracepoint reads: its probes, by its position.
struct Table(KVVec<KVVec<User>>);

static TABLE: Published<Table> = Published::empty();

/// Things that threads have begun and not ended. It exists while a probe that needs it is enabled.
pub(crate) static PENDING: Published<Pending> = Published::empty();

/// The time from which a probe that nobody has enabled is enabled.
const NEVER: u64 = u64::MAX;

pub(crate) struct Pending {
    sets: KVVec<Set>,
    /// The probes that need it, by their cookies.
    of: KVVec<Of>,
}

/// What belongs to one probe.
struct Of {
    /// The time at which it was enabled, in ns, or [`NEVER`]. What began before belongs to an
    /// earlier tracing, which did not see its end.
    from: AtomicU64,
    /// Things that were lost and are not reported yet. The probe's next event reports them, which
    /// is the end of such a thing at the latest: a thing without an end is missed by nobody.
    lost: AtomicU64,
}

impl Pending {
    fn new() -> Result<Self> {
        let (mut sets, mut of) = (mem::vec(SETS)?, mem::vec(ROWS.len())?);
        for _ in 0..SETS {
            mem::push(&mut sets, Set::default())?;
        }
        for _ in 0..ROWS.len() {
            mem::push(&mut of, Of { from: AtomicU64::new(NEVER), lost: AtomicU64::new(0) })?;
        }
        Ok(Self { sets, of })
    }

    fn set(&self, key: u64) -> Option<&Set> {
        // CAST: the upper bits of a product depend on all of the key.
        self.sets.get((key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % SETS)
    }

    fn of(&self, cookie: u32) -> Option<&Of> {
        self.of.get(cookie as usize)
    }

    fn from(&self, cookie: u32) -> u64 {
        self.of(cookie).map_or(NEVER, |of| of.from.load(Relaxed))
    }

    fn put_from(&self, cookie: u32, now: u64) {
        if let Some(of) = self.of(cookie) {
            of.lost.store(0, Relaxed);
            of.from.store(now, Relaxed);
        }
    }
}

/// # Context
/// *any*: that of the tracepoint.
fn hit(number: u64, passed: Passed<'_>) {
    context::enter(|ctx| {
        let Some(table) = TABLE.load(ctx) else { return };
        for user in table.0.get(number as usize).into_iter().flatten() {
            let args = Args::PassedOn { values: passed.registers, stack: passed.stack }.pack();
            match user.row {
                None => fire(ctx, &user.probe, args),
                Some(row) => happens(ctx, row, &user.probe, args),
            }
        }
    });
}

/// Fires the probe of a row if the conditions of the row hold.
///
/// # Context
/// *probe*
pub(crate) fn happens(ctx: &ProbeCtx, row: u16, probe: &Probe, args: Packed<'_>) {
    let Some(row) = ROWS.get(usize::from(row)) else { return };
    let Row { when, each, values, .. } = *row;
    let fire = &mut |values: &[u64]| fire(ctx, probe, Args::Values(values));
    let here = Here { ctx, args, probe, burst: Burst::new() };
    event::run(when, each, values, &here, fire);
}

/// This machine, at the event.
struct Here<'a> {
    ctx: &'a ProbeCtx,
    args: Packed<'a>,
    probe: &'a Probe,
    burst: Burst,
}

impl Here<'_> {
    /// The things that threads have begun, the set for the current thread and this probe, and the
    /// thread's key there. Reports what was lost of this probe's.
    fn pending(&self) -> Option<(&Pending, &Set, u64)> {
        let cookie = self.probe.cookie();
        let key = key_of(task::thread_key(), cookie.into());
        let pending = PENDING.load(self.ctx)?;
        let lost = &pending.of(cookie)?.lost;
        if lost.load(Relaxed) != 0 {
            forget(self.ctx, self.probe, lost.swap(0, Relaxed));
        }
        Some((pending, pending.set(key)?, key))
    }
}

impl Machine for Here<'_> {
    fn arg(&self, n: u32) -> u64 {
        self.args.get(n.into())
    }

    fn field(&self, field: Field, base: u64) -> u64 {
        field::of(field as u32, base).unwrap_or(0)
    }

    fn current(&self) -> u64 {
        task::curthread()
    }

    fn cpu(&self) -> u32 {
        // CAST: CPUs have small numbers.
        self.ctx.cpu() as u32
    }

    fn cpu_info(&self, cpu: u32) -> u64 {
        field::cpu_info(cpu)
    }

    fn dentry_of(&self, alias: u64) -> u64 {
        field::dentry_of(alias)
    }

    fn submits_bios(&self) -> u64 {
        field::bdev_submits_bios()
    }

    fn large_folio(&self) -> u64 {
        field::folio_is_large()
    }

    fn keep(&self, what: u64, mark: u64) {
        let Some((pending, set, key)) = self.pending() else { return };
        let new = Kept { probe: self.probe.cookie(), what, since: time::monotonic_ns(), mark };
        let lost = set.begin(key, new, |cookie| pending.from(cookie));
        if let Some(of) = lost.and_then(|cookie| pending.of(cookie)) {
            of.lost.fetch_add(1, Relaxed);
        }
    }

    fn has_time(&self) -> bool {
        self.burst.goes_on()
    }

    fn lose(&self, things: u64) {
        pause(self.ctx, self.probe, things);
    }

    fn has_begun(&self, what: u64) -> bool {
        self.pending().is_some_and(|(pending, set, key)| {
            set.has(key, what, pending.from(self.probe.cookie()))
        })
    }

    fn taken(&self, what: Option<u64>) -> Option<Taken> {
        let (pending, set, key) = self.pending()?;
        let kept = set.end(key, what, pending.from(self.probe.cookie()))?;
        let elapsed = time::monotonic_ns().saturating_sub(kept.since);
        Some(Taken { what: kept.what, elapsed, mark: kept.mark })
    }
}

impl Point {
    fn new(owner: Owner, at: Tracepoint) -> Self {
        Self { owner, at: Some(at), users: KVVec::new() }
    }
}

impl State {
    pub(crate) const fn new() -> Self {
        Self { points: KVVec::new() }
    }

    /// Reads the list of the kernel's tracepoints, the first time.
    pub(crate) fn look(&mut self) -> Result {
        if !self.points.is_empty() {
            return Ok(());
        }
        tracepoint::set_handler(hit);
        let mut points = KVVec::new();
        let mut result = Ok(());
        tracepoint::for_each(|name, at| {
            if result.is_ok() {
                let owner = Owner::Kernel(name);
                result = mem::push(&mut points, Point::new(owner, at));
            }
        });
        result.map(|()| self.points = points)
    }

    /// Returns the kernel's tracepoints, by name and position.
    pub(crate) fn names(&self) -> impl Iterator<Item = (usize, &'static [u8])> + '_ {
        self.points.iter().enumerate().filter_map(|(n, p)| match p.owner {
            Owner::Kernel(name) => Some((n, name)),
            Owner::Module(_) | Owner::None => None,
        })
    }

    /// Returns the position of a tracepoint of the kernel.
    pub(crate) fn position(&self, name: &[u8]) -> Option<usize> {
        self.names().find(|(_, n)| *n == name).map(|(at, _)| at)
    }

    /// Adds a tracepoint of a module and returns its position.
    pub(crate) fn put(&mut self, module: u64, at: Tracepoint) -> Result<u32> {
        let point = Point::new(Owner::Module(module), at);
        let free = self.points.iter().position(|p| p.owner == Owner::None);
        let n = free.unwrap_or(self.points.len());
        match self.points.get_mut(n) {
            Some(place) => *place = point,
            None => mem::push(&mut self.points, point)?,
        }
        // CAST: there are fewer.
        Ok(n as u32)
    }

    /// Detaches the tracepoints of a module that is unloaded. Returns true if one was attached, so
    /// that a call may still be running.
    pub(crate) fn take(&mut self, module: u64) -> bool {
        let mut was_attached = false;
        for point in self.points.iter_mut().filter(|p| p.owner == Owner::Module(module)) {
            was_attached |= point.at.take().is_some_and(|at| at.is_attached());
        }
        was_attached
    }

    /// Frees the positions of a module's tracepoints.
    pub(crate) fn free(&mut self, module: u64) {
        for point in self.points.iter_mut().filter(|p| p.owner == Owner::Module(module)) {
            point.owner = Owner::None;
            point.users = KVVec::new();
        }
        // Without memory the old table stays. Its entries lead to probes that no longer exist.
        let _ = self.publish();
    }

    /// Lets threads begin things for the probe with this cookie, from now on.
    pub(crate) fn pend(&self, cookie: u32) -> Result {
        if PENDING.with(|p| p.is_none()) {
            drop(PENDING.swap(Some(mem::boxed(Pending::new()?)?)));
        }
        let now = time::monotonic_ns();
        PENDING.with(|p| p.map(|p| p.put_from(cookie, now)));
        Ok(())
    }

    /// Ends that for this probe. The memory goes with the last one.
    pub(crate) fn unpend(&self, cookie: u32) {
        let is_last = PENDING.with(|p| {
            p.is_some_and(|p| {
                p.put_from(cookie, NEVER);
                p.of.iter().all(|of| of.from.load(Relaxed) == NEVER)
            })
        });
        if is_last {
            drop(PENDING.swap(None));
        }
    }

    /// Adds a probe to a tracepoint. It fires from [`Self::attach`] on.
    pub(crate) fn want(&mut self, point: usize, probe: &Arc<Probe>, row: Option<u16>) -> Result {
        let point = self.points.get_mut(point).ok_or(ENOENT)?;
        mem::push(&mut point.users, User { probe: probe.clone(), row })
    }

    /// Attaches all tracepoints that probes need. Calls `refuse` for each probe whose tracepoint
    /// cannot be attached.
    pub(crate) fn attach(&mut self, refuse: &mut dyn FnMut(&Probe, EnableError)) {
        // The table comes first, since an attached tracepoint reads it.
        if self.publish().is_err() {
            let users = self.points.iter().flat_map(|p| &p.users);
            return users.for_each(|user| refuse(&user.probe, EnableError::Memory));
        }
        for (n, point) in self.points.iter_mut().enumerate() {
            if point.users.is_empty() {
                continue;
            }
            let attached = match &mut point.at {
                Some(at) if at.is_attached() => continue,
                Some(at) => at.attach(n as u64),
                None => Err(ENODEV),
            };
            let why = match attached {
                Ok(()) => continue,
                Err(e) if e == ENOMEM => EnableError::Memory,
                Err(e) if e == ENODEV => EnableError::Gone,
                Err(_) => {
                    EnableError::Unsupported("the kernel does not let its tracepoint be used")
                }
            };
            point.users.iter().for_each(|user| refuse(&user.probe, why));
        }
    }

    /// Removes these probes from their tracepoints.
    pub(crate) fn leave(&mut self, leaves: impl Fn(&Probe) -> bool) {
        for point in &mut self.points {
            point.users.retain(|u| !leaves(&u.probe));
            if let Some(at) = point.at.as_mut().filter(|_| point.users.is_empty()) {
                at.detach();
            }
        }
        // Without memory the old table stays. Its entries lead to probes that nobody has enabled.
        let _ = self.publish();
    }

    fn publish(&self) -> Result {
        if self.points.iter().all(|p| p.users.is_empty()) {
            drop(TABLE.swap(None));
            return Ok(());
        }
        let mut table = mem::vec(self.points.len())?;
        for point in &self.points {
            let mut users = KVVec::new();
            mem::extend(&mut users, &point.users)?;
            mem::push(&mut table, users)?;
        }
        drop(TABLE.swap(Some(mem::boxed(Table(table))?)));
        Ok(())
    }
}
