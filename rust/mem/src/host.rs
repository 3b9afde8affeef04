// SPDX-License-Identifier: GPL-2.0
//! Memory whose allocation can fail, on the host: the interface of `lib.rs`, made of the standard
//! library.
//!
//! [`fail_after`] lets requests fail, so a test can check what a refusal leaves behind.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use std::cell::Cell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicU64;

pub use std::boxed::Box as KBox;
pub use std::sync::Arc;

/// An errno of the kernel, which is negative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Errno(i32);

impl Errno {
    /// Returns its number.
    pub fn to_errno(self) -> i32 {
        self.0
    }
}

/// There was no memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AllocError;

impl From<AllocError> for Errno {
    fn from(_: AllocError) -> Self {
        code::ENOMEM
    }
}

/// The numbers that our crates use.
#[allow(missing_docs, reason = "errno(3) describes them")]
pub mod code {
    use super::Errno;

    pub const EPERM: Errno = Errno(-1);
    pub const ENOENT: Errno = Errno(-2);
    pub const E2BIG: Errno = Errno(-7);
    pub const ENOMEM: Errno = Errno(-12);
    pub const EACCES: Errno = Errno(-13);
    pub const EBUSY: Errno = Errno(-16);
    pub const ENODEV: Errno = Errno(-19);
    pub const EINVAL: Errno = Errno(-22);
    pub const ENOSPC: Errno = Errno(-28);
    pub const ENOTSUPP: Errno = Errno(-524);
}

/// The result of a function that may find no memory.
pub type Result<T = ()> = std::result::Result<T, Errno>;

thread_local! {
    static REQUESTS_LEFT: Cell<u64> = const { Cell::new(u64::MAX) };
}

/// Lets `n` more requests of this thread succeed and then all fail; with `None`, none fails.
pub fn fail_after(n: Option<u64>) {
    REQUESTS_LEFT.set(n.unwrap_or(u64::MAX));
}

fn ask() -> Result {
    match REQUESTS_LEFT.get() {
        u64::MAX => Ok(()),
        0 => Err(code::ENOMEM),
        n => {
            REQUESTS_LEFT.set(n - 1);
            Ok(())
        }
    }
}

/// A vector that only grows where that can fail.
#[derive(Debug)]
pub struct KVec<T>(Vec<T>);

/// The kernel has two kinds of vectors, which differ in where large ones are.
pub type KVVec<T> = KVec<T>;

/// There is no room for a value.
#[derive(Debug)]
pub struct PushError<T>(pub T);

/// There is no value at this index.
#[derive(Debug)]
pub struct RemoveError;

impl<T> KVec<T> {
    /// Creates an empty vector without memory.
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Returns how many values fit without more memory.
    pub fn capacity(&self) -> usize {
        self.0.capacity()
    }

    /// Appends a value if there is room.
    pub fn push_within_capacity(&mut self, value: T) -> std::result::Result<(), PushError<T>> {
        if self.0.len() == self.0.capacity() {
            return Err(PushError(value));
        }
        self.0.push(value);
        Ok(())
    }

    /// Returns the last value and removes it.
    pub fn pop(&mut self) -> Option<T> {
        self.0.pop()
    }

    /// Returns the value at an index and removes it.
    pub fn remove(&mut self, at: usize) -> std::result::Result<T, RemoveError> {
        if at < self.0.len() {
            return Ok(self.0.remove(at));
        }
        Err(RemoveError)
    }

    /// Removes all values from this index on.
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }

    /// Keeps the values for which `keep` returns true.
    pub fn retain(&mut self, keep: impl FnMut(&mut T) -> bool) {
        self.0.retain_mut(keep);
    }

    /// Returns the values.
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }
}

impl<T> Default for KVec<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for KVec<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> DerefMut for KVec<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<'a, T> IntoIterator for &'a KVec<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut KVec<T> {
    type Item = &'a mut T;
    type IntoIter = std::slice::IterMut<'a, T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.iter_mut()
    }
}

impl<T> IntoIterator for KVec<T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Allocates a box for `value`.
pub fn boxed<T>(value: T) -> Result<KBox<T>> {
    ask()?;
    Ok(Box::new(value))
}

/// Allocates a reference-counted `value`.
pub fn arc<T>(value: T) -> Result<Arc<T>> {
    ask()?;
    Ok(Arc::new(value))
}

/// Allocates an empty vector with room for `n`.
pub fn vec<T>(n: usize) -> Result<KVec<T>> {
    let mut made = KVec::new();
    reserve(&mut made, n)?;
    Ok(made)
}

/// Works like [`vec()`]; in the kernel, it allocates hardly more than that.
pub fn exact<T>(n: usize) -> Result<KVec<T>> {
    vec(n)
}

/// Makes room for `n` more values.
pub fn reserve<T>(to: &mut KVec<T>, n: usize) -> Result {
    ask()?;
    to.0.try_reserve(n).map_err(|_| code::ENOMEM)
}

/// Appends `value`.
pub fn push<T>(to: &mut KVec<T>, value: T) -> Result {
    reserve(to, 1)?;
    to.0.push(value);
    Ok(())
}

/// Appends copies of `values`.
pub fn extend<T: Clone>(to: &mut KVec<T>, values: &[T]) -> Result {
    reserve(to, values.len())?;
    to.0.extend_from_slice(values);
    Ok(())
}

/// Allocations that the kernel charges to the caller's cgroup.
pub mod accounted {
    pub use super::{arc, boxed, extend, push, vec};
}

/// Allocates `n` copies of a value.
pub fn filled<T: Clone>(n: usize, value: T) -> Result<KVec<T>> {
    let mut all = exact(n)?;
    all.0.resize(n, value);
    Ok(all)
}

/// Allocates a copy.
pub fn exact_copy<T: Copy>(of: &[T]) -> Result<KVec<T>> {
    let mut copy = KVec::new();
    extend(&mut copy, of)?;
    Ok(copy)
}

fn zeroed<T: Default>(n: usize) -> Result<KVec<T>> {
    let mut made = vec(n)?;
    made.0.resize_with(n, T::default);
    Ok(made)
}

/// Allocates `n` zeroed bytes.
pub fn zeroed_bytes(n: usize) -> Result<KVec<u8>> {
    zeroed(n)
}

/// Allocates `n` zeroed words.
pub fn zeroed_words(n: usize) -> Result<KVec<u64>> {
    zeroed(n)
}

/// Allocates `n` zeroed counters.
pub fn zeroed_atomics(n: usize) -> Result<KVec<AtomicU64>> {
    zeroed(n)
}
