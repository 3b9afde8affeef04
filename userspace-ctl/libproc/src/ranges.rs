// SPDX-License-Identifier: GPL-2.0
//! A set of addresses. A question takes a few steps, however many ranges were added.

use std::ops::Range;

/// Addresses in ranges.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ranges {
    /// In ascending order; they do not touch each other.
    all: Vec<Range<u64>>,
}

impl Ranges {
    /// Adds a range, which may overlap others.
    pub(crate) fn add(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let from = self.all.partition_point(|r| r.end < range.start);
        let to = self.all.partition_point(|r| r.start <= range.end);
        let met = self.all.get(from..to).unwrap_or_default();
        let start = met.first().map_or(range.start, |r| r.start.min(range.start));
        let end = met.last().map_or(range.end, |r| r.end.max(range.end));
        self.all.splice(from..to, std::iter::once(start..end));
    }

    /// Tells whether an address is in one of the ranges.
    pub(crate) fn has(&self, address: u64) -> bool {
        let before = self.all.partition_point(|r| r.end <= address);
        self.all.get(before).is_some_and(|r| r.contains(&address))
    }
}

impl FromIterator<Range<u64>> for Ranges {
    fn from_iter<T: IntoIterator<Item = Range<u64>>>(ranges: T) -> Self {
        let mut all = Self::default();
        ranges.into_iter().for_each(|range| all.add(range));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_one_set() {
        let mut seed = 1u64;
        let mut random = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 33) % 64
        };
        for _ in 0..1000 {
            let given: Vec<_> = (0..8).map(|_| (random(), random() / 8)).collect();
            let given = given.into_iter().map(|(start, size)| start..start + size);
            let ranges: Ranges = given.clone().collect();
            let gaps = ranges.all.windows(2).all(|w| w[0].end < w[1].start);
            assert!(gaps && ranges.all.iter().all(|r| !r.is_empty()), "{ranges:?}");
            for at in 0..80 {
                assert_eq!(ranges.has(at), given.clone().any(|r| r.contains(&at)), "{at}");
            }
        }
    }
}
