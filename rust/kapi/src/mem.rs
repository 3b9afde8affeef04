// SPDX-License-Identifier: GPL-2.0
//! Allocation that can fail.
//!
//! The module requests all its memory here, so there is one place that refuses requests: absurdly
//! large ones, and, for tests, one of a sequence ([`fail_after`]).
//!
//! # Context
//!
//! *process*, for all of it.

use crate::sys;
use core::mem::{align_of, size_of};
use core::ptr::NonNull;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use kernel::alloc::flags::{GFP_KERNEL_ACCOUNT, __GFP_NOWARN};
use kernel::alloc::{Allocator, Flags, KVVec, Vec};
use kernel::prelude::*;
use kernel::sync::Arc;
use pin_init::Zeroable;

static REQUESTS_LEFT: AtomicU64 = AtomicU64::new(u64::MAX);

/// For tests: lets `n` more requests succeed and then all fail; with `None`, none fails.
pub fn fail_after(n: Option<u64>) {
    REQUESTS_LEFT.store(n.unwrap_or(u64::MAX), Relaxed);
}

/// Asks for permission for an allocation that the caller makes by other means.
pub fn ask() -> Result {
    let less = |n| (n != u64::MAX).then(|| u64::saturating_sub(n, 1));
    match REQUESTS_LEFT.fetch_update(Relaxed, Relaxed, less) {
        Ok(0) => Err(ENOMEM),
        _ => Ok(()),
    }
}

/// Returns the bytes of the machine's memory.
pub fn total() -> usize {
    sys::kapi_memory_total()
}

/// Returns the bytes that can be allocated without swapping, by the kernel's estimate.
pub fn available() -> usize {
    sys::kapi_memory_available()
}

/// Only the caller learns of a refused request, not the kernel log, because a user often chooses
/// the size.
fn flags() -> Flags {
    GFP_KERNEL | __GFP_NOWARN
}

/// Makes the usual functions, which allocate with the flags of `flags()` beside them.
macro_rules! allocations {
    () => {
        /// Allocates a box for `value`.
        pub fn boxed<T>(value: T) -> Result<KBox<T>> {
            ask()?;
            Ok(KBox::new(value, flags())?)
        }

        /// Allocates a reference-counted `value`.
        pub fn arc<T>(value: T) -> Result<Arc<T>> {
            ask()?;
            Ok(Arc::new(value, flags())?)
        }

        /// Allocates an empty vector with room for `n`.
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
    };
}
allocations!();

/// Allocates `n` zeroed bytes; see [`zeroed`].
pub fn zeroed_bytes(n: usize) -> Result<KVVec<u8>> {
    zeroed(n)
}

/// Allocates `n` zeroed words; see [`zeroed`].
pub fn zeroed_words(n: usize) -> Result<KVVec<u64>> {
    zeroed(n)
}

/// Allocates `n` zeroed counters; see [`zeroed`].
pub fn zeroed_atomics(n: usize) -> Result<KVVec<AtomicU64>> {
    // SAFETY: all-zero bytes are an `AtomicU64` of 0.
    unsafe { raw(n) }
}

/// Allocates `n` zeroed values and charges them to the caller's cgroup. As with [`charged`], the
/// caller holds no lock that others wait for; see [`filled`]. `n` may be any number: a request for
/// more than a quarter of the machine's free memory is refused, without a log entry and without
/// driving the machine out of memory.
pub fn zeroed<T: Zeroable>(n: usize) -> Result<KVVec<T>> {
    // SAFETY: all-zero bytes are a valid `T`, because it is `Zeroable`.
    unsafe { raw(n) }
}

/// # Safety
///
/// All-zero bytes are a valid `T`.
unsafe fn raw<T>(n: usize) -> Result<KVVec<T>> {
    // SAFETY: `kapi_zalloc` returns null or zeroed bytes for kvfree; by the caller they are valid
    // `T`s.
    unsafe { from_kernel(sys::kapi_zalloc, n, n) }
}

/// Allocates an empty vector for long use, with room for `n` and hardly more; other vectors may
/// take twice as much.
pub fn exact<T>(n: usize) -> Result<KVVec<T>> {
    // SAFETY: the function returns null or memory for kvfree; no `T` in it need be initialised.
    unsafe { from_kernel(sys::kapi_alloc_exact, n, 0) }
}

/// Does the work of [`exact`], and charges the memory to the current task's cgroup, like the
/// kernel's own memory for users. While the cgroup is over its `memory.high`, each such request can
/// take seconds: the caller holds no lock that others wait for. If the cgroup is at its limit, it
/// loses pages or processes, or the request is refused.
pub fn charged<T>(n: usize) -> Result<KVVec<T>> {
    // SAFETY: as above.
    unsafe { from_kernel(sys::kapi_alloc_charged, n, 0) }
}

/// Small allocations. They are charged as those of [`charged`] are: the caller holds no lock that
/// others wait for.
pub mod accounted {
    use super::*;

    fn flags() -> Flags {
        GFP_KERNEL_ACCOUNT | __GFP_NOWARN
    }

    allocations!();
}

/// Makes a vector with room for `n`, of which the first `len` are initialised.
///
/// # Safety
///
/// `alloc` returns null or the requested number of bytes, for kvfree, and the first `len` values of
/// type `T` in them are initialised.
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
    // SAFETY: by the caller, the memory is for kvfree, by which `KVVec` frees it, has room for `n`,
    // and its first `len` are initialised. It is aligned to 8 bytes, like all such memory, and `T`
    // needs no more.
    Ok(unsafe { KVVec::from_raw_parts(at.as_ptr().cast(), len, n) })
}

/// Allocates `n` copies of a value, charged to nobody; see [`exact`].
pub fn filled<T: Clone>(n: usize, value: T) -> Result<KVVec<T>> {
    let mut all = exact(n)?;
    all.resize(n, value, flags())?;
    Ok(all)
}

/// Allocates a copy for long use; see [`exact`].
pub fn exact_copy<T: Copy>(of: &[T]) -> Result<KVVec<T>> {
    let mut copy = exact(of.len())?;
    extend(&mut copy, of)?;
    Ok(copy)
}

/// Makes room for `n` more in a vector, so that pushing them cannot fail.
pub fn reserve<T, A: Allocator>(to: &mut Vec<T, A>, n: usize) -> Result {
    ask()?;
    Ok(to.reserve(n, flags())?)
}
