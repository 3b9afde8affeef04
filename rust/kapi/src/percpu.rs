// SPDX-License-Identifier: GPL-2.0
//! One `T` for each CPU, which belongs to whoever serves a probe there.

use crate::context::{cpus, ProbeCtx};
use kernel::alloc::KVVec;
use kernel::prelude::*;

/// A slot of its own cache lines, so that CPUs do not disturb each other.
#[repr(align(64))]
struct Slot<T>(T);

/// One `T` per CPU number.
///
/// `T` may be full of `Cell`s: at any time one context at most has the evidence to reach a slot.
pub struct PerCpu<T: Send> {
    slots: KVVec<Slot<T>>,
}

// SAFETY: through a shared reference a slot can be reached by `get` only, which needs the
// `ProbeCtx` of its CPU: one exists at a time, and `T: Send` lets the slot's user change from one
// to the next.
unsafe impl<T: Send> Sync for PerCpu<T> {}

impl<T: Send> PerCpu<T> {
    /// Asks `init` for each CPU's value, in order.
    ///
    /// # Context
    ///
    /// *process*
    pub fn new(mut init: impl FnMut(usize) -> Result<T>) -> Result<Self> {
        let mut slots = crate::mem::vec(cpus())?;
        for cpu in 0..cpus() {
            crate::mem::push(&mut slots, Slot(init(cpu)?))?;
        }
        Ok(Self { slots })
    }

    /// The slot of the CPU that `ctx` speaks for.
    ///
    /// # Context
    ///
    /// *probe*
    #[inline]
    pub fn get<'c>(&'c self, ctx: &'c ProbeCtx) -> &'c T {
        // PANIC: `new` made a slot for each number below `cpus()`, and `ctx` has no other.
        &self.slots[ctx.cpu()].0
    }

    /// All slots, for who owns them all.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.slots.iter_mut().map(|slot| &mut slot.0)
    }

    /// How many slots there are.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Never: there is a CPU that asks.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }
}
