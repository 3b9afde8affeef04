// SPDX-License-Identifier: GPL-2.0
//! Names of types, each kept once for the life of the process: types are copied often, and only
//! messages show the names.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

static NAMES: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);

/// Returns the one copy of this name.
pub fn intern(name: &str) -> &'static str {
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    let names = names.get_or_insert_with(HashSet::new);
    match names.get(name) {
        Some(known) => known,
        None => {
            let kept: &'static str = Box::leak(name.into());
            names.insert(kept);
            kept
        }
    }
}
