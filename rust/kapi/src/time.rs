// SPDX-License-Identifier: GPL-2.0
//! Clocks that can be read anywhere, NMI included.

use core::cell::Cell;
use kernel::bindings;

/// Returns the nanoseconds since boot, without suspended time. The time never goes back, except in
/// an NMI during an update of the clock.
#[inline]
pub fn monotonic_ns() -> u64 {
    // SAFETY: reads behind a latch, which is allowed in any context.
    unsafe { bindings::ktime_get_mono_fast_ns() }
}

/// A time that begins with the first question whether it is over.
pub struct Turn {
    length: u64,
    /// Its end; 0: nobody has asked yet.
    until: Cell<u64>,
}

impl Turn {
    /// A turn of this length in ns.
    pub const fn of(length: u64) -> Self {
        Self { length, until: Cell::new(0) }
    }

    /// Tells whether it goes on.
    pub fn goes_on(&self) -> bool {
        let now = monotonic_ns();
        match self.until.get() {
            0 => self.until.set(now.saturating_add(self.length)),
            until => return now < until,
        }
        true
    }
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
