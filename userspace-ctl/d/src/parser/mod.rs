// SPDX-License-Identifier: GPL-2.0
//! Turns tokens into a tree, by recursive descent; expressions are parsed by the ranks of their
//! operators.
//!
//! Naming: `parse_x` reads an x or complains; `expect_x` demands one token; `maybe_x` reads it only
//! if it is there. After a complaint in a statement, reading continues after its `;`; after one at
//! the top level, after the clause's `}`. So one mistake gives one complaint, and the rest of the
//! program is still read.

mod clause;
mod decl;
mod declarator;
mod expr;
pub mod pragma;
pub mod probe_desc;
mod provider;
mod translator;

pub use decl::is_type_word;

use std::collections::HashSet;

use crate::ast::Item;
use crate::diag::{Diagnostic, Region, Tag};
use crate::lexer::Lexer;
use crate::library::Libraries;
use crate::source::{Source, SourceName, Span, SystemHeaders};
use crate::token::{Tok, Token};
use crate::types::Type;
use crate::vocabulary;
use crate::{Options, TypeSpace, World};

/// A complaint was made; the caller finds a place to continue.
pub struct Complained;
type Parse<T> = Result<T, Complained>;

/// The deepest nesting of brackets, prefix operators and statements; also the most `else if` of one
/// `if`. Half of a thread's usual stack is enough for it, even in a debug build.
const MAX_DEPTH: u16 = 64;
/// After this many complaints, further ones would be noise.
const MAX_COMPLAINTS: usize = 20;

/// The contents of a source.
#[derive(Debug, Default)]
pub struct Parsed {
    /// The items, in order.
    pub items: Vec<Item>,
    /// The complaints, in order.
    pub diagnostics: Vec<Diagnostic>,
    /// Control lines.
    pub controls: Vec<Span>,
    /// The macro arguments that the source uses, by number.
    pub used_args: Vec<usize>,
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    ahead: Option<Token>,
    last: Span,
    depth: u16,
    /// Open brackets since the predicate's `/`; `None` outside predicates.
    predicate: Option<u16>,
    region: Option<Region>,
    diagnostics: Vec<Diagnostic>,
    typedefs: HashSet<String>,
    /// Names that appeared where only a variable can stand.
    variables: HashSet<String>,
    world: &'a dyn World,
    libraries: &'a Libraries,
    is_command_line: bool,
    system: SystemHeaders,
    /// The current item is C from a system header: nothing in it causes a complaint.
    is_lenient: bool,
}

/// The names of earlier programs that affect how a text is read.
#[derive(Debug, Default)]
pub struct Known {
    /// Types other than those of the language and of the world.
    pub typedefs: HashSet<String>,
    /// Variables; they hide types of the world with the same name.
    pub variables: HashSet<String>,
}

/// Reads a whole source.
pub fn parse<'a>(
    source: &'a Source,
    options: &'a Options,
    known: Known,
    world: &'a dyn World,
) -> Parsed {
    let mut p = Parser {
        lexer: Lexer::new(&source.text, options),
        ahead: None,
        last: Span::default(),
        depth: 0,
        predicate: None,
        region: None,
        diagnostics: Vec::new(),
        typedefs: known.typedefs,
        variables: known.variables,
        world,
        libraries: &options.libraries,
        is_command_line: matches!(source.name, SourceName::CommandLine(_)),
        system: source.system_headers(),
        is_lenient: false,
    };
    let items = p.parse_items();
    p.take_lexical();
    Parsed {
        items,
        diagnostics: p.diagnostics,
        controls: p.lexer.controls.into_values().collect(),
        used_args: p.lexer.used_args,
    }
}

