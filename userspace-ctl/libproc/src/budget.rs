// SPDX-License-Identifier: GPL-2.0
//! One bound for the memory that symbols take, whichever files and processes they come from.
//!
//! A small file can describe a large table: its symbols share one long name, its units share one
//! list. So everything that is kept of files and processes is counted when it is made. A file or
//! process that has had its part yields no more. When all parts together are too many, the caller
//! forgets what it knows and begins anew ([`was_short`]).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::OnceLock;

/// The most bytes of all files and processes, unless a quarter of the memory is less.
const MOST: usize = 2 << 30;
/// The most bytes of one file or process; fewer in tests, which are slow.
pub(crate) const MOST_OF_ONE: usize = if cfg!(test) { 128 << 20 } else { 512 << 20 };

static USED: AtomicUsize = AtomicUsize::new(0);
static WAS_SHORT: AtomicBool = AtomicBool::new(false);

/// Returns the most bytes that are kept in total.
fn most() -> usize {
    static FOUND: OnceLock<usize> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
        let kb = total.and_then(|t| t.trim().strip_suffix("kB")?.trim().parse::<usize>().ok());
        kb.map_or(MOST, |kb| (kb / 4).saturating_mul(1024).min(MOST))
    })
}

/// Tells whether a file or process got less than it needs since the last call, because others
/// have too much.
pub fn was_short() -> bool {
    WAS_SHORT.swap(false, Relaxed)
}

/// The bytes of one file or process. They are free again when it is dropped.
#[derive(Debug, Default)]
pub struct Share(usize);

impl Share {
    /// Takes this many bytes more; returns false if they are too many.
    pub fn grow(&mut self, bytes: usize) -> bool {
        if self.0.saturating_add(bytes) > MOST_OF_ONE {
            return false;
        }
        let add = |used: usize| used.checked_add(bytes).filter(|used| *used <= most());
        let is_free = USED.fetch_update(Relaxed, Relaxed, add).is_ok();
        match is_free {
            true => self.0 += bytes,
            false => WAS_SHORT.store(true, Relaxed),
        }
        is_free
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        USED.fetch_sub(self.0, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_has_a_part_only() {
        let mut share = Share::default();
        assert!(share.grow(1000) && !share.grow(MOST_OF_ONE) && !share.grow(usize::MAX));
        assert_eq!(share.0, 1000);
        assert!(most() <= MOST && USED.load(Relaxed) >= 1000);
    }
}
