// SPDX-License-Identifier: GPL-2.0
//! The key of an aggregation, while it is built and when it is searched.
//!
//! ```text
//!   words   | s h \0 . . . . . | ? ? ? ? | ? ? ? ? | 0 0 0 7 |      ? is anything
//!   parts     [0, 1)                                  [3, 4)        words that count
//! ```
//! A string has strsize bytes of room in a key and usually needs a few of them. The written words
//! are the parts. In the key that the consumer gets, all words outside of the parts are zeros, so
//! they need not be cleared, hashed or compared: a part with a string contains its NUL, and two
//! strings that are equal up to the NUL are equal.

use core::ops::DerefMut;
use zerocopy::IntoBytes;

/// A key, over memory that belongs to others.
pub struct Key<B> {
    words: B,
    /// Disjoint and in order; each is: first word << 32 | end.
    parts: B,
    /// The number of parts in use.
    n: usize,
}

/// Returns the word that contains a byte.
const fn word_of(at: usize) -> usize {
    at >> 3
}

/// Clears a word after its first NUL. Returns true if it has one.
#[inline(always)]
fn until_nul(word: u64) -> (u64, bool) {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const TOPS: u64 = 0x8080_8080_8080_8080;
    // The lowest bit set belongs to the first NUL (higher bits may be wrong).
    let nuls = word.wrapping_sub(ONES) & !word & TOPS;
    if nuls == 0 {
        return (word, false);
    }
    // The bits below the NUL's byte: its top bit, shifted down to the lowest one, minus one.
    let below = ((nuls & nuls.wrapping_neg()) >> 7).wrapping_sub(1);
    (word & below, true)
}

impl<B: DerefMut<Target = [u64]>> Key<B> {
    /// Creates an empty key of at most `words.len()` words; `parts` must have as many words.
    pub fn new(words: B, parts: B) -> Self {
        Self { words, parts, n: 0 }
    }

    /// Begins a new key.
    #[inline]
    pub fn clear(&mut self) {
        self.n = 0;
    }

    /// Returns the number of words in its parts.
    pub fn len(&self) -> usize {
        self.parts().map(|(_, words)| words.len()).fold(0, usize::saturating_add)
    }

    /// Tells whether it has no parts.
    pub fn is_empty(&self) -> bool {
        self.n == 0
    }

    /// Returns the parts: the first word's position, and the words.
    #[inline]
    pub(crate) fn parts(&self) -> impl Iterator<Item = (usize, &[u64])> {
        self.parts.iter().take(self.n).map(|part| {
            let (from, to) = ((part >> 32) as usize, (*part as u32) as usize);
            (from, self.words.get(from..to).unwrap_or_default())
        })
    }

    /// Makes words part of the key. Returns the first one that was not part of it.
    #[inline]
    fn cover(&mut self, from: usize, to: usize) -> usize {
        if let Some(last) = self.n.checked_sub(1).and_then(|n| self.parts.get_mut(n)) {
            let end = (*last as u32) as usize;
            if from <= end {
                *last = (*last >> 32) << 32 | end.max(to) as u64;
                return end;
            }
        }
        if let Some(part) = self.parts.get_mut(self.n) {
            *part = (from as u64) << 32 | to as u64;
            self.n = self.n.wrapping_add(1);
        }
        from
    }

    /// Adds a value of `size` bytes, at most 8, at its natural alignment.
    #[inline]
    pub fn put_value(&mut self, offset: usize, size: usize, value: u64) {
        let at = word_of(offset);
        let fresh = self.cover(at, at.wrapping_add(1)) <= at;
        let Some(word) = self.words.get_mut(at) else { return };
        if size == 8 {
            *word = value;
            return;
        }
        // CAST: 3 bits, 8 at most.
        let (shift, bits) = ((offset as u32 & 7) << 3, (size as u32) << 3);
        let mask = 1u64.wrapping_shl(bits).wrapping_sub(1);
        *word = if fresh { 0 } else { *word } | (value & mask).wrapping_shl(shift);
    }

    /// Adds a string that is in 16 bytes of memory, with a NUL, and has `size` bytes of room.
    #[inline]
    pub fn put_short(&mut self, offset: usize, size: usize, text: [u64; 2]) {
        if offset & 7 != 0 || size < 16 {
            let bytes = text.as_bytes();
            let n = bytes.iter().position(|b| *b == 0).unwrap_or(bytes.len());
            return self.put_text(offset, size, bytes.get(..n).unwrap_or_default());
        }
        let at = word_of(offset);
        let [first, second] = text;
        let (first, ends) = until_nul(first);
        let n = if ends { 1 } else { 2 };
        self.cover(at, at.wrapping_add(n));
        if let Some([a, b]) = self.words.get_mut(at..at.wrapping_add(2)) {
            *a = first;
            *b = until_nul(second).0;
        }
    }

