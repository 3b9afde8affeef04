// SPDX-License-Identifier: GPL-2.0
//! Clocks that can be read anywhere, NMI included.

use kernel::bindings;

/// Nanoseconds since boot, without those spent asleep; never backwards, but for an NMI in the
/// middle of an update of the clock.
#[inline]
pub fn monotonic_ns() -> u64 {
    // SAFETY: reads behind a latch, in any context.
    unsafe { bindings::ktime_get_mono_fast_ns() }
}

/// Nanoseconds since 1970.
pub fn wall_ns() -> u64 {
    // SAFETY: as above.
    unsafe { bindings::ktime_get_real_fast_ns() }
}

/// Random bits to start a generator from, or to key a hash: what uses them runs in probe context, where this
/// cannot.
///
/// # Context
///
/// *process*
pub fn seed() -> [u64; 2] {
    // SAFETY: no precondition.
    [(); 2].map(|()| unsafe { bindings::get_random_u64() })
}
