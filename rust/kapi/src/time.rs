// SPDX-License-Identifier: GPL-2.0
//! Clocks that can be read anywhere, NMI included.

use kernel::bindings;

/// Returns the nanoseconds since boot, without suspended time. The time never goes back, except in
/// an NMI during an update of the clock.
#[inline]
pub fn monotonic_ns() -> u64 {
    // SAFETY: reads behind a latch, which is allowed in any context.
    unsafe { bindings::ktime_get_mono_fast_ns() }
}

/// Returns the nanoseconds since 1970.
pub fn wall_ns() -> u64 {
    // SAFETY: as above.
    unsafe { bindings::ktime_get_real_fast_ns() }
}

/// Returns random bits to seed a generator or to key a hash. Their users run in probe context,
/// where this function cannot.
///
/// # Context
///
/// *process*
pub fn seed() -> [u64; 2] {
    // SAFETY: the function has no precondition.
    [(); 2].map(|()| unsafe { bindings::get_random_u64() })
}
