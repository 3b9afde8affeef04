// SPDX-License-Identifier: GPL-2.0
//! Prints everything, byte for byte as dtrace does: one kind of output in each file.
//!
//! Everything writes into a `Vec<u8>`, because strings of traced programs may not be UTF-8.

pub mod aggregation;
pub mod bars;
pub mod fault;
pub mod float;
pub mod form;
pub mod json;
pub mod listing;
pub mod net;
pub mod printf;
pub mod quantize;
pub mod report;
pub mod stack;
pub mod time;
pub mod typed;
pub mod value;

use form::Form;
use std::io::Write as _;

/// The name of a form in which a session prints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shape {
    /// Columns for a reader.
    #[default]
    Text,
    /// A JSON object on each line.
    Json,
}

impl Shape {
    /// Returns the form.
    pub fn form(self) -> &'static dyn Form {
        match self {
            Self::Text => &form::Text,
            Self::Json => &form::Json,
        }
    }
}

/// The greatest width and precision that data of a traced program can ask for. `format!` of newer
/// toolchains panics above `u16::MAX`, and `%g` adds a few digits to its precision.
pub(crate) const MOST_COLUMNS: usize = u16::MAX as usize - 16;

/// Appends formatted text.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {
        $crate::print::append($out, format_args!($($arg)*))
    };
}
pub(crate) use put;

/// Appends formatted text; writing to memory does not fail.
pub(crate) fn append(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// Appends bytes, padded with blanks to `width` columns.
pub(crate) fn pad_right(out: &mut Vec<u8>, bytes: &[u8], width: usize) {
    out.extend_from_slice(bytes);
    blanks(out, bytes, width);
}

/// Appends the blanks that bring `bytes` to `width` columns.
fn blanks(out: &mut Vec<u8>, bytes: &[u8], width: usize) {
    if width > 0 {
        out.resize(out.len() + width.saturating_sub(columns(bytes)), b' ');
    }
}

/// Appends bytes, padded with blanks in front to `width` columns.
pub(crate) fn pad_left(out: &mut Vec<u8>, bytes: &[u8], width: usize) {
    blanks(out, bytes, width);
    out.extend_from_slice(bytes);
}

/// Returns the columns on a terminal: characters if the bytes are UTF-8, else bytes.
fn columns(bytes: &[u8]) -> usize {
    std::str::from_utf8(bytes).map_or(bytes.len(), |s| s.chars().count())
}
