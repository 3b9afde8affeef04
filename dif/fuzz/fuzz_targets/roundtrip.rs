// SPDX-License-Identifier: GPL-2.0
//! Any words: lists them, and assembles the listing to the same words.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| dif::harness::reads_back(bytes));