    /// Adds a string without NULs, which has `size` bytes of room; the rest of it is cut off.
    #[inline]
    pub fn put_text(&mut self, offset: usize, size: usize, text: &[u8]) {
        let most = size.saturating_sub(1);
        let text = text.get(..most).unwrap_or(text);
        if offset & 7 != 0 {
            let _ = self.put_text_with::<()>(offset, size, |room| {
                if let Some(room) = room.get_mut(..text.len()) {
                    room.copy_from_slice(text);
                }
                Ok(text.len())
            });
            return;
        }
        let from = word_of(offset);
        // The NUL is in the word after the full ones.
        let full = word_of(text.len());
        let to = from.wrapping_add(full).wrapping_add(1);
        self.cover(from, to);
        let Some(words) = self.words.get_mut(from..to) else { return };
        let mut rest = text;
        for word in words {
            match rest.split_first_chunk::<8>() {
                Some((eight, more)) => {
                    *word = u64::from_le_bytes(*eight);
                    rest = more;
                }
                None => *word = few(rest),
            }
        }
    }

    /// Adds a string that `write` writes into its room; `write` returns the length.
    pub fn put_text_with<E>(
        &mut self,
        offset: usize,
        size: usize,
        write: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), E> {
        let Some(most) = size.checked_sub(1) else { return Ok(()) };
        self.clear_first(offset);
        let bytes = self.words.as_mut_bytes();
        let Some(room) = bytes.get_mut(offset..offset.wrapping_add(most)) else { return Ok(()) };
        let end = offset.wrapping_add(write(room)?.min(most));
        let to = word_of(end).wrapping_add(1);
        if let Some(tail) = bytes.get_mut(end..to.wrapping_mul(8)) {
            tail.fill(0);
        }
        self.cover(word_of(offset), to);
        Ok(())
    }

    /// Adds bytes that `write` writes.
    pub fn put_bytes_with<E>(
        &mut self,
        offset: usize,
        size: usize,
        write: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        if size == 0 {
            return Ok(());
        }
        self.clear_first(offset);
        let end = offset.wrapping_add(size);
        let to = word_of(end.wrapping_add(7));
        let bytes = self.words.as_mut_bytes();
        let Some(room) = bytes.get_mut(offset..end) else { return Ok(()) };
        write(room)?;
        if let Some(tail) = bytes.get_mut(end..to.wrapping_mul(8)) {
            tail.fill(0);
        }
        self.cover(word_of(offset), to);
        Ok(())
    }

    /// Adds the frames of a stack, 8 bytes each, which `write` writes; it returns how many bytes.
    /// As with strings, a zero ends them, and the rest of the room is not part of the key.
    pub fn put_frames_with<E>(
        &mut self,
        offset: usize,
        size: usize,
        write: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), E> {
        let from = word_of(offset);
        let end = offset.wrapping_add(size);
        let bytes = self.words.as_mut_bytes();
        let Some(room) = bytes.get_mut(offset..end) else { return Ok(()) };
        let used = word_of(write(room)?.min(size));
        let mut to = from.wrapping_add(used);
        if to < word_of(end) {
            if let Some(word) = self.words.get_mut(to) {
                *word = 0;
            }
            to = to.wrapping_add(1);
        }
        self.cover(from, to);
        Ok(())
    }

    /// Clears the word that contains `offset`, if it is not part of the key yet.
    fn clear_first(&mut self, offset: usize) {
        let at = word_of(offset);
        let last = self.n.checked_sub(1).and_then(|n| self.parts.get(n));
        if last.is_some_and(|last| at < (*last as u32) as usize) {
            return;
        }
        if let Some(word) = self.words.get_mut(at) {
            *word = 0;
        }
    }
}

