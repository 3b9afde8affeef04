// SPDX-License-Identifier: GPL-2.0
//! Numbers, strings and characters.

use super::{is_ident_char, Lexer};
use crate::diag::{Diagnostic, Tag};
use crate::source::Span;
use crate::token::Tok;
use crate::types::Int;

impl<'a> Lexer<'a> {
    pub(super) fn number(&mut self) -> Tok {
        let start = self.pos;
        let text = self.digits();
        let has_fraction = self.rest().starts_with('.')
            && self.rest().chars().nth(1).is_some_and(|c| c.is_ascii_digit());
        if has_fraction {
            self.bump();
            self.take_while(is_ident_char);
            let span = Span::new(start, self.pos);
            self.complain(
                Diagnostic::new(Tag::Syntax, span, "floating-point constants are not permitted")
                    .label("D computes with integers only"),
            );
            return Tok::Bad;
        }
        let behind = self.pos;
        let word = self.take_while(is_ident_char);
        if !word.is_empty() {
            let message = format!("syntax error near `{word}`");
            let d = Diagnostic::new(Tag::Syntax, Span::new(behind, self.pos), message);
            self.complain(d.label(format!("the number ends before it: {text}")));
            return Tok::Bad;
        }
        match integer(text) {
            Ok((v, ty)) => Tok::Int(v, ty),
            Err(why) => {
                self.complain(why.diagnostic(text, Span::new(start, self.pos)));
                Tok::Bad
            }
        }
    }

