// SPDX-License-Identifier: GPL-2.0
//! Reads and writes the variables of a program in one firing.
//!
//! A variable by value is a word in the memory of its scope. A variable by reference has an
//! address: in the memory of its scope or, for a thread's variable, of an element of the dynamic
//! variable space, because it can be freed. A struct or an array that was never set is all zeros. A
//! thread's one takes no memory then: its address, in the region `UNSET`, contains the number of
//! the variable, and only a write there makes the element.

use crate::env::{ill_op, of_bytes, ProbeEnv, ELEMENTS, GLOBALS, LOCALS, UNSET};
use buffers::elements::{self, Owner, Part, Value};
use core::sync::atomic::Ordering::Relaxed;
use dif::bound::price;
use dif::{addr, Env, Key, Raised, Scope, Var};
use plan::vars::Slot;

/// The width of the byte offset in an address in [`UNSET`]; the bits above it are the variable's
/// number.
const BYTE_BITS: u32 = 32;
/// The price of a part of the work when memory is gathered for an element.
const GATHER: u32 = 64;

/// Returns the price of setting an element again.
fn again(keys: &[Key<'_>], value: Value<'_>) -> u32 {
    let bytes = |key: &Key<'_>| if let Key::Bytes(bytes) = key { bytes.len() } else { 0 };
    let keys = of_bytes(keys.iter().map(bytes).sum()).saturating_mul(price::KEY);
    let value = match value {
        Value::Word(_) => 0,
        Value::Bytes(bytes) => of_bytes(bytes.len()).saturating_mul(price::WHOLE),
        Value::Zeros(n) => of_bytes(n).saturating_mul(2),
    };
    price::ELEMENT.saturating_add(keys).saturating_add(value)
}

fn parts<'k>(keys: &'k [Key<'k>]) -> impl Iterator<Item = Part<'k>> + Clone {
    keys.iter().map(|key| match key {
        Key::Value(v) => Part::Value(*v),
        Key::Bytes(bytes) => Part::Bytes(bytes),
    })
}

impl ProbeEnv<'_> {
    #[inline(always)]
    pub(crate) fn slot(&self, var: &Var) -> Result<&Slot, Raised> {
        self.ecb.shared.vars.get(var.scope, var.id).ok_or(ill_op())
    }

    /// Returns the word of a local variable.
    #[inline(always)]
    pub(crate) fn local(&mut self, at: usize) -> Result<&mut u64, Raised> {
        self.locals.get_mut(at).ok_or(ill_op())
    }

    /// Returns a thread's variable by value.
    #[inline(never)]
    pub(crate) fn threads(&self, var: &Var) -> u64 {
        self.ecb.shared.dynvars.get(self.firing.thread(), var.id)
    }

    #[inline(never)]
    pub(crate) fn set_threads(&mut self, var: &Var, value: u64) {
        if var.ty.is_by_ref() {
            return self.set_element(var, &[], Value::Word(0));
        }
        let shared = &self.ecb.shared;
        if !shared.dynvars.set(self.firing.thread(), var.id, value) {
            shared.counters.dyndrops.fetch_add(1, Relaxed);
        }
    }

    /// Returns the address of the bytes after word `at` of a region.
    fn behind(region: u8, at: usize) -> u64 {
        addr::make(region, at.wrapping_add(1).wrapping_mul(8) as u64)
    }

    /// Returns the address of the contents of a variable by reference.
    #[inline(never)]
    pub(crate) fn by_ref(&mut self, var: &Var) -> Result<u64, Raised> {
        let is_string = var.ty.is_string();
        let at = match var.scope {
            Scope::Thread => {
                self.spend(price::ELEMENT)?;
                let at = self.element_address(var, &[]);
                let unset = at == 0 && !is_string;
                return Ok(if unset {
                    addr::make(UNSET, u64::from(var.id) << BYTE_BITS)
                } else {
                    at
                });
            }
            _ => self.slot(var)?.at,
        };
        if var.scope == Scope::Global {
            // Structs and arrays start as zeros. They cannot become NULL like a string, because D
            // cannot assign NULL to them.
            let word = self.ecb.shared.globals.word(at).ok_or(ill_op())?;
            let is_null = is_string && word.load(Relaxed) == 0;
            return Ok(if is_null { 0 } else { Self::behind(GLOBALS, at) });
        }
        if *self.local(at)? == 0 {
            if is_string {
                return Ok(0);
            }
            // CAST: 32 bits.
            self.spend(of_bytes(var.ty.size as usize))?;
            let end = at.wrapping_add(Slot::words(var.ty));
            self.locals.get_mut(at..end).ok_or(ill_op())?.fill(0);
            *self.local(at)? = 1;
        }
        Ok(Self::behind(LOCALS, at))
    }

    /// Marks a global or local variable by reference as set, and returns its address.
    pub(crate) fn marked(&mut self, var: &Var) -> Result<u64, Raised> {
        let at = self.slot(var)?.at;
        match var.scope {
            Scope::Global => {
                self.ecb.shared.globals.word(at).ok_or(ill_op())?.store(1, Relaxed);
                Ok(Self::behind(GLOBALS, at))
            }
            Scope::Local => {
                *self.local(at)? = 1;
                Ok(Self::behind(LOCALS, at))
            }
            Scope::Thread => Err(ill_op()),
        }
    }

    pub(crate) fn owner(&self, var: &Var) -> Owner {
        let thread = if var.scope == Scope::Thread { self.firing.thread() } else { 0 };
        Owner { thread, id: var.id }
    }

    /// Sets an element, or a thread's variable by reference.
    pub(crate) fn set_element(&mut self, var: &Var, keys: &[Key<'_>], value: Value<'_>) {
        let (cpu, owner) = (self.firing.ctx.cpu(), self.owner(var));
        let budget = &mut *self.budget;
        let pay = |is_again| budget.spare(if is_again { again(keys, value) } else { GATHER });
        let dynvars = &self.ecb.shared.dynvars;
        if let Err(drop) = dynvars.set_element(cpu, owner, parts(keys), value, pay) {
            self.count(drop);
        }
    }

    /// Counts a change of an element that was not made, or a value that was not read and counts as
    /// unset.
    fn count(&mut self, drop: elements::Drop) {
        let counters = &self.ecb.shared.counters;
        match drop {
            elements::Drop::Space | elements::Drop::Cut(_) => {
                counters.dyndrops.fetch_add(1, Relaxed);
            }
            elements::Drop::Busy => {
                counters.dyndrops_busy.fetch_add(1, Relaxed);
                self.spend_slice();
            }
        }
    }

    /// Writes into an element. Returns false if a byte is outside of it. A write that was not made
    /// because another CPU holds the element is counted as a drop.
    pub(crate) fn write_element(&mut self, at: u64, bytes: &[u8]) -> bool {
        self.ecb.shared.dynvars.elements().write(at, bytes).unwrap_or_else(|drop| {
            self.count(drop);
            true
        })
    }

    /// Returns the value of an element by value.
    pub(crate) fn element(&mut self, var: &Var, keys: &[Key<'_>]) -> u64 {
        let found = self.ecb.shared.dynvars.elements().get(self.owner(var), parts(keys));
        found.unwrap_or_else(|drop| {
            self.count(drop);
            0
        })
    }

    pub(crate) fn element_address(&mut self, var: &Var, keys: &[Key<'_>]) -> u64 {
        let found = self.ecb.shared.dynvars.elements().address(self.owner(var), parts(keys));
        let found = found.unwrap_or_else(|drop| {
            self.count(drop);
            None
        });
        found.map_or(0, |at| addr::make(ELEMENTS, at))
    }

    /// Reads from an element. Returns false if the address cannot be one of an element.
    pub(crate) fn read_element(&mut self, at: u64, into: &mut [u8]) -> bool {
        self.ecb.shared.dynvars.elements().read(at, into).unwrap_or_else(|drop| {
            self.count(drop);
            true
        })
    }

    /// Returns the thread's variable for an offset in [`UNSET`], and the byte in it, if `len` bytes
    /// from there are inside.
    fn unset(&self, offset: u64, len: usize) -> Option<(Var, u64)> {
        let (id, byte) = ((offset >> BYTE_BITS) as u16, offset & ((1 << BYTE_BITS) - 1));
        let ty = self.ecb.shared.vars.get(Scope::Thread, id)?.ty;
        // CAST: usize has 64 bits.
        let inside = ty.is_by_ref() && byte.checked_add(len as u64)? <= ty.size.into();
        inside.then_some((Var { scope: Scope::Thread, id, ty }, byte))
    }

    /// Reads the variable, which may have been set since its address was taken.
    pub(crate) fn read_unset(&mut self, offset: u64, into: &mut [u8]) -> bool {
        let Some((var, byte)) = self.unset(offset, into.len()) else { return false };
        match addr::split(self.element_address(&var, &[])) {
            Some((_, at)) => self.read_element(at.wrapping_add(byte), into),
            None => {
                into.fill(0);
                true
            }
        }
    }

    /// Copies a string and returns its length. `None`: the variable ends before the NUL.
    pub(crate) fn read_unset_text(&mut self, offset: u64, into: &mut [u8]) -> Option<usize> {
        let (var, byte) = self.unset(offset, 0)?;
        // CAST: 32 bits.
        let inside = u64::from(var.ty.size).saturating_sub(byte) as usize;
        let most = into.len();
        let n = inside.min(most);
        let piece = into.get_mut(..n)?;
        if !self.read_unset(offset, piece) {
            return None;
        }
        let len = abi::probe::until_nul(piece).len();
        (len < n || n == most).then_some(len)
    }

    /// Makes the element and writes to it. Without room, nothing is written, which is counted as a
    /// drop.
    pub(crate) fn write_unset(&mut self, offset: u64, bytes: &[u8]) -> Result<bool, Raised> {
        let Some((var, byte)) = self.unset(offset, bytes.len()) else { return Ok(false) };
        self.spend(price::ELEMENT)?;
        let mut at = self.element_address(&var, &[]);
        if at == 0 {
            // CAST: 32 bits.
            let size = var.ty.size as usize;
            self.set_element(&var, &[], Value::Zeros(size));
            at = self.element_address(&var, &[]);
            if at != 0 {
                // Each word is written by itself: 64 KiB take 60,000 instructions.
                self.budget.owe(of_bytes(size).saturating_mul(2));
            }
        }
        Ok(match addr::split(at) {
            Some((_, at)) => self.write_element(at.wrapping_add(byte), bytes),
            None => true,
        })
    }
}
