// SPDX-License-Identifier: GPL-2.0
//! The variables of a consumer: what its DIF objects declare, and where each lives.
//!
//! All objects of a consumer must agree on a variable; the table is built while they arrive and
//! fixed at GO. A variable's place is found by its id: one bounds check and one load.

use crate::{Error, Result};
use abi::dif::VAR_USER_BASE;
use abi::difo::{DifType, DifVar, SCOPE_LOCAL, SCOPE_THREAD, VAR_SCALAR};
use dif::Scope;
use kapi::mem;
use kernel::prelude::*;

/// Most variables of one scope.
const MAX_VARS: usize = 4096;

/// A declared variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    /// What it holds.
    pub(crate) ty: DifType,
    /// First word of its place in the scope's memory. By reference: word 0 tells whether it is
    /// set, the bytes follow.
    pub(crate) at: usize,
}

impl Slot {
    fn words(ty: DifType) -> usize {
        if ty.is_by_ref() {
            (ty.size as usize).div_ceil(8).saturating_add(1)
        } else {
            1
        }
    }
}

/// Variables of one scope, by id.
#[derive(Default)]
pub(crate) struct ScopeVars {
    slots: KVVec<Option<Slot>>,
    words: usize,
    /// Words of the largest.
    largest: usize,
}

impl ScopeVars {
    pub(crate) const fn new() -> Self {
        Self { slots: KVVec::new(), words: 0, largest: 0 }
    }

    fn copy(&self) -> Result<Self> {
        let mut slots = mem::vec(self.slots.len())?;
        mem::extend(&mut slots, &self.slots)?;
        Ok(Self { slots, words: self.words, largest: self.largest })
    }

    /// The variable of this id.
    #[inline]
    pub(crate) fn get(&self, id: u16) -> Option<&Slot> {
        self.slots.get(usize::from(id.checked_sub(VAR_USER_BASE)?))?.as_ref()
    }

    /// Words that all of them need.
    pub(crate) fn words(&self) -> usize {
        self.words
    }

    /// Words that the largest of them needs.
    pub(crate) fn largest(&self) -> usize {
        self.largest
    }

    fn declare(&mut self, id: u32, ty: DifType) -> Result {
        // A verified row has a 16-bit id at or above the base.
        let index = id.wrapping_sub(u32::from(VAR_USER_BASE)) as usize;
        if index >= MAX_VARS {
            return Err(Error::TooMany("variables"));
        }
        while self.slots.len() <= index {
            mem::push(&mut self.slots, None)?;
        }
        let slot = self.slots.get_mut(index).ok_or(Error::Memory)?;
        match slot {
            Some(old) if old.ty == ty => Ok(()),
            Some(_) => Err(Error::Variable(id)),
            None => {
                *slot = Some(Slot { ty, at: self.words });
                let n = Slot::words(ty);
                self.words = self.words.saturating_add(n);
                self.largest = self.largest.max(n);
                Ok(())
            }
        }
    }
}

/// Variables of all scopes.
#[derive(Default)]
pub(crate) struct Vars {
    pub(crate) global: ScopeVars,
    pub(crate) thread: ScopeVars,
    pub(crate) local: ScopeVars,
}

impl Vars {
    pub(crate) const fn new() -> Self {
        Self { global: ScopeVars::new(), thread: ScopeVars::new(), local: ScopeVars::new() }
    }

    pub(crate) fn copy(&self) -> Result<Self> {
        Ok(Self {
            global: self.global.copy()?,
            thread: self.thread.copy()?,
            local: self.local.copy()?,
        })
    }

    /// Adds the variable table of a verified object. Associative arrays have no slot: the machine
    /// raises a fault for them.
    pub(crate) fn declare(&mut self, rows: &[DifVar]) -> Result {
        for row in rows {
            if row.kind != VAR_SCALAR || row.id < u32::from(VAR_USER_BASE) {
                continue;
            }
            let scope = match row.scope {
                SCOPE_THREAD => &mut self.thread,
                SCOPE_LOCAL => &mut self.local,
                _ => &mut self.global,
            };
            scope.declare(row.id, row.ty)?;
        }
        Ok(())
    }

    #[inline]
    pub(crate) fn get(&self, scope: Scope, id: u16) -> Option<&Slot> {
        match scope {
            Scope::Global => self.global.get(id),
            Scope::Thread => self.thread.get(id),
            Scope::Local => self.local.get(id),
        }
    }
}
