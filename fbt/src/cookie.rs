// SPDX-License-Identifier: GPL-2.0
//! The number by which fbt knows a probe.

use patch::{Target, View, MAX_CATALOGS, MAX_FUNCTIONS};

/// The catalog, the function in it, and whether the probe is on the return.
#[derive(Clone, Copy)]
pub(crate) struct Cookie(pub(crate) u32);

/// The number of bits for the function's number and for entry or return. The catalog's number has
/// the rest.
const FUNCTION_BITS: u32 = 20;
const _: () = assert!(MAX_FUNCTIONS << 1 == 1 << FUNCTION_BITS);
const _: () = assert!(MAX_CATALOGS == 1 << (32 - FUNCTION_BITS));

impl Cookie {
    pub(crate) fn new(catalog: usize, function: usize, is_return: bool) -> Self {
        // CAST: both are below their limits.
        Self((catalog as u32) << FUNCTION_BITS | (function as u32) << 1 | u32::from(is_return))
    }

    pub(crate) fn target(self) -> Target {
        Target {
            catalog: (self.0 >> FUNCTION_BITS) as usize,
            function: (self.0 >> 1) as usize & (MAX_FUNCTIONS - 1),
            is_return: self.0 & 1 != 0,
            view: View::Function,
        }
    }
}
