// SPDX-License-Identifier: GPL-2.0
//! The variables of a consumer: those that its DIF objects declare, and the place of each.
//!
//! All objects of a consumer must agree on a variable. The table is built while they arrive and
//! fixed at GO. A variable's id is an index into it: one bounds check and one load.

use crate::{Error, Result};
use abi::dif::VAR_USER_BASE;
use abi::difo::{DifType, DifVar, SCOPE_LOCAL, SCOPE_THREAD, VAR_ARRAY};
use dif::Scope;
use mem::{accounted, KVVec};

/// The most variables of one scope.
pub const MAX_VARS: usize = 4096;

/// A declared variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// Its type.
    pub ty: DifType,
    /// The first word of its place in the scope's memory. For a variable by reference, word 0 tells
    /// whether it is set, and the bytes follow.
    pub at: usize,
}

impl Slot {
    /// Returns the words that a variable of this type needs.
    pub fn words(ty: DifType) -> usize {
        if ty.is_by_ref() {
            (ty.size as usize).div_ceil(8).saturating_add(1)
        } else {
            1
        }
    }
}

/// Variables of one scope, by id.
#[derive(Default)]
pub struct ScopeVars {
    slots: KVVec<Option<Slot>>,
    words: usize,
    /// The bytes of the largest variable by reference.
    largest: usize,
    scalars: usize,
}

impl ScopeVars {
    /// Creates a scope without variables.
    pub const fn new() -> Self {
        Self { slots: KVVec::new(), words: 0, largest: 0, scalars: 0 }
    }

    fn copy(&self) -> Result<Self> {
        let mut slots = accounted::vec(self.slots.len())?;
        accounted::extend(&mut slots, &self.slots)?;
        let Self { words, largest, scalars, .. } = *self;
        Ok(Self { slots, words, largest, scalars })
    }

    /// Returns the variable with this id.
    #[inline]
    pub fn get(&self, id: u16) -> Option<&Slot> {
        self.slots.get(usize::from(id.checked_sub(VAR_USER_BASE)?))?.as_ref()
    }

    /// Returns the words that all of them need.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the bytes of the largest variable by reference.
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// Tells whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Tells whether there are variables by value.
    pub fn has_scalars(&self) -> bool {
        self.scalars > 0
    }

    /// Returns the number of variables by value.
    pub fn count_scalars(&self) -> usize {
        self.scalars
    }

    /// Tells whether there are variables by reference.
    pub fn has_by_ref(&self) -> bool {
        self.largest > 0
    }

    /// Returns the ids of the variables by value.
    pub fn scalars(&self) -> impl Iterator<Item = u16> + '_ {
        let slots = self.slots.iter().zip(VAR_USER_BASE..);
        slots.filter_map(|(slot, id)| slot.is_some_and(|s| !s.ty.is_by_ref()).then_some(id))
    }

    fn declare(&mut self, id: u32, ty: DifType) -> Result {
        // A verified row has a 16-bit id at or above the base.
        let index = id.wrapping_sub(u32::from(VAR_USER_BASE)) as usize;
        if index >= MAX_VARS {
            return Err(Error::TooMany("variables"));
        }
        while self.slots.len() <= index {
            accounted::push(&mut self.slots, None)?;
        }
        let slot = self.slots.get_mut(index).ok_or(Error::Memory)?;
        match slot {
            Some(old) if old.ty == ty => Ok(()),
            Some(_) => Err(Error::Variable(id)),
            None => {
                *slot = Some(Slot { ty, at: self.words });
                let n = Slot::words(ty);
                self.words = self.words.saturating_add(n);
                match ty.is_by_ref() {
                    true => self.largest = self.largest.max(ty.size as usize),
                    false => self.scalars = self.scalars.saturating_add(1),
                }
                Ok(())
            }
        }
    }
}

/// The variables of all scopes. For associative arrays, it only has the types.
#[derive(Default)]
pub struct Vars {
    /// Global variables.
    pub global: ScopeVars,
    /// `self->` variables.
    pub thread: ScopeVars,
    /// `this->` variables.
    pub local: ScopeVars,
    /// Associative arrays.
    pub global_arrays: ScopeVars,
    /// Associative arrays of each thread.
    pub thread_arrays: ScopeVars,
    /// Whether an object reads `vtimestamp`.
    pub vtimestamp: bool,
}

impl Vars {
    /// Creates a table without variables.
    pub const fn new() -> Self {
        const NONE: ScopeVars = ScopeVars::new();
        Self {
            global: NONE,
            thread: NONE,
            local: NONE,
            global_arrays: NONE,
            thread_arrays: NONE,
            vtimestamp: false,
        }
    }

    /// Allocates a copy.
    pub fn copy(&self) -> Result<Self> {
        Ok(Self {
            global: self.global.copy()?,
            thread: self.thread.copy()?,
            local: self.local.copy()?,
            global_arrays: self.global_arrays.copy()?,
            thread_arrays: self.thread_arrays.copy()?,
            vtimestamp: self.vtimestamp,
        })
    }

    /// Tells whether anything needs elements of the dynamic variable space.
    pub fn has_elements(&self) -> bool {
        self.thread.has_by_ref() || !self.global_arrays.is_empty() || !self.thread_arrays.is_empty()
    }

    /// Tells whether there is data for each thread.
    pub fn has_threads(&self) -> bool {
        !self.thread.is_empty() || !self.thread_arrays.is_empty() || self.vtimestamp
    }

    /// Returns the bytes of the largest variable or element by reference.
    pub fn largest(&self) -> usize {
        let all =
            [&self.global, &self.thread, &self.local, &self.global_arrays, &self.thread_arrays];
        all.into_iter().map(ScopeVars::largest).max().unwrap_or(0)
    }

    /// Adds the variable table of a verified object.
    pub fn declare(&mut self, rows: &[DifVar]) -> Result {
        for row in rows {
            if row.id < u32::from(VAR_USER_BASE) {
                continue;
            }
            let (scope, other) = match (row.scope, row.kind) {
                (SCOPE_THREAD, VAR_ARRAY) => (&mut self.thread_arrays, Some(&self.thread)),
                (SCOPE_THREAD, _) => (&mut self.thread, Some(&self.thread_arrays)),
                (SCOPE_LOCAL, _) => (&mut self.local, None),
                (_, VAR_ARRAY) => (&mut self.global_arrays, Some(&self.global)),
                _ => (&mut self.global, Some(&self.global_arrays)),
            };
            // CAST: a verified id has 16 bits.
            if other.is_some_and(|other| other.get(row.id as u16).is_some()) {
                return Err(Error::Variable(row.id));
            }
            scope.declare(row.id, row.ty)?;
        }
        Ok(())
    }

    /// Returns a variable by its scope and id.
    #[inline]
    pub fn get(&self, scope: Scope, id: u16) -> Option<&Slot> {
        match scope {
            Scope::Global => self.global.get(id),
            Scope::Thread => self.thread.get(id),
            Scope::Local => self.local.get(id),
        }
    }
}
