// SPDX-License-Identifier: GPL-2.0
//! Splits the text of a format into plain text and conversions.

use crate::format::{Conversion, Extent, Value};
use crate::types::Type;
use std::iter::Peekable;
use std::str::Chars;

/// Columns of `%?`: the digits of an address.
const POINTER_WIDTH: u32 = 16;

/// The widest column.
const MAX_EXTENT: u32 = 4096;

const LETTERS: &str = "aAcCdiIkopPsSTuxXYeEfFgG";

/// A format before its conversions have values.
pub struct Raw {
    pieces: Vec<RawPiece>,
}

/// A piece of such a format.
pub enum RawPiece {
    /// Plain text.
    Text(String),
    /// A conversion, and whether its width and its precision are `*`.
    Conversion(Conversion, (bool, bool)),
}

impl Raw {
    /// Returns the pieces; conversions are numbered from 1.
    pub fn numbered(self) -> impl Iterator<Item = (RawPiece, usize)> {
        let mut n = 0;
        self.pieces.into_iter().map(move |p| {
            n += usize::from(matches!(p, RawPiece::Conversion(..)));
            (p, n)
        })
    }
}

/// A malformed conversion, and what is wrong with it.
pub type Malformed = (String, String);

/// Splits text into pieces.
pub fn parse(text: &str) -> Result<Raw, Malformed> {
    let mut pieces = Vec::new();
    let mut plain = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            plain.push(c);
            continue;
        }
        if rest.next_if_eq(&'%').is_some() {
            plain.push('%');
            continue;
        }
        let conversion = Reader::new(&mut rest).read()?;
        if !plain.is_empty() {
            pieces.push(RawPiece::Text(std::mem::take(&mut plain)));
        }
        pieces.push(conversion);
    }
    if !plain.is_empty() {
        pieces.push(RawPiece::Text(plain));
    }
    Ok(Raw { pieces })
}

/// Reads a conversion, from behind its `%`.
struct Reader<'r, 't> {
    rest: &'r mut Peekable<Chars<'t>>,
    c: Conversion,
}

impl<'r, 't> Reader<'r, 't> {
    fn new(rest: &'r mut Peekable<Chars<'t>>) -> Self {
        let c = Conversion {
            left: false,
            plus: false,
            space: false,
            alternate: false,
            zero: false,
            group: false,
            aggregation: false,
            width: None,
            precision: None,
            length: String::new(),
            letter: '@',
            value: Value::Arg(0),
            text: "%".into(),
        };
        Self { rest, c }
    }

    /// Takes the next character if it is one of these.
    fn take(&mut self, one_of: &str) -> Option<char> {
        let taken = self.rest.next_if(|c| one_of.contains(*c))?;
        self.c.text.push(taken);
        Some(taken)
    }

    fn read(mut self) -> Result<RawPiece, Malformed> {
        self.flags("-+ #0'");
        // `@` may come before or after the width.
        self.at();
        if self.c.aggregation {
            self.flags("-+#0'");
        }
        let (width, star_width) = self.extent()?;
        self.c.width = width;
        let mut star_precision = false;
        if self.take(".").is_some() {
            (self.c.precision, star_precision) = self.extent()?;
            // A precision of 0 means none.
            self.c.precision = self.c.precision.filter(|p| *p != Extent::Fixed(0));
        }
        self.at();
        while let Some(l) = self.take("hlLwqjzt") {
            self.c.length.push(l);
        }
        match self.take(LETTERS) {
            Some(l) => self.c.letter = l,
            None if self.c.aggregation && self.c.length.is_empty() => {}
            None => {
                let found = self.rest.peek().map_or("ends too early".to_string(), |l| {
                    format!("followed by `{}` is not a conversion", l.escape_debug())
                });
                return Err((self.c.text, found));
            }
        }
        Ok(RawPiece::Conversion(self.c, (star_width, star_precision)))
    }

    fn flags(&mut self, which: &str) {
        while let Some(f) = self.take(which) {
            match f {
                '-' => self.c.left = true,
                '+' => self.c.plus = true,
                ' ' => self.c.space = true,
                '#' => self.c.alternate = true,
                '0' => self.c.zero = true,
                _ => self.c.group = true,
            }
        }
    }

    fn at(&mut self) {
        self.c.aggregation |= self.take("@").is_some();
    }

    /// Reads a width or a precision, and tells whether it is `*`.
    fn extent(&mut self) -> Result<(Option<Extent>, bool), Malformed> {
        match self.take("*?") {
            Some('*') => return Ok((None, true)),
            Some(_) => return Ok((Some(Extent::Fixed(POINTER_WIDTH)), false)),
            None => {}
        }
        let mut n: Option<u32> = None;
        while let Some(d) = self.take("0123456789") {
            let digit = d.to_digit(10).unwrap_or(0);
            let v = n.unwrap_or(0).saturating_mul(10).saturating_add(digit);
            if v > MAX_EXTENT {
                let text = self.c.text.clone();
                return Err((text, format!("is wider than {MAX_EXTENT} columns")));
            }
            n = Some(v);
        }
        Ok((n.map(Extent::Fixed), false))
    }
}

/// Turns `%d` of an unsigned value into `%u`, because the printer knows only sizes. `%i` is always
/// signed.
pub fn adapt(c: &mut Conversion, ty: &Type) {
    if c.letter == 'd' && ty.int().is_some_and(|i| !i.signed) {
        c.letter = 'u';
    }
}
