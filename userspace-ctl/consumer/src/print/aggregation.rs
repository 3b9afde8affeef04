// SPDX-License-Identifier: GPL-2.0
//! Prints aggregations in columns, for printa() without a format and at the end of a session.

use super::bars::{self, Encoding};
use super::value::{datum, Style, KEY_WIDTH};
use super::{put, quantize, stack, Out};
use crate::aggregate::{Row, Rows, Value};
use crate::datum::is_stack;
use crate::symbol::Symbols;

/// The settings that decide how aggregations look.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// `-x aggzoom`.
    pub zoom: bool,
    /// `-x agghist`.
    pub is_hist: bool,
    /// `-x aggpack`, with the characters to use.
    pub pack: Option<Encoding>,
    /// `-x rawbytes`.
    pub is_raw: bool,
    /// `-x stackindent`.
    pub indent: usize,
    /// The symbols for stacks.
    pub symbols: &'a Symbols,
}

/// Prints rows of keys and values, or bars if they are wanted and the rows allow them.
pub fn rows(out: &mut Out<'_>, rows: &Rows<'_>, look: Look<'_>) {
    let Look { zoom, is_hist, pack, .. } = look;
    if is_hist && bars::hist(out, rows, zoom)
        || pack.is_some_and(|encoding| bars::pack(out, rows, zoom, encoding))
    {
        return;
    }
    for each in rows.iter() {
        row(out, &each, look);
        out.pass_on();
    }
}

fn row(out: &mut Vec<u8>, row: &Row<'_>, look: Look<'_>) {
    let Look { zoom, is_raw, indent, symbols, .. } = look;
    for key in row.keys {
        if is_stack(key.action) {
            stack::stack(out, key.action, &key.bytes, indent, symbols);
            continue;
        }
        let is_unsigned = key.is_unsigned;
        let style = Style { is_quiet: false, is_raw, width: KEY_WIDTH, is_unsigned };
        datum(out, &key.bytes, key.ty, style);
    }
    for value in &row.values {
        if !distribution(out, value, zoom) {
            put!(out, " {:16}", value.scalar());
        }
    }
    out.push(b'\n');
}

/// Draws a distribution; returns false if the value is not a distribution.
pub fn distribution(out: &mut Vec<u8>, value: &Value, zoom: bool) -> bool {
    quantize::distribution(out, value.func, &value.words, value.normal, zoom)
}
