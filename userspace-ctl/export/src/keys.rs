// SPDX-License-Identifier: GPL-2.0
//! Names for the keys of aggregations, where other tools want labels.

use recording::Aggregation;

/// Returns the name of key `n` (from 0): the one that the compiler found in the program, or else
/// `key0` and so on. Two keys never share a name.
pub fn name(aggregation: &Aggregation, n: usize) -> String {
    let plain = || format!("key{n}");
    let Some(name) = aggregation.keynames.get(n).filter(|k| !k.is_empty()) else { return plain() };
    let is_taken = aggregation.keynames.iter().take(n).any(|k| k == name);
    if is_taken {
        plain()
    } else {
        name.clone()
    }
}
