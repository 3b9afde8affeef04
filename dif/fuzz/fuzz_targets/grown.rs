// SPDX-License-Identifier: GPL-2.0
//! Programs that pass the verifier, grown from any bytes. Each runs within its bound and asks its
//! host only for what it may. An input grows sixteen programs, so that the fuzzer's own work is a
//! small part, and is mutated as often (`../run`), so that most of them are new. For every million
//! programs, a line reports how many were verified and run.
#![no_main]

use dif::generate::{grown_keeps_promise, COUNTS};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

static NEXT: AtomicU64 = AtomicU64::new(1_000_000);

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    for piece in bytes.chunks(bytes.len().div_ceil(16).max(40)) {
        grown_keeps_promise(piece);
    }
    let [verified, returned, faulted] = COUNTS.each_ref().map(|n| n.load(Relaxed));
    if verified >= NEXT.load(Relaxed) {
        NEXT.store(verified + 1_000_000, Relaxed);
        eprintln!("{verified} programs verified; {returned} runs returned, {faulted} faulted");
    }
});
