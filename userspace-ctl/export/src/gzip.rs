// SPDX-License-Identifier: GPL-2.0
//! Compression of bodies.

use std::io::Write as _;

/// Returns the bytes in the form of gzip.
pub fn compressed(plain: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    // Writing to memory does not fail.
    let _ = out.write_all(plain);
    out.finish().unwrap_or_default()
}
