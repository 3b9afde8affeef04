// SPDX-License-Identifier: GPL-2.0
//! From a name to the types that may have it: chains in two arrays, filled in one pass.

/// No further type in this chain.
const NONE: u32 = u32::MAX;

/// Types by the hash of their names.
#[derive(Debug)]
pub(crate) struct Index {
    /// First type of each chain; the length is a power of two.
    heads: Vec<u32>,
    /// The type after this one.
    next: Vec<u32>,
}

impl Index {
    /// Of names in the order of their types; "" has no place in it.
    pub(crate) fn new<'a>(names: impl ExactSizeIterator<Item = &'a [u8]>) -> Self {
        let count = names.len();
        let mut heads = vec![NONE; count.next_power_of_two()];
        let mut next = vec![NONE; count];
        let mut tails = heads.clone();
        for (i, name) in (0u32..).zip(names) {
            if name.is_empty() {
                continue;
            }
            // At the end of its chain: candidates come in the order of their numbers.
            let bucket = bucket(name, heads.len());
            let Some(tail) = tails.get_mut(bucket) else {
                continue;
            };
            let before = std::mem::replace(tail, i);
            let link = match before {
                NONE => heads.get_mut(bucket),
                before => next.get_mut(before as usize),
            };
            if let Some(link) = link {
                *link = i;
            }
        }
        Self { heads, next }
    }

    /// Types whose name has the same hash, ascending.
    pub(crate) fn candidates(&self, name: &[u8]) -> impl Iterator<Item = u32> + '_ {
        let head = self.heads.get(bucket(name, self.heads.len())).copied();
        let found = |i: Option<u32>| i.filter(|&i| i != NONE);
        std::iter::successors(found(head), move |&i| found(self.next.get(i as usize).copied()))
    }
}

/// FNV-1a, with its better bits folded down; names are short.
fn bucket(name: &[u8], buckets: usize) -> usize {
    let hash = name
        .iter()
        .fold(0xcbf2_9ce4_8422_2325u64, |h, &b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    (hash ^ hash >> 32) as usize & buckets.wrapping_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_all_of_a_name_in_order() {
        let names = ["a", "", "b", "a", "c", "a"];
        let index = Index::new(names.iter().map(|n| n.as_bytes()));
        let find = |name: &str| -> Vec<u32> {
            let of_name = |i: &u32| names[*i as usize] == name;
            index.candidates(name.as_bytes()).filter(of_name).collect()
        };
        assert_eq!(find("a"), [0, 3, 5]);
        assert_eq!(find("c"), [4]);
        assert!(find("d").is_empty() && find("").is_empty());
        assert_eq!(Index::new(std::iter::empty()).candidates(b"a").count(), 0);
    }
}