/// Returns fewer than eight bytes as a word.
#[inline]
fn few(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, b| word << 8 | u64::from(*b))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The key as the consumer gets it.
    fn whole(key: &Key<Vec<u64>>) -> Vec<u8> {
        let mut all = vec![0u64; key.words.len()];
        let mut end = 0;
        for (from, words) in key.parts() {
            assert!(from >= end, "parts in order");
            end = from + words.len();
            all[from..end].copy_from_slice(words);
        }
        all.as_bytes().to_vec()
    }

    fn filthy(words: usize) -> Key<Vec<u64>> {
        Key::new(vec![u64::MAX; words], vec![0; words])
    }

    #[test]
    fn what_is_not_written_is_zero() {
        // A char, an int, a string at 8, one at 41 (not a multiple of 8), and a char after it.
        for text in
            ["", "a", "1234567", "12345678", "123456789", "a string that is too long for its room"]
        {
            for short in ["", "a", "1234567", "12345678", "123456789abcdef"] {
                let mut expected = vec![0u8; 8 * 12];
                expected[0] = 0x34;
                expected[4..8].copy_from_slice(&0xdead_beef_u32.to_le_bytes());
                let cut = &text.as_bytes()[..text.len().min(32)];
                expected[8..8 + cut.len()].copy_from_slice(cut);
                let cut = &text.as_bytes()[..text.len().min(20)];
                expected[41..41 + cut.len()].copy_from_slice(cut);
                expected[62] = 7;
                expected[64..64 + short.len()].copy_from_slice(short.as_bytes());
                expected[80..83].copy_from_slice(b"xyz");
                expected[83] = 9;
                expected[88..].copy_from_slice(&u64::MAX.to_le_bytes());

                let mut key = filthy(12);
                for _ in 0..2 {
                    key.clear();
                    key.put_value(0, 1, 0x1234);
                    key.put_value(4, 4, 0xdead_beef);
                    key.put_text(8, 33, text.as_bytes());
                    key.put_text(41, 21, text.as_bytes());
                    key.put_value(62, 1, 7);
                    let mut sixteen = [0xff; 16];
                    sixteen[..short.len()].copy_from_slice(short.as_bytes());
                    sixteen[short.len()] = 0;
                    key.put_short(
                        64,
                        16,
                        [0, 8]
                            .map(|at| u64::from_le_bytes(sixteen[at..at + 8].try_into().unwrap())),
                    );
                    let three = |room: &mut [u8]| {
                        room.copy_from_slice(b"xyz");
                        Ok::<(), ()>(())
                    };
                    key.put_bytes_with(80, 3, three).unwrap();
                    key.put_value(83, 1, 9);
                    key.put_value(88, 8, u64::MAX);
                    assert_eq!(whole(&key), expected, "{text:?} {short:?}");
                }
            }
        }
    }

    #[test]
    fn stacks_end_with_a_zero() {
        let mut key = filthy(6);
        let mut all = Vec::new();
        for n in 0..4u64 {
            key.clear();
            key.put_value(0, 8, 5);
            key.put_frames_with(8, 24, |room| {
                let frames = (1..=n).flat_map(|pc| pc.to_le_bytes());
                room.iter_mut().zip(frames).for_each(|(to, from)| *to = from);
                Ok::<usize, ()>(8 * n as usize)
            })
            .unwrap();
            key.put_value(32, 8, 6);
            let mut expected = [5u64, 1, 2, 3, 6, 0];
            expected[1 + n as usize..4].fill(0);
            assert_eq!(whole(&key), expected.as_bytes());
            all.push(key.parts().map(|(at, words)| (at, words.to_vec())).collect::<Vec<_>>());
        }
        // A stack differs from its own beginning.
        assert!((1..4).all(|n| all[n - 1] != all[n]));
        assert_eq!(key.put_frames_with(8, 24, |_| Err(7)), Err(7));
    }

    #[test]
    fn what_fails_is_no_part() {
        let mut key = filthy(8);
        assert_eq!(key.put_text_with(0, 16, |_| Err(5)), Err(5));
        assert_eq!(key.put_bytes_with(16, 16, |_| Err(6)), Err(6));
        assert_eq!(key.parts().count(), 0);
        // Nothing is written outside, and nothing panics.
        key.put_text(60, 100, b"abcdefghijkl");
        key.put_short(64, 256, [1, 0]);
        key.put_value(800, 8, 1);
        assert!(key.parts().all(|(_, words)| words.is_empty() || !words.contains(&1)));
    }

    #[test]
    fn a_word_until_its_nul() {
        for n in 0..9 {
            let word =
                u64::from_le_bytes(std::array::from_fn(
                    |i| if i == n { 0 } else { 0x81 + i as u8 },
                ));
            let (cut, ends) = until_nul(word);
            let want: [u8; 8] = std::array::from_fn(|i| if i < n { 0x81 + i as u8 } else { 0 });
            assert_eq!((cut.to_le_bytes(), ends), (want, n < 8));
        }
        // The byte of 1 above the NUL sets a wrong bit, which must not matter.
        assert_eq!(until_nul(0x0001_0061), (0x61, true));
    }
}
