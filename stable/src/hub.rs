// SPDX-License-Identifier: GPL-2.0
//! Tracepoints that are attached to, and whom they lead to. One that several probes want is attached to
//! once. What it calls us with is its position, so a call that comes late finds nobody.

use crate::event::{self, Field, Machine, Taken};
use crate::pending::{key_of, Set, SETS};
use crate::table::{Row, ROWS};
use framework::{fire, Args, EnableError, Packed, Probe};
use kapi::publish::{Published, Replace};
use kapi::tracepoint::{self, Passed, Tracepoint};
use kapi::{context, field, mem, task, time, ProbeCtx};
use kernel::prelude::*;
use kernel::sync::Arc;

/// Who wants a tracepoint.
#[derive(Clone)]
struct User {
    probe: Arc<Probe>,
    /// The number of the row; of a tracepoint's own probe none.
    row: Option<u16>,
}

/// Whose a tracepoint is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// The kernel proper, which calls it this.
    Kernel(&'static [u8]),
    /// The module of this id.
    Module(u64),
    /// Nobody's: the place is free.
    None,
}

struct Point {
    owner: Owner,
    /// None: it has gone.
    at: Option<Tracepoint>,
    users: KVVec<User>,
}

/// All tracepoints, and who wants which.
pub(crate) struct State {
    points: KVVec<Point>,
}

/// What firing tracepoints look into: by their positions, who wants them.
struct Table(KVVec<KVVec<User>>);

static TABLE: Published<Table> = Published::empty();

/// What threads have begun and not ended; there since somebody first wanted a probe that needs it.
pub(crate) static PENDING: Published<Pending> = Published::empty();

pub(crate) struct Pending(KVVec<Set>);

impl Pending {
    fn new() -> Result<Self> {
        let mut sets = mem::vec(SETS)?;
        for _ in 0..SETS {
            mem::push(&mut sets, Set::default())?;
        }
        Ok(Self(sets))
    }

    fn set(&self, key: u64) -> Option<&Set> {
        // CAST: the upper bits of a product depend on all of the key.
        self.0.get((key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as usize % SETS)
    }
}

/// # Context
/// *any*: wherever the tracepoint is.
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

/// An event of this row.
///
/// # Context
/// *probe*
pub(crate) fn happens(ctx: &ProbeCtx, row: u16, probe: &Probe, args: Packed<'_>) {
    let Some(row) = ROWS.get(usize::from(row)) else { return };
    let Row { when, each, values, .. } = *row;
    let fire = &mut |values: &[u64]| fire(ctx, probe, Args::Values(values));
    event::run(when, each, values, &Here { ctx, args, cookie: probe.cookie() }, fire);
}

/// This machine, where the event happens.
struct Here<'a> {
    ctx: &'a ProbeCtx,
    args: Packed<'a>,
    /// The probe's.
    cookie: u32,
}

impl Here<'_> {
    /// What who runs has begun for this probe is kept here, by this key.
    fn pending(&self) -> Option<(&Set, u64)> {
        let key = key_of(task::thread_key(), self.cookie.into());
        Some((PENDING.load(self.ctx)?.set(key)?, key))
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
        if let Some((set, key)) = self.pending() {
            set.begin(key, what, time::monotonic_ns(), mark);
        }
    }

    fn taken(&self, what: Option<u64>) -> Option<Taken> {
        let (set, key) = self.pending()?;
        let kept = set.end(key, what)?;
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

    /// Finds the tracepoints that there are, if that has not been done.
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

    /// The kernel's, by name and position.
    pub(crate) fn names(&self) -> impl Iterator<Item = (usize, &'static [u8])> + '_ {
        self.points.iter().enumerate().filter_map(|(n, p)| match p.owner {
            Owner::Kernel(name) => Some((n, name)),
            Owner::Module(_) | Owner::None => None,
        })
    }

    /// The position of a tracepoint of the kernel.
    pub(crate) fn position(&self, name: &[u8]) -> Option<usize> {
        self.names().find(|(_, n)| *n == name).map(|(at, _)| at)
    }

    /// One more, of a module; its position.
    pub(crate) fn put(&mut self, module: u64, at: Tracepoint) -> Result<u32> {
        let point = Point::new(Owner::Module(module), at);
        let free = self.points.iter().position(|p| p.owner == Owner::None);
        let n = free.unwrap_or(self.points.len());
        match self.points.get_mut(n) {
            Some(place) => *place = point,
            None => mem::push(&mut self.points, point)?,
        }
        // CAST: there are not so many.
        Ok(n as u32)
    }

    /// A module goes: its tracepoints call no more. Whether one was attached to, so that a call may be under way.
    pub(crate) fn take(&mut self, module: u64) -> bool {
        let mut was_attached = false;
        for point in self.points.iter_mut().filter(|p| p.owner == Owner::Module(module)) {
            was_attached |= point.at.take().is_some_and(|at| at.is_attached());
        }
        was_attached
    }

    /// Their positions are free.
    pub(crate) fn free(&mut self, module: u64) {
        for point in self.points.iter_mut().filter(|p| p.owner == Owner::Module(module)) {
            point.owner = Owner::None;
            point.users = KVVec::new();
        }
        // Without memory the old one stays, whose users lead to probes that have gone.
        let _ = self.publish();
    }

    /// Has what threads begin kept from now on.
    pub(crate) fn pend(&self) -> Result {
        if PENDING.with(|p| p.is_none()) {
            drop(PENDING.swap(Some(mem::boxed(Pending::new()?)?)));
        }
        Ok(())
    }

    /// The probe shall fire where the tracepoint is. Not before [`Self::attach`].
    pub(crate) fn want(&mut self, point: usize, probe: &Arc<Probe>, row: Option<u16>) -> Result {
        let point = self.points.get_mut(point).ok_or(ENOENT)?;
        mem::push(&mut point.users, User { probe: probe.clone(), row })
    }

    /// Makes it so for all who want it. `refuse` is called for each probe that cannot have its tracepoint.
    pub(crate) fn attach(&mut self, refuse: &mut dyn FnMut(&Probe, EnableError)) {
        // First the table: who calls must be found in there.
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

    /// These fire no more.
    pub(crate) fn leave(&mut self, leaves: impl Fn(&Probe) -> bool) {
        for point in &mut self.points {
            point.users.retain(|u| !leaves(&u.probe));
            if let Some(at) = point.at.as_mut().filter(|_| point.users.is_empty()) {
                at.detach();
            }
        }
        // Without memory the old one stays, whose users lead to probes that nobody has enabled.
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
