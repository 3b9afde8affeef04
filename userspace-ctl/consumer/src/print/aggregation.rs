// SPDX-License-Identifier: GPL-2.0
//! Aggregations in columns: what printa() without a format and the end of a session print.

use super::value::{datum, Style, KEY_WIDTH};
use super::{put, quantize};
use crate::aggregate::{Row, Value};
use abi::aggregation::AggFunc;

/// Rows: keys, values, newline.
pub fn rows(out: &mut Vec<u8>, rows: &[Row], zoom: bool, is_raw: bool) {
    for row in rows {
        for key in &row.keys {
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
        _ => return false,
    }
    true
}
