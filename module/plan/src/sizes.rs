// SPDX-License-Identifier: GPL-2.0
//! How much memory the probes of a consumer write. The host allocates by the same numbers that it
//! counts, so that nothing is left out.

use abi::option::OptionId;
use buffers::speculation::Part;
use core::sync::atomic::AtomicU32;
use mem::KVVec;

/// The size of everything that a consumer has on each CPU, or once.
#[derive(Debug, Clone, Default)]
pub struct Sizes {
    /// The bytes of a principal buffer.
    pub buffer: usize,
    /// The bytes that tell where the records of a ring begin.
    pub starts: usize,
    /// The words of an aggregation buffer.
    pub aggs: usize,
    /// The words that tell where values with a number are.
    pub known: usize,
    /// The words of a cache of keys.
    pub cache: usize,
    /// The speculations that have a part on each CPU.
    pub parts: usize,
    /// The bytes of such a part.
    pub part: usize,
    /// The bytes of scratch memory.
    pub scratch: usize,
    /// The words of clause-local variables.
    pub locals: usize,
    /// The words of a key. Each CPU has two.
    pub key: usize,
    /// Once: the bytes of dynamic variables.
    pub dynvars: usize,
    /// Once: the words of global variables.
    pub globals: usize,
    /// Once: the speculations, also if they have no parts.
    pub speculations: usize,
}

/// Returns the bytes of so many words.
fn bytes(words: usize) -> usize {
    words.saturating_mul(size_of::<u64>())
}

impl Sizes {
    /// Returns the bytes on so many CPUs: those whose size an option sets, and all others.
    pub fn on(&self, cpus: usize) -> ([(OptionId, usize); 4], usize) {
        // There is one spare, which replaces the buffer of the CPU whose data is taken.
        let spare = cpus.saturating_add(1);
        let parts = self.parts.saturating_mul(cpus);
        let needs = [
            (OptionId::Bufsize, self.buffer.saturating_mul(spare)),
            (OptionId::Aggsize, bytes(self.aggs).saturating_mul(spare)),
            (OptionId::Specsize, self.part.saturating_mul(parts)),
            (OptionId::Dynvarsize, self.dynvars),
        ];
        let words = [self.known, self.cache, self.locals, self.key, self.key];
        let each = words.map(bytes).into_iter().chain([self.starts, self.scratch]);
        let each = each.fold(0, usize::saturating_add).saturating_mul(cpus);
        let others = [
            parts.saturating_mul(size_of::<Part<KVVec<u8>>>()),
            self.speculations.saturating_mul(size_of::<AtomicU32>()),
            bytes(self.globals),
        ];
        (needs, others.into_iter().fold(each, usize::saturating_add))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bytes that options set, and all others, on two CPUs.
    fn on_two(sizes: Sizes) -> (usize, usize) {
        let (needs, rest) = sizes.on(2);
        (needs.iter().map(|(_, bytes)| bytes).sum(), rest)
    }

    #[test]
    fn everything_that_a_program_makes_large_counts() {
        let none = Sizes::default;
        assert_eq!(on_two(none()), (0, 0));
        for (sizes, set, rest) in [
            (Sizes { buffer: 10, ..none() }, 30, 0),
            (Sizes { aggs: 10, ..none() }, 240, 0),
            (Sizes { dynvars: 10, ..none() }, 10, 0),
            (Sizes { starts: 10, ..none() }, 0, 20),
            (Sizes { known: 10, ..none() }, 0, 160),
            (Sizes { cache: 10, ..none() }, 0, 160),
            (Sizes { scratch: 10, ..none() }, 0, 20),
            (Sizes { locals: 10, ..none() }, 0, 160),
            (Sizes { key: 10, ..none() }, 0, 320),
            (Sizes { globals: 10, ..none() }, 0, 80),
            (Sizes { speculations: 10, ..none() }, 0, 40),
        ] {
            assert_eq!(on_two(sizes.clone()), (set, rest), "{sizes:?}");
        }
    }

    #[test]
    fn parts_without_bytes_count() {
        let (set, rest) = on_two(Sizes { parts: 65536, ..Sizes::default() });
        assert!(set == 0 && rest >= 2 * 65536 * 64, "{rest}");
        let (set, more) = on_two(Sizes { parts: 65536, part: 10, ..Sizes::default() });
        assert_eq!((set, more), (2 * 65536 * 10, rest));
    }

    #[test]
    fn a_sum_that_is_too_large_is_the_largest_number() {
        let all = usize::MAX / 2;
        let sizes = Sizes { buffer: all, aggs: all, locals: all, globals: all, ..Sizes::default() };
        let (needs, rest) = sizes.on(2);
        assert_eq!((needs[0].1, needs[1].1, rest), (usize::MAX, usize::MAX, usize::MAX));
    }
}
