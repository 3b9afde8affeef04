// SPDX-License-Identifier: GPL-2.0
//! Tracepoints that are attached to, and whom they lead to. One that several probes want is attached to
//! once. What it calls us with is its position, so a call that comes late finds nobody.

use crate::event::{self, Field, Machine};
use crate::table::{Row, ROWS};
use framework::{fire, Args, EnableError, Probe};
use kapi::publish::Published;
use kapi::tracepoint::{self, Attached, Passed, Tracepoint};
use kapi::{context, field, mem, task, ProbeCtx};
use kernel::prelude::*;
use kernel::sync::Arc;

/// Who wants a tracepoint.
#[derive(Clone)]
struct User {
    /// The position of the tracepoint.
    point: usize,
    probe: Arc<Probe>,
    /// The number of the row; of a tracepoint's own probe none.
    row: Option<u16>,
}

struct Point {
    name: &'static [u8],
    at: Tracepoint,
    attached: Option<Attached>,
}

/// All tracepoints, and who wants which.
pub(crate) struct State {
    points: KVVec<Point>,
    users: KVVec<User>,
}

/// What firing tracepoints look into: users in the order of their tracepoints, and where those of each
/// begin.
struct Table {
    first: KVVec<usize>,
    users: KVVec<User>,
}

static TABLE: Published<Table> = Published::empty();

/// # Context
/// *any*: wherever the tracepoint is.
fn hit(number: u64, passed: Passed<'_>) {
    context::enter(|ctx| {
        let Some(table) = TABLE.load(ctx) else { return };
        for user in table.of(number as usize) {
            let args = Args::passed_on(passed.registers, passed.stack);
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
pub(crate) fn happens(ctx: &ProbeCtx, row: u16, probe: &Probe, args: Args<'_>) {
    let Some(row) = ROWS.get(usize::from(row)) else { return };
    let Row { when, each, values, .. } = *row;
    let fire = &mut |values: &[u64]| fire(ctx, probe, Args::values(values));
    event::run(when, each, values, &Here { ctx, args }, fire);
}

/// This machine, where the event happens.
struct Here<'a> {
    ctx: &'a ProbeCtx,
    args: Args<'a>,
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
}

impl Table {
    fn of(&self, point: usize) -> &[User] {
        let from = self.first.get(point).copied();
        let to = self.first.get(point.wrapping_add(1)).copied();
        match (from, to) {
            (Some(from), Some(to)) => self.users.get(from..to).unwrap_or_default(),
            _ => &[],
        }
    }

    fn new(points: usize, users: &[User]) -> Result<Self> {
        let mut first: KVVec<usize> = mem::vec(points.saturating_add(1))?;
        let mut ordered: KVVec<User> = mem::vec(users.len())?;
        // How many each has; then where they begin.
        for _ in 0..=points {
            mem::push(&mut first, 0)?;
        }
        for user in users {
            if let Some(n) = first.get_mut(user.point.wrapping_add(1)) {
                *n = n.wrapping_add(1);
            }
        }
        let mut sum = 0usize;
        for n in first.iter_mut() {
            sum = sum.wrapping_add(*n);
            *n = sum;
        }
        let mut next: KVVec<usize> = mem::exact_copy(&first)?;
        let mut order: KVVec<usize> = mem::vec(users.len())?;
        for _ in users {
            mem::push(&mut order, 0)?;
        }
        for (i, user) in users.iter().enumerate() {
            let Some(at) = next.get_mut(user.point) else { continue };
            if let Some(place) = order.get_mut(*at) {
                *place = i;
            }
            *at = at.wrapping_add(1);
        }
        for user in order.iter().filter_map(|i| users.get(*i)) {
            mem::push(&mut ordered, user.clone())?;
        }
        Ok(Self { first, users: ordered })
    }
}

impl State {
    pub(crate) const fn new() -> Self {
        Self { points: KVVec::new(), users: KVVec::new() }
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
                result = mem::push(&mut points, Point { name, at, attached: None });
            }
        });
        result.map(|()| self.points = points)
    }

    /// Their names, by position.
    pub(crate) fn names(&self) -> impl ExactSizeIterator<Item = &'static [u8]> + '_ {
        self.points.iter().map(|p| p.name)
    }

    /// The position of a tracepoint.
    pub(crate) fn position(&self, name: &[u8]) -> Option<usize> {
        self.points.iter().position(|p| p.name == name)
    }

    /// The probe shall fire where the tracepoint is. Not before [`Self::attach`].
    pub(crate) fn want(&mut self, point: usize, probe: &Arc<Probe>, row: Option<u16>) -> Result {
        mem::push(&mut self.users, User { point, probe: probe.clone(), row })
    }

    /// Makes it so for all who want it. `refuse` is called for each probe that cannot have its tracepoint.
    pub(crate) fn attach(&mut self, refuse: &mut dyn FnMut(&Probe, EnableError)) {
        // First the table: who calls must be found in there.
        if self.publish().is_err() {
            self.users.iter().for_each(|u| refuse(&u.probe, EnableError::Memory));
            return;
        }
        for user in &self.users {
            let Some(point) = self.points.get_mut(user.point) else { continue };
            if point.attached.is_some() {
                continue;
            }
            match point.at.attach(user.point as u64) {
                Ok(attached) => point.attached = Some(attached),
                Err(e) if e == ENOMEM => refuse(&user.probe, EnableError::Memory),
                Err(_) => {
                    let why = "the kernel does not let its tracepoint be used";
                    refuse(&user.probe, EnableError::Unsupported(why));
                }
            }
        }
    }

    /// These fire no more.
    pub(crate) fn leave(&mut self, leaves: impl Fn(&Probe) -> bool) {
        self.users.retain(|u| !leaves(&u.probe));
        let attached = self.points.iter_mut().enumerate().filter(|(_, p)| p.attached.is_some());
        for (n, point) in attached {
            if !self.users.iter().any(|u| u.point == n) {
                point.attached = None;
            }
        }
        // Without memory the old one stays, whose users lead to probes that nobody has enabled.
        let _ = self.publish();
    }

    fn publish(&self) -> Result {
        let table = match self.users.is_empty() {
            true => None,
            false => Some(mem::boxed(Table::new(self.points.len(), &self.users)?)?),
        };
        drop(TABLE.swap(table));
        Ok(())
    }
}
