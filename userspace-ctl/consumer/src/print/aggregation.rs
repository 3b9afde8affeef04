// SPDX-License-Identifier: GPL-2.0
//! Aggregations in columns: what printa() without a format and the end of a session print.

use super::value::{datum, Style, KEY_WIDTH};
use super::{put, quantize, stack};
use crate::aggregate::{Row, Value};
use crate::symbol::Symbols;
use abi::aggregation::AggFunc;

/// What decides how they look.
#[derive(Debug, Clone, Copy)]
pub struct Look<'a> {
    /// `-x aggzoom`.
    pub zoom: bool,
    /// `-x rawbytes`.
    pub is_raw: bool,
    /// `-x stackindent`.
    pub indent: usize,
    /// For stacks.
    pub symbols: &'a Symbols,
}

/// Rows: keys, values, newline.
pub fn rows(out: &mut Vec<u8>, rows: &[Row], look: Look<'_>) {
    let Look { zoom, is_raw, indent, symbols } = look;
    for row in rows {
        for key in &row.keys {
            if stack::is_stack(key.action) {
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
}

/// Draws a distribution; false if the value is none.
pub fn distribution(out: &mut Vec<u8>, value: &Value, zoom: bool) -> bool {
    match value.func {
        AggFunc::Quantize => quantize::quantize(out, &value.words, value.normal, zoom),
        AggFunc::Lquantize(l) => quantize::lquantize(out, l, &value.words, value.normal, zoom),
        AggFunc::Llquantize(l) => quantize::llquantize(out, l, &value.words, value.normal, zoom),
        _ => return false,
    }
    true
}
