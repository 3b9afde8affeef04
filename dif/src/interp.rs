// SPDX-License-Identifier: GPL-2.0
//! The loop.

use crate::difo::Difo;
use crate::env::Env;
use crate::fault::Fault;
use crate::scratch::Clause;
use crate::verify::Verified;

/// Runs an object to its `ret`.
pub fn run<D: Difo, E: Env>(
    _difo: &Verified<D>,
    _clause: &mut Clause<'_>,
    _env: &mut E,
) -> Result<u64, Fault> {
    todo!()
}

/// Copies the bytes that a returned address denotes, for recording.
pub fn fetch_bytes<D: Difo, E: Env>(
    _difo: &Verified<D>,
    _clause: &mut Clause<'_>,
    _env: &mut E,
    _addr: u64,
    _out: &mut [u8],
) -> Result<(), Fault> {
    todo!()
}

/// Copies the string that a returned address denotes and fills the rest with zeros; at least one
/// zero stays. Answers the length. A NULL string is empty.
pub fn fetch_str<D: Difo, E: Env>(
    _difo: &Verified<D>,
    _clause: &mut Clause<'_>,
    _env: &mut E,
    _addr: u64,
    _out: &mut [u8],
) -> Result<usize, Fault> {
    todo!()
}
