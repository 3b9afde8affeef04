// SPDX-License-Identifier: GPL-2.0
//! Any bytes: verifies them, and runs them if accepted. A run must halt within its length and ask
//! its host only for what it may; see `dif::harness`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    dif::harness::keeps_promise(bytes);
});
