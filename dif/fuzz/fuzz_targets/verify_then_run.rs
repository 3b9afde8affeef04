// SPDX-License-Identifier: GPL-2.0
//! Any bytes: verify, and if accepted run. It must halt within its length and ask its host only
//! for what it may; `dif::harness` says what that is.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    dif::harness::keeps_promise(bytes);
});
