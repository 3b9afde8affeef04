// SPDX-License-Identifier: GPL-2.0
//! Allocation that can be refused.
//!
//! All of the module's memory is asked for here, so that there is one place to say no: how much is
//! absurd, and, for tests, which request of a sequence fails ([`fail_after`]).
//!
//! # Context
//!
//! *process*, for all of it.

use crate::sys;
use crate::task;
use core::mem::{align_of, size_of};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use kernel::alloc::flags::{GFP_KERNEL_ACCOUNT, __GFP_NOWARN};
use kernel::alloc::{Allocator, Flags, KVVec, Vec};
use kernel::prelude::*;
use kernel::sync::Arc;
use pin_init::Zeroable;

static REQUESTS_LEFT: AtomicU64 = AtomicU64::new(u64::MAX);

/// For tests: `n` more requests succeed, then all fail; `None`: none fails.
pub fn fail_after(n: Option<u64>) {
    REQUESTS_LEFT.store(n.unwrap_or(u64::MAX), Relaxed);
}

/// Asks for an allocation that is then made by other means than those below.
pub fn ask() -> Result {
    let less = |n| (n != u64::MAX).then(|| u64::saturating_sub(n, 1));
    match REQUESTS_LEFT.fetch_update(Relaxed, Relaxed, less) {
        Ok(0) => Err(ENOMEM),
        _ => Ok(()),
    }
}

/// The task whose memory is charged to its cgroup; 0: none.
static CHARGED: AtomicU64 = AtomicU64::new(0);

/// While this exists, what the current task asks for is charged to its cgroup, as the kernel's own memory for users is. If
/// that is at its limit, some of its own pages or processes go, or the request is refused; each takes a bounded time.
pub struct Charge(());

impl Charge {
    /// The current task's. The caller holds a lock that lets only one task at a time do so.
    pub fn current() -> Self {
        CHARGED.store(task::curthread(), Relaxed);
        Self(())
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        CHARGED.store(0, Relaxed);
    }
}

fn is_charged() -> bool {
    // Another task reads its own address there only if it has stored that itself.
    CHARGED.load(Relaxed) == task::curthread()
}

/// A request that is refused is the asker's news, not the kernel log's: how much is asked for is
/// often up to a user.
fn flags() -> Flags {
    match is_charged() {
        true => GFP_KERNEL_ACCOUNT | __GFP_NOWARN,
        false => GFP_KERNEL | __GFP_NOWARN,
    }
}

/// A box for `value`.
pub fn boxed<T>(value: T) -> Result<KBox<T>> {
    ask()?;
    Ok(KBox::new(value, flags())?)
}

/// An empty vector with room for `n`.
pub fn vec<T, A: Allocator>(n: usize) -> Result<Vec<T, A>> {
    ask()?;
    Ok(Vec::with_capacity(n, flags())?)
}

/// Appends `value`.
pub fn push<T, A: Allocator>(to: &mut Vec<T, A>, value: T) -> Result {
    ask()?;
    Ok(to.push(value, flags())?)
}

/// Appends copies of `values`.
pub fn extend<T: Clone, A: Allocator>(to: &mut Vec<T, A>, values: &[T]) -> Result {
    ask()?;
    Ok(to.extend_from_slice(values, flags())?)
}

/// `n` zeroed bytes; see [`zeroed`].
pub fn zeroed_bytes(n: usize) -> Result<KVVec<u8>> {
    zeroed(n)
}

/// `n` zeroed words; see [`zeroed`].
pub fn zeroed_words(n: usize) -> Result<KVVec<u64>> {
    zeroed(n)
}

/// `n` zeroed counters; see [`zeroed`].
pub fn zeroed_atomics(n: usize) -> Result<KVVec<AtomicU64>> {
    // SAFETY: a zeroed `AtomicU64` is one of 0.
    unsafe { raw(n) }
}

/// `n` zeroed values, however many: charged to the cgroup of whoever asked. What is more than a
/// quarter of what the machine has left is refused; quietly, and without driving it out of memory.
pub fn zeroed<T: Zeroable>(n: usize) -> Result<KVVec<T>> {
    // SAFETY: `T` is `Zeroable`.
    unsafe { raw(n) }
}

/// # Safety
///
/// Zeroes are a `T`.
unsafe fn raw<T>(n: usize) -> Result<KVVec<T>> {
    // SAFETY: it gives zeroes, and by the caller's word they are `T`s.
    unsafe { from_kernel(sys::kapi_zalloc, n, n) }
}

/// An empty vector to be kept, with room for `n` and hardly more: others may take twice as much.
pub fn exact<T>(n: usize) -> Result<KVVec<T>> {
    let alloc = if is_charged() { sys::kapi_alloc_charged } else { sys::kapi_alloc_exact };
    // SAFETY: both give what kvfree takes, and nothing of it is to be a `T` yet.
    unsafe { from_kernel(alloc, n, 0) }
}

/// Room for `n`, of which the first `len` are there.
///
/// # Safety
///
/// `alloc` gives null or as many bytes as it is asked for, for kvfree, and the first `len` `T`s of them
/// are initialised.
unsafe fn from_kernel<T>(
    alloc: extern "C" fn(usize) -> *mut u8,
    n: usize,
    len: usize,
) -> Result<KVVec<T>> {
    const { assert!(align_of::<T>() <= 8) };
    ask()?;
    let size = n.checked_mul(size_of::<T>()).ok_or(ENOMEM)?;
    if size == 0 {
        return Ok(KVVec::new());
    }
    let at = NonNull::new(alloc(size)).ok_or(ENOMEM)?;
    // SAFETY: `KVVec` frees by kvfree; there is room for `n`, of which `len` are initialised, both by the
    // caller's word, and it is aligned for them, as for all up to 8.
    Ok(unsafe { KVVec::from_raw_parts(at.as_ptr().cast(), len, n) })
}

/// A copy to be kept; see [`exact`].
pub fn exact_copy<T: Copy>(of: &[T]) -> Result<KVVec<T>> {
    let mut copy = exact(of.len())?;
    extend(&mut copy, of)?;
    Ok(copy)
}

/// A reference-counted `value`.
pub fn arc<T>(value: T) -> Result<Arc<T>> {
    ask()?;
    Ok(Arc::new(value, flags())?)
}

/// Room for `n` more in a vector, so that pushing so many cannot fail.
pub fn reserve<T, A: Allocator>(to: &mut Vec<T, A>, n: usize) -> Result {
    ask()?;
    Ok(to.reserve(n, flags())?)
}
