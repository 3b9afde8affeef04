// SPDX-License-Identifier: GPL-2.0
//! A hash table that is read without a lock: RCU keeps a removed entry as long as a reader may
//! still see it.

use crate::sys;
use crate::time;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU64};
use core::{iter, ptr};
use kernel::prelude::*;
use kernel::sync::rcu::Guard;
use pin_init::Zeroable;

/// Secret numbers for hashes: users choose keys, and must not find many with the same hash. They do
/// not change after [`init`].
static SECRETS: [AtomicU64; 4] = [const { AtomicU64::new(sys::GOLDEN_RATIO) }; 4];

/// Chooses the secrets. No table has an entry yet.
///
/// # Context
///
/// *process*
pub(crate) fn init() {
    let random = [time::seed(), time::seed()];
    // Only an odd factor keeps all bits.
    SECRETS.iter().zip(random.as_flattened()).for_each(|(to, from)| to.store(from | 1, Relaxed));
}

/// Returns the sum of the words' products with these secrets. Its upper bits are a hash.
fn mix(words: &[u64], secrets: &[AtomicU64]) -> u64 {
    let products = words.iter().zip(secrets).map(|(w, s)| w.wrapping_mul(s.load(Relaxed)));
    products.fold(0, u64::wrapping_add)
}

/// Returns a key for three words.
pub(crate) fn key(words: [u64; 3]) -> u64 {
    let [_, secrets @ ..] = &SECRETS;
    mix(&words, secrets)
}

/// An entry.
#[repr(C)]
pub(crate) struct Node<T> {
    /// A `struct rcu_head`, as `kapi_free_rcu` demands.
    rcu: [usize; 2],
    next: AtomicPtr<Node<T>>,
    value: T,
}

impl<T> Node<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { rcu: [0; 2], next: AtomicPtr::new(ptr::null_mut()), value }
    }
}

/// A table of `N` chains, a power of two.
///
/// # Invariants
///
/// A pointer in it is null or from `KBox::into_raw`. Its node is freed when no reader can see it.
pub(crate) struct Table<T: Copy + Send + Sync, const N: usize> {
    heads: [AtomicPtr<Node<T>>; N],
}

// SAFETY: zeros are null pointers.
unsafe impl<T: Copy + Send + Sync, const N: usize> Zeroable for Table<T, N> {}

impl<T: Copy + Send + Sync, const N: usize> Table<T, N> {
    pub(crate) const fn new() -> Self {
        // INVARIANT: all are null.
        Self { heads: [const { AtomicPtr::new(ptr::null_mut()) }; N] }
    }

    /// Returns the chain of a key.
    fn head(&self, key: u64) -> Option<&AtomicPtr<Node<T>>> {
        self.heads.get((mix(&[key], &SECRETS) >> const { u64::BITS - N.ilog2() }) as usize)
    }

    /// Returns the values in the chain of a key; those of other keys may be among them.
    pub(crate) fn of_key<'g>(&'g self, key: u64, _: &'g Guard) -> impl Iterator<Item = &'g T> + 'g {
        let mut link = self.head(key);
        iter::from_fn(move || {
            // SAFETY: a node that the table led to since the guard exists stays as long as the
            // guard: `remove` frees it after a grace period, and `drop` excludes `&self`.
            let node = unsafe { link?.load(Acquire).as_ref() }?;
            link = Some(&node.next);
            Some(&node.value)
        })
    }

    /// Adds the value of a node.
    ///
    /// # Safety
    ///
    /// The callers of this function and of [`Self::remove`] hold one lock.
    pub(crate) unsafe fn insert(&self, key: u64, node: KBox<Node<T>>) {
        let Some(head) = self.head(key) else { return };
        node.next.store(head.load(Relaxed), Relaxed);
        // INVARIANT: the pointer is from `KBox::into_raw`.
        head.store(KBox::into_raw(node), Release);
    }

    /// Removes the first value of this key that `is` accepts.
    ///
    /// # Safety
    ///
    /// The callers of this function and of [`Self::insert`] hold one lock.
    pub(crate) unsafe fn remove(&self, key: u64, is: impl Fn(&T) -> bool) {
        let mut link = self.head(key);
        while let Some(at) = link {
            let here = at.load(Relaxed);
            // SAFETY: the caller's lock keeps other callers from removing the node.
            let Some(node) = (unsafe { here.as_ref() }) else { return };
            if is(&node.value) {
                at.store(node.next.load(Relaxed), Release);
                // SAFETY: the node is from a `KBox` and begins with room for a `struct rcu_head`.
                // The table does not lead to it any more, so no later reader sees it.
                return unsafe { sys::kapi_free_rcu(here.cast()) };
            }
            link = Some(&node.next);
        }
    }
}

impl<T: Copy + Send + Sync, const N: usize> Drop for Table<T, N> {
    /// Nobody borrows the table, so nobody reads it.
    fn drop(&mut self) {
        for head in &mut self.heads {
            let mut at = *head.get_mut();
            while !at.is_null() {
                // SAFETY: `at` is from `KBox::into_raw` by the invariant, and nobody else has it.
                let mut node = unsafe { KBox::from_raw(at) };
                at = *node.next.get_mut();
            }
        }
    }
}