impl Parser<'_> {
    fn parse_items(&mut self) -> Vec<Item> {
        let mut items = Vec::new();
        loop {
            self.ahead = None;
            self.region = None;
            self.predicate = None;
            self.depth = 0;
            if self.diagnostics.len() >= MAX_COMPLAINTS {
                return items;
            }
            let before = self.lexer.pos();
            self.lexer.skip_blank();
            self.is_lenient = self.system.contain(self.lexer.pos());
            match self.lexer.word() {
                Some((word, span)) => {
                    self.last = span;
                    let item = if word == "translator" {
                        self.parse_translator(span).map(Item::Translator)
                    } else if word == "provider" {
                        self.parse_provider().map(Item::Provider)
                    } else if self.begins_declaration(&word)
                        || self
                            .lexer
                            .follows(span.end, |c| c.is_alphabetic() || c == '_' || c == '*')
                            && self.is_typedef(&word)
                    {
                        self.parse_decl(word, span).map(Item::Decl)
                    } else if self.is_lenient {
                        Err(Complained)
                    } else {
                        self.parse_clause(word, span).map(Item::Clause)
                    };
                    match item {
                        Ok(item) => items.push(item),
                        Err(Complained) => self.skip_item(),
                    }
                }
                None => {
                    let t = self.peek().clone();
                    match t.tok {
                        Tok::Eof => return items,
                        Tok::Punct(";") => {
                            self.bump();
                        }
                        _ => {
                            let _: Complained =
                                self.unexpected("a probe description or a declaration");
                            self.skip_item();
                        }
                    }
                }
            }
            if self.lexer.pos() == before && self.ahead.is_none() {
                // Nothing was read: skip one token, so that the loop ends.
                self.bump();
            }
        }
    }

    /// Skips past the `}` that closes the item, or past a `;` outside braces.
    fn skip_item(&mut self) {
        let mut open = 0usize;
        let mut seen = false;
        loop {
            let t = self.bump();
            match t.tok {
                Tok::Eof => return,
                Tok::Punct("{") => {
                    open += 1;
                    seen = true;
                }
                Tok::Punct("}") => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return;
                    }
                }
                Tok::Punct(";") if open == 0 && !seen => return,
                _ => {}
            }
        }
    }

    fn is_type_name(&self, word: &str) -> bool {
        is_type_word(word) || Type::named(word).is_some() || self.typedefs.contains(word)
    }

    /// Tells whether the word is a type of the world. The parser asks only where a type may stand:
    /// `(name)`, `(name *`, `name x`. A D variable of that name has precedence.
    fn is_typedef(&mut self, word: &str) -> bool {
        let is_name = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        let is_known = !is_name
            || self.variables.contains(word)
            || vocabulary::builtin(word).is_some()
            || vocabulary::is_function(word);
        if is_known {
            return false;
        }
        let is_there = self.libraries.has_type(word)
            || self.world.find_type(TypeSpace::Typedef, word).is_some();
        if !is_there {
            return false;
        }
        self.typedefs.insert(word.into());
        true
    }

    fn begins_declaration(&self, word: &str) -> bool {
        decl::is_class(word) || self.is_type_name(word)
    }

    fn peek(&mut self) -> &Token {
        if self.ahead.is_none() {
            let token = self.lexer.token();
            self.take_lexical();
            self.ahead = Some(token);
        }
        self.ahead.get_or_insert_with(|| Token { tok: Tok::Eof, span: Span::default() })
    }

    fn bump(&mut self) -> Token {
        let token = self.peek().clone();
        self.ahead = None;
        self.last = token.span;
        token
    }

    fn is(&mut self, punct: &str) -> bool {
        matches!(self.peek().tok, Tok::Punct(p) if p == punct)
    }

    fn maybe(&mut self, punct: &str) -> bool {
        let hit = self.is(punct);
        if hit {
            self.bump();
        }
        hit
    }

    fn is_word(&mut self, word: &str) -> bool {
        matches!(&self.peek().tok, Tok::Ident(w) if w == word)
    }

    fn expect(&mut self, punct: &str) -> Parse<Span> {
        if self.is(punct) {
            return Ok(self.bump().span);
        }
        Err(self.unexpected(&format!("`{punct}`")))
    }

    fn expect_ident(&mut self, what: &str) -> Parse<(String, Span)> {
        match self.peek().clone() {
            Token { tok: Tok::Ident(name), span } => {
                self.bump();
                Ok((name, span))
            }
            _ => Err(self.unexpected(what)),
        }
    }

    /// Moves the lexer's complaints to the parser's, which keeps them in order.
    fn take_lexical(&mut self) {
        for d in std::mem::take(&mut self.lexer.diagnostics) {
            self.complain(d);
        }
    }

    fn complain(&mut self, mut d: Diagnostic) -> Complained {
        d.region = d.region.or(self.region);
        if self.diagnostics.len() < MAX_COMPLAINTS && !self.is_lenient {
            self.diagnostics.push(d);
        }
        Complained
    }

    /// Complains "expected X, found Y".
    fn unexpected(&mut self, wanted: &str) -> Complained {
        let t = self.peek().clone();
        let found = match &t.tok {
            // The lexer has already complained.
            Tok::Bad => return Complained,
            Tok::Eof => "end of input".to_string(),
            Tok::Int(..) => "an integer".to_string(),
            Tok::Str(_) => "a string".to_string(),
            Tok::Ident(name) => format!("`{name}`"),
            Tok::Agg(name) => format!("`@{name}`"),
            Tok::Punct(p) => format!("`{p}`"),
        };
        // At the end of input, blame the place where something is missing.
        let span = if t.tok == Tok::Eof { Span::new(self.last.end, self.last.end) } else { t.span };
        let near = match t.tok {
            Tok::Eof => "syntax error near end of input".to_string(),
            _ => format!("syntax error near {found}"),
        };
        let message = format!("{near}: expected {wanted}");
        self.complain(
            Diagnostic::new(Tag::Syntax, span, message).label(format!("expected {wanted}")),
        )
    }

    fn deeper(&mut self) -> Parse<()> {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            return Ok(());
        }
        let message = format!("syntax error: nested more than {MAX_DEPTH} levels deep");
        Err(self.too_deep(message))
    }

    fn too_deep(&mut self, message: String) -> Complained {
        let span = self.peek().span;
        let d = Diagnostic::new(Tag::Syntax, span, message);
        self.complain(d.hint("keep a part of it in a `this->` variable, or write several clauses"))
    }

    fn shallower(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }
}
