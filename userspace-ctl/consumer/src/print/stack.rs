// SPDX-License-Identifier: GPL-2.0
//! Prints stacks and symbols, which only actions can record.

use super::value::KEY_WIDTH;
use super::{pad_right, put};
use crate::symbol::Symbols;
use abi::action::ActionKind;

/// Prints a stack with a line for each frame.
pub fn stack(out: &mut Vec<u8>, kind: ActionKind, bytes: &[u8], indent: usize, symbols: &Symbols) {
    out.push(b'\n');
    for frame in symbols.frames(kind, bytes, indent) {
        out.resize(out.len() + indent, b' ');
        put!(out, "{frame}\n");
    }
}

/// Prints a symbol in its column.
pub fn symbol(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(b"  ");
    pad_right(out, name.as_bytes(), KEY_WIDTH);
}
