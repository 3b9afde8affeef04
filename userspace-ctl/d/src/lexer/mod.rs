// SPDX-License-Identifier: GPL-2.0
//! Turns text into tokens on demand. The parser says whether it wants a probe description or a
//! token of an expression, because the same characters mean different things there.

mod literal;

use std::collections::BTreeMap;

use crate::diag::{Diagnostic, Tag};
use crate::macros;
use crate::source::Span;
use crate::token::{Tok, Token, PUNCTS};
use crate::types::Int;
use crate::Options;
use literal::integer;

/// Reads one source.
pub struct Lexer<'a> {
    text: &'a str,
    pos: usize,
    options: &'a Options,
    /// Complaints that the parser has not taken yet.
    pub diagnostics: Vec<Diagnostic>,
    /// Control lines (`#pragma ..`) by their place, so that reading a line twice records it once.
    pub controls: BTreeMap<usize, Span>,
    /// Macro arguments that were used.
    pub used_args: Vec<usize>,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of `text`.
    pub fn new(text: &'a str, options: &'a Options) -> Self {
        Self {
            text,
            pos: 0,
            options,
            diagnostics: Vec::new(),
            controls: BTreeMap::new(),
            used_args: Vec::new(),
        }
    }

    /// The offset at which the next read begins.
    pub fn pos(&self) -> usize {
        self.pos
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.pos..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let hit = self.rest().starts_with(text);
        if hit {
            self.pos += text.len();
        }
        hit
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let len = rest.find(|c| !keep(c)).unwrap_or(rest.len());
        self.pos += len;
        rest.get(..len).unwrap_or("")
    }

    fn complain(&mut self, d: Diagnostic) {
        self.diagnostics.push(d);
    }

    /// Skips blanks, comments and control lines.
    pub fn skip_blank(&mut self) {
        loop {
            self.take_while(char::is_whitespace);
            let start = self.pos;
            if self.eat("//") {
                self.take_while(|c| c != '\n');
            } else if self.eat("/*") {
                match self.rest().find("*/") {
                    Some(len) => self.pos += len + 2,
                    None => {
                        self.pos = self.text.len();
                        let span = Span::new(start, start + 2);
                        self.complain(
                            Diagnostic::new(Tag::Syntax, span, "comment is not closed")
                                .label("expected `*/` before the end of the text"),
                        );
                    }
                }
            } else if self.rest().starts_with('#') && self.is_line_start(start) {
                self.take_while(|c| c != '\n');
                self.controls.insert(start, Span::new(start, self.pos));
            } else {
                return;
            }
        }
    }

    fn is_line_start(&self, at: usize) -> bool {
        let before = self.text.get(..at).unwrap_or("");
        before.rsplit('\n').next().unwrap_or("").trim().is_empty()
    }

    /// Tells whether the first character after blanks and comments from `at` on satisfies
    /// `is_such`.
    pub fn follows(&mut self, at: usize, is_such: impl Fn(char) -> bool) -> bool {
        let back = std::mem::replace(&mut self.pos, at);
        let count = self.diagnostics.len();
        self.skip_blank();
        let found = self.peek().is_some_and(is_such);
        self.diagnostics.truncate(count);
        self.pos = back;
        found
    }

    /// Returns the name after a backquote at `at`; the name before the backquote is its scope.
    pub fn scoped_name(&self, at: usize) -> Option<&'a str> {
        let rest = self.text.get(at..)?.strip_prefix('`')?;
        let end = rest.find(|c| !is_ident_char(c)).unwrap_or(rest.len());
        rest.get(..end).filter(|name| !name.is_empty())
    }

    /// Returns the name of a file that a process has mapped, such as a.out or libc.so.6, if the
    /// identifier at `span` begins one and a backquote follows it.
    pub fn object_of_process(&self, span: Span) -> Option<&'a str> {
        let rest = self.text.get(span.start..)?;
        let end = rest.find(|c: char| !is_ident_char(c) && !".-+".contains(c))?;
        let name = rest.get(..end).filter(|_| rest.get(end..).is_some_and(|r| r.starts_with('`')));
        name.filter(|n| n.contains(".so") || *n == "a.out")
    }

    /// Tells whether only `{` or the end follows `at`: then the `/` before `at` ends a predicate.
    pub fn ends_predicate(&mut self, at: usize) -> bool {
        let back = std::mem::replace(&mut self.pos, at);
        let count = self.diagnostics.len();
        self.skip_blank();
        let ends = matches!(self.peek(), None | Some('{'));
        self.diagnostics.truncate(count);
        self.pos = back;
        ends
    }

    /// Reads a probe description or a keyword at the top level and replaces macro variables in it.
    /// Returns `None` if neither is there.
    pub fn word(&mut self) -> Option<(String, Span)> {
        self.skip_blank();
        let start = self.pos;
        let mut out = String::new();
        while let Some(c) = self.peek() {
            if c == '$' {
                let at = self.pos;
                self.bump();
                let is_string = self.eat("$");
                let name = self.macro_name();
                if name.is_empty() {
                    out.push('$');
                    continue;
                }
                out.push_str(&self.macro_text(name, is_string, Span::new(at, self.pos)));
            } else if c == '"' && (self.pos > start || self.is_quoted_description()) {
                self.bump();
                let quoted = self.take_while(|c| c != '"' && c != '\n');
                out.extend(quoted.chars().map(|c| if c == ':' { QUOTED_COLON } else { c }));
                if !self.eat("\"") {
                    let span = Span::new(start, self.pos);
                    let message = "newline encountered in string literal";
                    self.complain(
                        Diagnostic::new(Tag::StrNl, span, message)
                            .label("expected `\"` before the end of the line"),
                    );
                }
            } else if is_spec_char(c) {
                self.bump();
                out.push(c);
            } else {
                break;
            }
        }
        (self.pos > start).then(|| (out, Span::new(start, self.pos)))
    }

    /// Reads the name after a `$`. An argument's name ends with its digits: `tick-$1ms`.
    fn macro_name(&mut self) -> &'a str {
        match self.peek() {
            Some(c) if c.is_ascii_digit() => self.take_while(|c| c.is_ascii_digit()),
            _ => self.take_while(is_ident_char),
        }
    }

    /// Tells whether a description begins with a quoted part, that is, whether `:` follows the
    /// quotes.
    fn is_quoted_description(&self) -> bool {
        let mut parts = self.rest().splitn(3, '"').skip(2);
        parts.next().is_some_and(|behind| behind.starts_with(':'))
    }

    fn macro_text(&mut self, name: &str, is_string: bool, span: Span) -> String {
        if let Ok(n) = name.parse() {
            self.used_args.push(n);
        }
        macros::value(self.options, name, is_string, span).unwrap_or_else(|d| {
            self.complain(d);
            "0".into()
        })
    }

    /// Reads the next token.
    pub fn token(&mut self) -> Token {
        self.skip_blank();
        let start = self.pos;
        let tok = match self.peek() {
            None => Tok::Eof,
            Some(c) if c.is_ascii_digit() => self.number(),
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                Tok::Ident(self.take_while(is_ident_char).into())
            }
            Some('"') => self.string(),
            Some('\'') => self.character(),
            Some('@') => {
                self.bump();
                Tok::Agg(self.take_while(is_ident_char).into())
            }
            Some('$') => self.macro_variable(),
            Some(c) => match PUNCTS
                .iter()
                .find(|p| p.starts_with(c) && self.rest().starts_with(**p))
            {
                Some(p) => {
                    self.pos += p.len();
                    Tok::Punct(p)
                }
                None => {
                    self.bump();
                    let span = Span::new(start, self.pos);
                    let message = format!("syntax error: `{}` is not D", c.escape_debug());
                    self.complain(Diagnostic::new(Tag::Syntax, span, message).label("unexpected"));
                    Tok::Bad
                }
            },
        };
        Token { tok, span: Span::new(start, self.pos) }
    }

    fn macro_variable(&mut self) -> Tok {
        let start = self.pos;
        self.bump();
        let is_string = self.eat("$");
        let name = self.macro_name();
        let span = Span::new(start, self.pos);
        if name.is_empty() {
            self.complain(
                Diagnostic::new(Tag::Syntax, span, "syntax error: `$` without a name")
                    .label("expected a macro variable such as $1 or $target"),
            );
            return Tok::Bad;
        }
        let text = self.macro_text(name, is_string, span);
        if is_string {
            return Tok::Str(text.into_bytes());
        }
        let (digits, negative) = match text.strip_prefix('-') {
            Some(digits) => (digits, true),
            None => (text.as_str(), false),
        };
        if digits.starts_with(|c: char| c.is_ascii_digit()) {
            return match integer(digits) {
                Ok((v, _)) if negative => {
                    let v = v.wrapping_neg();
                    Tok::Int(v, if Int::INT.wrap(v) == v { Int::INT } else { Int::LONG })
                }
                Ok((v, ty)) => Tok::Int(v, ty),
                Err(why) => {
                    self.complain(why.diagnostic(&text, span));
                    Tok::Bad
                }
            };
        }
        // Any other text takes the place of a name.
        Tok::Ident(text)
    }
}

