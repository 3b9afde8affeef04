// SPDX-License-Identifier: GPL-2.0
//! Long lists: appending, searching, sorting.

use kapi::mem;
use kernel::prelude::*;

/// Appends a value; memory is asked for rarely.
pub(crate) fn add<T>(to: &mut KVVec<T>, value: T) -> Result {
    if to.len() == to.capacity() {
        mem::reserve(to, to.len().max(64))?;
    }
    to.push_within_capacity(value).map_err(|_| ENOMEM)
}

/// Position of the first member for which `p` holds; it holds for all behind that, too.
pub(crate) fn first<T>(list: &[T], p: impl Fn(&T) -> bool) -> usize {
    let (mut low, mut high) = (0, list.len());
    while low < high {
        let middle = low.wrapping_add(high.wrapping_sub(low) / 2);
        match list.get(middle) {
            Some(m) if !p(m) => low = middle.wrapping_add(1),
            _ => high = middle,
        }
    }
    low
}

/// Sorts. What is in order already, as most is, stays as it is; long lists are sorted digit by digit if
/// there is memory for it.
pub(crate) fn sort<T: Copy>(list: &mut [T], key: impl Fn(&T) -> u64) {
    let mut pairs = list.iter().zip(list.iter().skip(1));
    if pairs.all(|(a, b)| key(a) <= key(b)) {
        return;
    }
    drop(pairs);
    if list.len() < FEW || sort_by_digits(list, &key).is_none() {
        kapi::sort::heap(list, &key);
    }
}

/// Keeps the first of neighbours with the same key.
pub(crate) fn unique<T: Copy>(list: &mut KVVec<T>, key: impl Fn(&T) -> u64) {
    let mut last = None;
    list.retain(|m| last.replace(key(m)) != Some(key(m)));
}

/// Shorter lists are not worth a table.
const FEW: usize = 512;

/// Bits of a digit.
const DIGIT: u32 = 9;

/// `None`, and nothing has changed, if there is no memory.
fn sort_by_digits<T: Copy>(list: &mut [T], key: &impl Fn(&T) -> u64) -> Option<()> {
    let least = list.iter().map(key).min()?;
    let range = list.iter().map(key).max()?.wrapping_sub(least);
    let mut copy: KVVec<T> = mem::exact(list.len()).ok()?;
    let mut counts: KVVec<u64> = mem::zeroed_words(1 << DIGIT).ok()?;
    let mut shift = 0u32;
    while shift < 64 && range >> shift != 0 {
        let digit = |m: &T| (key(m).wrapping_sub(least) >> shift) as usize & ((1 << DIGIT) - 1);
        copy.clear();
        for m in list.iter() {
            // There is room.
            let _ = copy.push_within_capacity(*m);
        }
        counts.fill(0);
        for m in copy.iter() {
            if let Some(n) = counts.get_mut(digit(m)) {
                *n = n.wrapping_add(1);
            }
        }
        // How many have the digit: where the first of them goes.
        let mut sum = 0u64;
        for n in counts.iter_mut() {
            sum = sum.wrapping_add(core::mem::replace(n, sum));
        }
        for m in copy.iter() {
            let Some(at) = counts.get_mut(digit(m)) else { continue };
            if let Some(to) = list.get_mut(*at as usize) {
                *to = *m;
            }
            *at = at.wrapping_add(1);
        }
        shift = shift.wrapping_add(DIGIT);
    }
    Some(())
}
