// SPDX-License-Identifier: GPL-2.0
//! Finds the types with a name by the offset of the name in the strings. The index is a hash table
//! with chains in two arrays, filled in one pass that reads no string.

/// The end of a chain.
const NONE: u32 = u32::MAX;

/// Types by the hash of the offset of their name.
#[derive(Debug)]
pub(crate) struct Index {
    /// The first type of each chain; the length is a power of two.
    heads: Vec<u32>,
    /// For each type, the next one in its chain.
    next: Vec<u32>,
}

impl Index {
    /// Builds the index from the offset of each type's name, in the order of the types; 0 means no
    /// name.
    pub(crate) fn new(names: impl DoubleEndedIterator<Item = u32> + ExactSizeIterator) -> Self {
        let count = names.len();
        let mut heads = vec![NONE; count.next_power_of_two()];
        let mut next = vec![NONE; count];
        // Go from the last type to the first, so that chains ascend.
        for ((i, name), link) in
            names.enumerate().zip(&mut next).rev().filter(|((_, n), _)| *n != 0)
        {
            let bucket = bucket(name, heads.len());
            if let Some(head) = heads.get_mut(bucket) {
                // CAST: a blob has less than 2^32 bytes.
                *link = std::mem::replace(head, i as u32);
            }
        }
        Self { heads, next }
    }

    /// Returns the types whose name's offset has the same hash, ascending.
    pub(crate) fn candidates(&self, name: u32) -> impl Iterator<Item = u32> + '_ {
        let head = self.heads.get(bucket(name, self.heads.len())).copied();
        let found = |i: Option<u32>| i.filter(|&i| i != NONE);
        std::iter::successors(found(head), move |&i| found(self.next.get(i as usize).copied()))
    }
}

/// Multiplies by the golden ratio and takes upper bits, which are the well-mixed ones.
fn bucket(name: u32, buckets: usize) -> usize {
    let hash = u64::from(name).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (hash >> 32) as usize & buckets.wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_all_of_a_name_in_order() {
        let names = [11, 0, 12, 11, 13, 11];
        let index = Index::new(names.into_iter());
        let find = |name: u32| -> Vec<u32> {
            index.candidates(name).filter(|i| names[*i as usize] == name).collect()
        };
        assert_eq!(find(11), [0, 3, 5]);
        assert_eq!(find(13), [4]);
        assert!(find(14).is_empty() && find(0).is_empty());
        assert_eq!(Index::new(std::iter::empty()).candidates(11).count(), 0);
    }
}
