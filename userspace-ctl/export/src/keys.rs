// SPDX-License-Identifier: GPL-2.0
//! Names for the keys of aggregations, where other tools want labels.

use recording::Aggregation;
use std::collections::HashSet;

/// Returns the names of an aggregation's keys: those that the compiler found in the program, or
/// else `key0` and so on. Two keys never share a name.
pub fn names(of: &Aggregation) -> Vec<String> {
    changed_names(of, str::to_owned)
}

/// Does the same with names that `change` has changed.
pub fn changed_names(of: &Aggregation, change: impl Fn(&str) -> String) -> Vec<String> {
    let count = of.entries.iter().map(|e| e.keys.len()).max().unwrap_or(0);
    let mut taken = HashSet::new();
    let free = |n: usize| {
        let own = of.keynames.get(n).filter(|name| !name.is_empty()).map(|name| change(name));
        let own = own.filter(|name| !taken.contains(name));
        let mut name = own.unwrap_or_else(|| format!("key{n}"));
        while taken.contains(&name) {
            name.push('_');
        }
        taken.insert(name.clone());
        name
    };
    (0..count).map(free).collect()
}
