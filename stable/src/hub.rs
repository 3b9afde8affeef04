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
    probe: Arc<Probe>,
    /// The number of the row; of a tracepoint's own probe none.
    row: Option<u16>,
}

struct Point {
    name: &'static [u8],
    at: Tracepoint,
    attached: Option<Attached>,
    users: KVVec<User>,
}

/// All tracepoints, and who wants which.
pub(crate) struct State {
    points: KVVec<Point>,
}

/// What firing tracepoints look into: by their positions, who wants them.
struct Table(KVVec<KVVec<User>>);

static TABLE: Published<Table> = Published::empty();

/// # Context
/// *any*: wherever the tracepoint is.
fn hit(number: u64, passed: Passed<'_>) {
    context::enter(|ctx| {
        let Some(table) = TABLE.load(ctx) else { return };
        for user in table.0.get(number as usize).into_iter().flatten() {
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
                let users = KVVec::new();
                result = mem::push(&mut points, Point { name, at, attached: None, users });
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
            if point.users.is_empty() || point.attached.is_some() {
                continue;
            }
            let why = match point.at.attach(n as u64) {
                Ok(attached) => {
                    point.attached = Some(attached);
                    continue;
                }
                Err(e) if e == ENOMEM => EnableError::Memory,
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
            if point.users.is_empty() {
                point.attached = None;
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