    /// Reads the text of a number: its digits and the letters of its type.
    fn digits(&mut self) -> &'a str {
        let rest = self.rest();
        let is_hex = rest.get(..2).is_some_and(|p| p.eq_ignore_ascii_case("0x"))
            && rest.chars().nth(2).is_some_and(|c| c.is_ascii_hexdigit());
        match is_hex {
            true => {
                self.pos += 2;
                self.take_while(|c| c.is_ascii_hexdigit());
            }
            false => {
                self.take_while(|c| c.is_ascii_digit());
            }
        }
        let len = rest.len() - self.rest().len();
        let suffix = self.rest().find(|c: char| !"uUlL".contains(c)).unwrap_or(self.rest().len());
        let suffix_text = self.rest().get(..suffix).unwrap_or("").to_ascii_lowercase();
        let ends = self
            .rest()
            .get(suffix..)
            .and_then(|r| r.chars().next())
            .is_none_or(|c| !is_ident_char(c));
        if ends && matches!(suffix_text.as_str(), "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") {
            self.pos += suffix;
            return rest.get(..len + suffix).unwrap_or("");
        }
        rest.get(..len).unwrap_or("")
    }

    pub(super) fn string(&mut self) -> Tok {
        let start = self.pos;
        self.bump();
        let mut out = Vec::new();
        loop {
            match self.bump() {
                Some('"') => return Tok::Str(out),
                Some('\\') => self.escape(&mut out),
                None | Some('\n') => {
                    let end = if self.text.as_bytes().get(self.pos.wrapping_sub(1)) == Some(&b'\n')
                    {
                        self.pos - 1
                    } else {
                        self.pos
                    };
                    let span = Span::new(start, end);
                    self.complain(
                        Diagnostic::new(Tag::StrNl, span, "newline encountered in string literal")
                            .label("expected `\"` before the end of the line"),
                    );
                    return Tok::Bad;
                }
                Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
    }

    pub(super) fn character(&mut self) -> Tok {
        let start = self.pos;
        self.bump();
        let mut out = Vec::new();
        loop {
            match self.bump() {
                Some('\'') => break,
                Some('\\') => self.escape(&mut out),
                None | Some('\n') => {
                    let span = Span::new(start, start + 1);
                    self.complain(
                        Diagnostic::new(
                            Tag::ChrNl,
                            span,
                            "newline encountered in character constant",
                        )
                        .label("expected `'` before the end of the line"),
                    );
                    return Tok::Bad;
                }
                Some(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        let span = Span::new(start, self.pos);
        match out.as_slice() {
            [] => {
                self.complain(Diagnostic::new(Tag::ChrNull, span, "empty character constant"));
                Tok::Bad
            }
            [c] => Tok::Int(Int::CHAR.wrap(u64::from(*c)), Int::INT),
            many if many.len() > 8 => {
                self.complain(
                    Diagnostic::new(Tag::ChrOflow, span, "character constant is too long")
                        .label(format!("{} bytes, 8 at most", many.len())),
                );
                Tok::Bad
            }
            many => {
                let v = many.iter().fold(0u64, |v, b| v << 8 | u64::from(*b));
                let ty = if many.len() > 4 { Int::LONG } else { Int::INT };
                Tok::Int(ty.wrap(v), ty)
            }
        }
    }

    fn escape(&mut self, out: &mut Vec<u8>) {
        let digit = |c: char, radix| c.to_digit(radix).map(|d| d as u8);
        let Some(c) = self.bump() else { return };
        let byte = match c {
            'a' => 7,
            'b' => 8,
            't' => b'\t',
            'n' => b'\n',
            'v' => 11,
            'f' => 12,
            'r' => b'\r',
            '\n' => return,
            'x' => {
                let text = self.take_while(|c| c.is_ascii_hexdigit());
                text.chars().filter_map(|c| digit(c, 16)).fold(0u8, |v, d| v.wrapping_mul(16) | d)
            }
            c if digit(c, 8).is_some() => {
                let mut v = digit(c, 8).unwrap_or(0);
                for _ in 0..2 {
                    match self.peek().and_then(|c| digit(c, 8)) {
                        Some(d) => v = v.wrapping_mul(8).wrapping_add(d),
                        None => break,
                    }
                    self.bump();
                }
                v
            }
            c => {
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                return;
            }
        };
        out.push(byte);
    }
}

/// The reason why a number is wrong.
pub(super) enum BadInt {
    Overflow,
    Digit(char, u32),
}

impl BadInt {
    pub(super) fn diagnostic(&self, text: &str, span: Span) -> Diagnostic {
        match self {
            Self::Overflow => Diagnostic::new(
                Tag::IntOflow,
                span,
                format!("integer constant {text} is too large"),
            )
            .label("needs more than 64 bits"),
            Self::Digit(c, base) => {
                let message = format!("integer constant {text} contains invalid digit `{c}`");
                Diagnostic::new(Tag::IntDigit, span, message).label(format!("base {base}"))
            }
        }
    }
}

/// Parses an integer in C's form; returns it with the type that C gives it.
pub(super) fn integer(text: &str) -> Result<(u64, Int), BadInt> {
    let lower = text.to_ascii_lowercase();
    let (radix, body) = if let Some(hex) = lower.strip_prefix("0x") {
        (16, hex)
    } else if lower.len() > 1 && lower.starts_with('0') {
        (8, lower.get(1..).unwrap_or(""))
    } else {
        (10, lower.as_str())
    };
    let digits = body.trim_end_matches(['u', 'l']);
    let suffix = body.get(digits.len()..).unwrap_or("");
    if !matches!(suffix, "" | "u" | "l" | "ul" | "lu" | "ll" | "ull" | "llu") {
        return Err(BadInt::Digit(suffix.chars().next().unwrap_or('?'), radix));
    }
    if digits.is_empty() && radix != 8 {
        return Err(BadInt::Digit('x', radix));
    }
    let mut value: u64 = 0;
    for c in digits.chars() {
        let d = c.to_digit(radix).ok_or(BadInt::Digit(c, radix))?;
        value = value
            .checked_mul(u64::from(radix))
            .and_then(|v| v.checked_add(u64::from(d)))
            .ok_or(BadInt::Overflow)?;
    }
    let (unsigned, long) = (suffix.contains('u'), suffix.contains('l'));
    let fits = |ty: Int| {
        let sign_ok = if ty.signed { !unsigned } else { unsigned || radix != 10 || ty.size == 8 };
        sign_ok
            && (!long || ty.size == 8)
            && ty.wrap(value) == value
            && (!ty.signed || value as i64 >= 0)
    };
    let ty = [Int::INT, Int::UINT, Int::LONG, Int::ULONG].into_iter().find(|ty| fits(*ty));
    Ok((value, ty.unwrap_or(Int::ULONG)))
}
