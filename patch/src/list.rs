// SPDX-License-Identifier: GPL-2.0
//! Long lists: appending, searching, sorting.

use kapi::mem;
use kernel::prelude::*;

/// Appends a value. It allocates rarely, because it doubles the capacity.
pub(crate) fn add<T>(to: &mut KVVec<T>, value: T) -> Result {
    if to.len() == to.capacity() {
        mem::reserve(to, to.len().max(64))?;
    }
    to.push_within_capacity(value).map_err(|_| ENOMEM)
}

/// Returns the index of the first member for which `p` holds; `p` must hold for all after it, too.
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

/// Tells whether an ascending list has this member.
pub(crate) fn has(list: &[u64], member: u64) -> bool {
    list.get(first(list, |m| *m >= member)) == Some(&member)
}

/// Sorts a list. A list that is in order already, as most are, takes one pass. Long lists are
/// sorted digit by digit if there is memory for it.
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

/// Removes neighbours with equal keys, except for the first.
pub(crate) fn unique<T: Copy>(list: &mut KVVec<T>, key: impl Fn(&T) -> u64) {
    let mut last = None;
    list.retain(|m| last.replace(key(m)) != Some(key(m)));
}

/// Shorter lists are not worth the tables of a sort by digits.
const FEW: usize = 512;

/// The number of bits in a digit.
const DIGIT: u32 = 9;

/// Sorts digit by digit. Returns `None`, and changes nothing, if memory is short.
fn sort_by_digits<T: Copy>(list: &mut [T], key: &impl Fn(&T) -> u64) -> Option<()> {
    let least = list.iter().map(key).min()?;
    let range = list.iter().map(key).max()?.wrapping_sub(least);
    let mut copy: KVVec<T> = mem::exact(list.len()).ok()?;
    let mut counts: KVVec<u64> = mem::filled(1 << DIGIT, 0).ok()?;
    let mut shift = 0u32;
    while shift < 64 && range >> shift != 0 {
        let digit = |m: &T| (key(m).wrapping_sub(least) >> shift) as usize & ((1 << DIGIT) - 1);
        copy.clear();
        for m in list.iter() {
            // The capacity suffices.
            let _ = copy.push_within_capacity(*m);
        }
        counts.fill(0);
        for m in copy.iter() {
            if let Some(n) = counts.get_mut(digit(m)) {
                *n = n.wrapping_add(1);
            }
        }
        // Turn the number of members with each digit into the index of the first of them.
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
