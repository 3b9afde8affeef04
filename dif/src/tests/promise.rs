// SPDX-License-Identifier: GPL-2.0
//! Any bytes: verify, then run. The same property as the fuzz targets, with a seeded generator.
//!
//! `DIF_CASES` runs that many cases instead, `DIF_SEED` others than usual.

use crate::harness::{keeps_promise, many_cases, reads_back, Fate};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

#[test]
fn any_bytes_keep_the_promise() {
    let cases = setting("DIF_CASES", 200_000);
    let [refused, returned, faulted] =
        many_cases(setting("DIF_SEED", 0x9e37_79b9_7f4a_7c15), cases as usize);
    println!("{refused} refused, {returned} returned, {faulted} faulted");
    // A generator that never gets past the verifier, or never to a `ret`, tests nothing.
    let most = cases as usize / 20;
    assert!(refused > most && returned > most && faulted > most);
}

#[test]
fn nothing_is_a_program() {
    assert_eq!(keeps_promise(&[]), Fate::Refused);
    assert_eq!(keeps_promise(&[0; 64]), Fate::Refused);
    reads_back(&[]);
}