/// The character that replaces a `:` inside quotes, which does not separate fields.
pub const QUOTED_COLON: char = '\u{1}';

fn is_ident_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Tells whether a probe description may contain the character.
fn is_spec_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-:_.?*\\[]!`+@~%^=<>|".contains(c) || !c.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> (Vec<Tok>, Vec<&'static str>) {
        let options = Options {
            args: ["d", "7", "foo", "a b"].map(String::from).into(),
            ..Default::default()
        };
        let mut lexer = Lexer::new(text, &options);
        let mut out = Vec::new();
        loop {
            match lexer.token().tok {
                Tok::Eof => break,
                t => out.push(t),
            }
        }
        (out, lexer.diagnostics.iter().map(|d| d.tag.name()).collect())
    }

    #[test]
    fn integers_have_cs_types() {
        for (text, value, ty) in [
            ("0", 0, Int::INT),
            ("2147483647", 0x7fff_ffff, Int::INT),
            ("2147483648", 0x8000_0000, Int::LONG),
            ("0x80000000", 0x8000_0000, Int::UINT),
            ("1u", 1, Int::UINT),
            ("1L", 1, Int::LONG),
            ("017", 15, Int::INT),
            ("18446744073709551615", u64::MAX, Int::ULONG),
            ("'a'", 97, Int::INT),
            ("'\\n'", 10, Int::INT),
            ("'\\xff'", u64::MAX, Int::INT),
            ("$1", 7, Int::INT),
        ] {
            assert_eq!(tokens(text), (vec![Tok::Int(value, ty)], vec![]), "{text}");
        }
        for (text, tag) in [
            ("18446744073709551616", "D_INT_OFLOW"),
            ("09", "D_INT_DIGIT"),
            ("0x", "D_SYNTAX"),
            ("12z", "D_SYNTAX"),
            ("10ms", "D_SYNTAX"),
            ("0abc", "D_SYNTAX"),
            ("1lu2", "D_SYNTAX"),
            ("''", "D_CHR_NULL"),
            ("'123456789'", "D_CHR_OFLOW"),
            ("'a\n", "D_CHR_NL"),
            ("\"a\n", "D_STR_NL"),
            ("\"a", "D_STR_NL"),
            ("$9", "D_MACRO_UNDEF"),
            ("$nope", "D_MACRO_UNDEF"),
            ("$target", "D_MACRO_UNDEF"),
            ("$99999999999999999999999", "D_MACRO_OFLOW"),
            ("/* x", "D_SYNTAX"),
        ] {
            assert_eq!(tokens(text).1, [tag], "{text}");
        }
    }

    #[test]
    fn strings_and_names() {
        let (t, e) = tokens("\"a\\t\\x41\\101\\\"\" $$3 $2 @x @ a->b // c\n#pragma D x\n>>=");
        assert_eq!(e, [""; 0]);
        assert_eq!(
            t,
            [
                Tok::Str(b"a\tAA\"".to_vec()),
                Tok::Str(b"a b".to_vec()),
                Tok::Ident("foo".into()),
                Tok::Agg("x".into()),
                Tok::Agg("".into()),
                Tok::Ident("a".into()),
                Tok::Punct("->"),
                Tok::Ident("b".into()),
                Tok::Punct(">>="),
            ]
        );
    }
}
