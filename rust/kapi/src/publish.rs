// SPDX-License-Identifier: GPL-2.0
//! A value that probes read and process context replaces.
//!
//! Probes hold no lock and count no reference; they load a pointer. Probes in progress may still
//! use the old value, so a replaced value is returned as [`Retired`], and freed when all those
//! probes have ended.

use crate::context::ProbeCtx;
use crate::lock::Lock;
use crate::xcall;
use core::marker::PhantomData;
use core::mem;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicPtr, Ordering};
use kernel::prelude::*;

/// A place for a `T`, or for nothing.
///
/// # Invariants
///
/// `at` is null, or it is from `KBox::into_raw` and this value owns it.
pub struct Published<T: Send + Sync> {
    at: AtomicPtr<T>,
    _owns: PhantomData<KBox<T>>,
}

impl<T: Send + Sync> Published<T> {
    /// Creates an empty one.
    pub const fn empty() -> Self {
        // INVARIANT: `at` is null.
        Self { at: AtomicPtr::new(ptr::null_mut()), _owns: PhantomData }
    }

    /// Creates one that contains `value`.
    pub fn new(value: KBox<T>) -> Self {
        // INVARIANT: `at` comes from `KBox::into_raw`, and this value now owns it.
        Self { at: AtomicPtr::new(KBox::into_raw(value)), _owns: PhantomData }
    }

    /// Returns the present value, for the time of this probe.
    ///
    /// # Context
    ///
    /// *probe*
    #[inline]
    pub fn load<'c>(&'c self, _ctx: &'c ProbeCtx) -> Option<&'c T> {
        // SAFETY: a pointer that is not null comes from `KBox::into_raw`, and its value was
        // initialised before it was stored (acquire). The value is freed by `Retired` after
        // `xcall::sync`, which ends after this probe; or by `drop`, which `&self` forbids.
        unsafe { self.at.load(Ordering::Acquire).as_ref() }
    }
}

/// The operations of process context on a [`Published`]. They are a trait so that `nosleep` can
/// show the type to probe context without them.
pub trait Replace<T: Send + Sync> {
    /// Replaces the value by `new` and returns the old one.
    ///
    /// # Context
    ///
    /// *process*
    fn swap(&self, new: Option<KBox<T>>) -> Option<Retired<T>>;

    /// Calls `f` with the present value, which stays in place meanwhile. `f` must not swap anything
    /// and takes no lock: others swap while they hold theirs.
    ///
    /// # Context
    ///
    /// *process*
    fn with<R>(&self, f: impl FnOnce(Option<&T>) -> R) -> R;
}

impl<T: Send + Sync> Replace<T> for Published<T> {
    fn swap(&self, new: Option<KBox<T>>) -> Option<Retired<T>> {
        let new = new.map_or(ptr::null_mut(), KBox::into_raw);
        let _in_place = Lock::Publish.hold();
        // INVARIANT: this value now owns `new`, which is null or from `KBox::into_raw`; the
        // `Retired` gets the old value.
        let old = NonNull::new(self.at.swap(new, Ordering::AcqRel))?;
        // SAFETY: `old` is from `KBox::into_raw`, and the swap made us its only owner.
        let value = unsafe { KBox::from_raw(old.as_ptr()) };
        Some(Retired(Some(value)))
    }

    fn with<R>(&self, f: impl FnOnce(Option<&T>) -> R) -> R {
        let _in_place = Lock::Publish.hold();
        // SAFETY: a pointer that is not null comes from `KBox::into_raw`. Only `swap` takes it out,
        // which waits for the lock, and `drop`, which `&self` forbids.
        f(unsafe { self.at.load(Ordering::Acquire).as_ref() })
    }
}

impl<T: Send + Sync> Default for Published<T> {
    fn default() -> Self {
        Self::empty()
    }
}

impl<T: Send + Sync> Drop for Published<T> {
    /// Frees the value at once: its owner is dropped, so no probe can reach it any more.
    fn drop(&mut self) {
        if let Some(old) = NonNull::new(*self.at.get_mut()) {
            // SAFETY: `old` comes from `KBox::into_raw` by the invariant, and is not used again.
            drop(unsafe { KBox::from_raw(old.as_ptr()) });
        }
    }
}

/// A value that probes in progress may still read. Dropping it waits for them and then frees it. If
/// it is dropped in a probe, where waiting is not possible, the memory leaks; the value stays
/// valid.
///
/// # Context
///
/// Dropped in *process* context.
#[must_use = "dropping it waits for all CPUs; free_all waits once for many"]
pub struct Retired<T: Send>(Option<KBox<T>>);

impl<T: Send> Retired<T> {
    /// Frees all values after one wait.
    ///
    /// # Context
    ///
    /// *process*
    pub fn free_all(values: impl IntoIterator<Item = Retired<T>>) {
        let mut values = values.into_iter().peekable();
        let unused = values.peek().is_none() || xcall::sync();
        for mut value in values {
            free(value.0.take(), unused);
        }
    }

    /// Waits, then returns the value.
    ///
    /// # Context
    ///
    /// *process*
    pub fn into_inner(mut self) -> Option<KBox<T>> {
        if !xcall::sync() {
            free(self.0.take(), false);
        }
        self.0.take()
    }
}

impl<T: Send> Drop for Retired<T> {
    fn drop(&mut self) {
        if let Some(value) = self.0.take() {
            free(Some(value), xcall::sync());
        }
    }
}

/// Frees a value that is unused, and leaks one that may be in use.
fn free<T>(value: Option<KBox<T>>, unused: bool) {
    if unused {
        drop(value);
    } else {
        mem::forget(value);
    }
}
