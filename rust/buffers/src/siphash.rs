// SPDX-License-Identifier: GPL-2.0
//! SipHash-1-3 over words, for keys that traced programs choose.
//!
//! A program must not be able to choose keys with the same hash: all of them would be in one
//! bucket, and every search would walk it. A random seed alone does not prevent that: if a hash
//! multiplies and rotates, some pairs of keys collide with every seed. SipHash (Aumasson and
//! Bernstein, 2012) is a pseudo-random function of its key, made for this purpose. Like the kernel
//! and many languages in their tables, we use one round for each word and three at the end.

/// 128 random bits, which make the hash unpredictable for others.
pub type Seed = [u64; 2];

/// A hash that is being computed.
#[derive(Clone, Copy)]
pub struct SipHash {
    v: [u64; 4],
}

#[inline(always)]
fn round([mut a, mut b, mut c, mut d]: [u64; 4]) -> [u64; 4] {
    a = a.wrapping_add(b);
    c = c.wrapping_add(d);
    b = b.rotate_left(13) ^ a;
    d = d.rotate_left(16) ^ c;
    a = a.rotate_left(32).wrapping_add(d);
    c = c.wrapping_add(b);
    d = d.rotate_left(21) ^ a;
    b = b.rotate_left(17) ^ c;
    [a, b, c.rotate_left(32), d]
}

impl SipHash {
    /// Begins a hash.
    #[inline(always)]
    pub fn new([k0, k1]: Seed) -> Self {
        Self {
            v: [
                k0 ^ 0x736f_6d65_7073_6575,
                k1 ^ 0x646f_7261_6e64_6f6d,
                k0 ^ 0x6c79_6765_6e65_7261,
                k1 ^ 0x7465_6462_7974_6573,
            ],
        }
    }

    /// Adds one more word.
    #[inline(always)]
    pub fn word(&mut self, word: u64) {
        let [a, b, c, d] = self.v;
        let [a, b, c, d] = round([a, b, c, d ^ word]);
        self.v = [a ^ word, b, c, d];
    }

    /// Ends the hash. `last` is one more word; it must tell apart inputs whose other words can be
    /// equal.
    #[inline(always)]
    pub fn end(mut self, last: u64) -> u64 {
        self.word(last);
        let [a, b, c, d] = self.v;
        let [a, b, c, d] = round(round(round([a, b, c ^ 0xff, d])));
        a ^ b ^ c ^ d
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The standard library's hasher is SipHash-1-3 with a zero key.
    #[test]
    #[allow(deprecated, reason = "the only one in there that takes no random key")]
    fn as_the_standard_library_hashes() {
        use std::hash::Hasher;
        for n in 0..20u64 {
            let mut theirs = std::collections::hash_map::DefaultHasher::new();
            let mut ours = SipHash::new([0, 0]);
            for i in 0..n {
                let word = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
                theirs.write_u64(word);
                ours.word(word);
            }
            // Its last word has the length in bytes at the top.
            assert_eq!(ours.end((n * 8) << 56), theirs.finish());
        }
    }

    #[test]
    fn every_bit_of_the_seed_counts() {
        let of = |seed| SipHash::new(seed).end(7);
        for bit in 0..64 {
            assert_ne!(of([1 << bit, 0]), of([0, 0]));
            assert_ne!(of([0, 1 << bit]), of([0, 0]));
        }
    }
}
