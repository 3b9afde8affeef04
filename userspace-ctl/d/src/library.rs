// SPDX-License-Identifier: GPL-2.0
//! Libraries: D texts with types, constants and translators that every program may use.
//!
//! When a program uses a name that it did not define, the compiler reads the library that defines
//! it, once. It finds the library in an index of all names, made when the first such name appears:
//! a program that needs no library costs nothing.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use crate::lexer::Lexer;
use crate::source::Source;
use crate::token::Tok;
use crate::Options;

/// A library.
#[derive(Debug, Clone)]
pub struct Library {
    /// Its file name, such as `signal.d`.
    pub name: Cow<'static, str>,
    /// Its text: declarations only.
    pub text: Cow<'static, str>,
}

/// All libraries. If two define the same name, the first counts.
#[derive(Debug, Clone, Default)]
pub struct Libraries(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    list: Vec<Library>,
    index: OnceLock<Index>,
    /// The words after `provider`.
    providers: OnceLock<Vec<String>>,
}

/// For each name, the numbers of the libraries that define it.
#[derive(Debug, Default)]
struct Index {
    types: HashMap<String, Vec<usize>>,
    tags: HashMap<String, Vec<usize>>,
    values: HashMap<String, Vec<usize>>,
    translators: HashMap<String, Vec<usize>>,
    providers: HashMap<String, Vec<usize>>,
}

/// The kind of thing that a name is looked up as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    /// `typedef .. name;`
    Type,
    /// `struct name { .. }`, also for unions and enumerations.
    Tag,
    /// `inline type name = ..;`, or a constant of an enumeration.
    Value,
    /// `translator name < .. >`.
    Translator,
    /// `provider name { .. }`.
    Provider,
}

impl Index {
    fn by_name(&self, sort: Sort) -> &HashMap<String, Vec<usize>> {
        match sort {
            Sort::Type => &self.types,
            Sort::Tag => &self.tags,
            Sort::Value => &self.values,
            Sort::Translator => &self.translators,
            Sort::Provider => &self.providers,
        }
    }

    fn add(&mut self, sort: Sort, name: &str, number: usize) {
        let map = match sort {
            Sort::Type => &mut self.types,
            Sort::Tag => &mut self.tags,
            Sort::Value => &mut self.values,
            Sort::Translator => &mut self.translators,
            Sort::Provider => &mut self.providers,
        };
        let numbers = map.entry(name.into()).or_default();
        if numbers.last() != Some(&number) {
            numbers.push(number);
        }
    }

    /// Adds the names that a text declares.
    fn read(&mut self, number: usize, text: &str) {
        let options = Options::default();
        let mut lexer = Lexer::new(text, &options);
        let mut item: Vec<Tok> = Vec::new();
        let mut open = 0usize;
        loop {
            let tok = lexer.token().tok;
            match tok {
                Tok::Eof => return,
                Tok::Punct("{") => open += 1,
                Tok::Punct("}") => open = open.saturating_sub(1),
                Tok::Punct(";") if open == 0 => {
                    self.item(number, &item);
                    item.clear();
                    continue;
                }
                _ => {}
            }
            item.push(tok);
        }
    }

    /// Adds the names of one declaration.
    fn item(&mut self, number: usize, item: &[Tok]) {
        let word = |at: usize| match item.get(at) {
            Some(Tok::Ident(word)) => Some(word.as_str()),
            _ => None,
        };
        let mut open = 0usize;
        let mut last = None;
        for (at, tok) in item.iter().enumerate() {
            match tok {
                Tok::Punct("{") => {
                    let is_enum = item.get(..at).is_some_and(|before| {
                        before.iter().rev().take(2).any(|t| *t == Tok::Ident("enum".into()))
                    });
                    if open == 0 && is_enum {
                        self.constants(number, item.get(at + 1..).unwrap_or(&[]));
                    }
                    open += 1;
                }
                Tok::Punct("}") => open = open.saturating_sub(1),
                Tok::Punct("[" | "=") if open == 0 => break,
                Tok::Ident(name) if open == 0 => {
                    let before = at.checked_sub(1).and_then(word);
                    let is_tag = matches!(before, Some("struct" | "union" | "enum"))
                        && item.get(at + 1) == Some(&Tok::Punct("{"));
                    if is_tag {
                        self.add(Sort::Tag, name, number);
                    }
                    last = Some(name.as_str());
                }
                _ => {}
            }
        }
        match (word(0), word(1), last) {
            (Some("translator"), Some(name), _) => self.add(Sort::Translator, name, number),
            (Some("provider"), Some(name), _) => self.add(Sort::Provider, name, number),
            (Some("typedef"), _, Some(name)) => self.add(Sort::Type, name, number),
            (Some("inline"), _, Some(name)) => self.add(Sort::Value, name, number),
            _ => {}
        }
    }

    fn constants(&mut self, number: usize, list: &[Tok]) {
        let body = list.split(|t| *t == Tok::Punct("}")).next().unwrap_or(&[]);
        for one in body.split(|t| *t == Tok::Punct(",")) {
            if let Some(Tok::Ident(name)) = one.first() {
                self.add(Sort::Value, name, number);
            }
        }
    }
}

impl Libraries {
    /// Makes the set of these libraries.
    pub fn new(list: Vec<Library>) -> Self {
        Self(Arc::new(Inner { list, ..Inner::default() }))
    }

    fn index(&self) -> &Index {
        self.0.index.get_or_init(|| {
            let mut index = Index::default();
            for (number, library) in self.0.list.iter().enumerate() {
                index.read(number, &library.text);
            }
            index
        })
    }

    /// Tells whether a library has this file name, in any directory.
    pub(crate) fn has(&self, file: &str) -> bool {
        self.0.list.iter().any(|l| l.name.rsplit('/').next() == Some(file))
    }

    /// Returns the numbers of the libraries that define this name.
    pub(crate) fn with(&self, sort: Sort, name: &str) -> &[usize] {
        // A name that no text contains needs no index, and many programs use no library at all.
        let is_somewhere = || self.0.list.iter().any(|l| l.text.contains(name));
        if self.0.index.get().is_none() && !is_somewhere() {
            return &[];
        }
        self.index().by_name(sort).get(name).map_or(&[], Vec::as_slice)
    }

    /// Tells whether a library defines a type of this name.
    pub(crate) fn has_type(&self, name: &str) -> bool {
        !self.with(Sort::Type, name).is_empty()
    }

    /// Tells whether a library declares this provider. It does not need the index, because every
    /// clause with `args[]` asks this.
    pub(crate) fn may_declare(&self, provider: &str) -> bool {
        let word = |rest: &str| {
            let (name, _) = rest.split_once('{')?;
            Some(name.trim().to_string())
        };
        let read = || {
            let texts = self.0.list.iter().map(|l| &l.text);
            texts.flat_map(|t| t.split("provider ").skip(1)).filter_map(word).collect()
        };
        self.0.providers.get_or_init(read).iter().any(|name| name == provider)
    }

    /// Returns all names of a sort, for hints.
    pub(crate) fn names(&self, sort: Sort) -> impl Iterator<Item = String> + '_ {
        self.index().by_name(sort).keys().cloned()
    }

    /// Returns one library as a source.
    pub(crate) fn source(&self, number: usize) -> Option<Source> {
        let library = self.0.list.get(number)?;
        Some(Source::script(library.name.clone(), library.text.clone()))
    }
}
