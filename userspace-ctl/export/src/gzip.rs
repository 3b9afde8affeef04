// SPDX-License-Identifier: GPL-2.0
//! Compression of requests, answers and profiles.

use flate2::write::GzEncoder;
pub use flate2::Compression;
use std::io::Write as _;

/// Returns the bytes in the form of gzip.
pub fn compressed(plain: &[u8], level: Compression) -> Vec<u8> {
    let mut out = GzEncoder::new(Vec::new(), level);
    // Writing to memory does not fail.
    let _ = out.write_all(plain);
    out.finish().unwrap_or_default()
}
