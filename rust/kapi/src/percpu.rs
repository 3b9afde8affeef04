// SPDX-License-Identifier: GPL-2.0
//! One `T` for each CPU, which belongs to the code that serves a probe there.

use crate::context::{cpus, ProbeCtx};
use kernel::alloc::KVVec;
use kernel::prelude::*;

/// A slot with its own cache lines, so that CPUs do not disturb each other.
#[repr(align(64))]
struct Slot<T>(T);

/// One `T` per CPU number.
///
/// `T` may contain `Cell`s, because at any time at most one context has the evidence to reach a
/// slot.
pub struct PerCpu<T: Send> {
    slots: KVVec<Slot<T>>,
}

// SAFETY: through a shared reference, only `get` reaches a slot. It needs the `ProbeCtx` of the
// slot's CPU: only one exists at a time, and `T: Send` lets the slot pass from one user to the
// next.
unsafe impl<T: Send> Sync for PerCpu<T> {}

/// Creates the slots; `init` returns each CPU's value, in order.
///
/// # Context
///
/// *process*
pub fn new<T: Send>(mut init: impl FnMut(usize) -> Result<T>) -> Result<PerCpu<T>> {
    let mut slots = crate::mem::vec(cpus())?;
    for cpu in 0..cpus() {
        crate::mem::push(&mut slots, Slot(init(cpu)?))?;
    }
    Ok(PerCpu { slots })
}

impl<T: Send> PerCpu<T> {
    /// Returns the slot of the CPU of `ctx`.
    ///
    /// # Context
    ///
    /// *probe*
    #[inline]
    pub fn get<'c>(&'c self, ctx: &'c ProbeCtx) -> &'c T {
        // PANIC: `new` made a slot for each number below `cpus()`, and `ctx` has no other.
        &self.slots[ctx.cpu()].0
    }

    /// Iterates over all slots; only their owner can.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().map(|slot| &mut slot.0)
    }

    /// Returns the number of slots.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Always false: at least this CPU has a slot.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}
