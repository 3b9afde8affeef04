// SPDX-License-Identifier: GPL-2.0
//! Prints everything, byte for byte as dtrace does: one kind of output in each file.
//!
//! Everything writes into a `Vec<u8>`, because strings of traced programs may not be UTF-8. What
//! may be longer than a few megabytes writes into an [`Out`], which passes it on piece by piece.

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
use std::fmt;
use std::io::{self, Write};
use std::ops::{Deref, DerefMut};

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

/// Text is written out in pieces of about this many bytes.
pub const AT_ONCE: usize = 64 << 10;

/// Text on its way to an output. A few bytes of data can have a long text, so no more than a piece
/// of it is kept in memory.
pub struct Out<'a> {
    text: &'a mut Vec<u8>,
    write: &'a mut dyn FnMut(&[u8]),
}

impl<'a> Out<'a> {
    /// Makes an output that appends to `text` and passes it to `write` when it has become long.
    pub fn new(text: &'a mut Vec<u8>, write: &'a mut dyn FnMut(&[u8])) -> Self {
        Self { text, write }
    }

    /// Passes the text on if it has become long. Long output calls this after each of its parts.
    #[inline]
    pub fn pass_on(&mut self) {
        if self.text.len() > AT_ONCE {
            (self.write)(self.text);
            self.text.clear();
        }
    }
}

impl Deref for Out<'_> {
    type Target = Vec<u8>;

    fn deref(&self) -> &Vec<u8> {
        self.text
    }
}

impl DerefMut for Out<'_> {
    fn deref_mut(&mut self) -> &mut Vec<u8> {
        self.text
    }
}

impl Write for Out<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.extend_from_slice(bytes);
        self.pass_on();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Debug for Out<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Out").field("text", &self.text).finish_non_exhaustive()
    }
}

/// Returns what `f` writes, and the length of its longest piece, for tests.
#[cfg(test)]
pub(crate) fn written(f: impl FnOnce(&mut Out<'_>)) -> (Vec<u8>, usize) {
    let (mut last, mut all, mut longest) = (Vec::new(), Vec::new(), 0);
    let mut write = |piece: &[u8]| {
        all.extend_from_slice(piece);
        longest = longest.max(piece.len());
    };
    f(&mut Out::new(&mut last, &mut write));
    write(&last);
    (all, longest)
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
pub(crate) fn append(out: &mut Vec<u8>, text: fmt::Arguments<'_>) {
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
