// SPDX-License-Identifier: GPL-2.0
//! Sorting without memory and without recursion. The sorts of `core` can panic in ways that objtool
//! does not know, so the module uses none of them.

/// Sorts by a key, ascending. A sorted list is left unchanged.
///
/// # Context
///
/// *any*
pub fn heap<T: Copy>(list: &mut [T], key: &impl Fn(&T) -> u64) {
    if list.iter().is_sorted_by_key(key) {
        return;
    }
    let len = list.len();
    for root in (0..len / 2).rev() {
        sift(list, root, len, key);
    }
    for end in (1..len).rev() {
        swap(list, 0, end);
        sift(list, 0, end, key);
    }
}

fn sift<T: Copy>(list: &mut [T], mut root: usize, end: usize, key: &impl Fn(&T) -> u64) {
    let at = |list: &[T], i: usize| list.get(i).map_or(0, key);
    loop {
        let mut child = root.wrapping_mul(2).wrapping_add(1);
        if child >= end {
            return;
        }
        let right = child.wrapping_add(1);
        if right < end && at(list, right) > at(list, child) {
            child = right;
        }
        if at(list, root) >= at(list, child) {
            return;
        }
        swap(list, root, child);
        root = child;
    }
}

fn swap<T: Copy>(list: &mut [T], a: usize, b: usize) {
    let (Some(&x), Some(&y)) = (list.get(a), list.get(b)) else { return };
    if let Some(p) = list.get_mut(a) {
        *p = y;
    }
    if let Some(p) = list.get_mut(b) {
        *p = x;
    }
}
