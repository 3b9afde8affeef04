// SPDX-License-Identifier: GPL-2.0
//! Where D text comes from, and places in it.

/// Which field of a probe description the text of a command-line option ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecKind {
    /// `-P`: the rightmost field is the provider.
    Provider,
    /// `-m`: the rightmost field is the module.
    Module,
    /// `-f`: the rightmost field is the function.
    Function,
    /// `-n`, and every description in a script: the rightmost field is the probe name.
    Name,
    /// `-i`: a probe id stands in place of the first description.
    Id,
}

impl SpecKind {
    /// How many fields a description may have.
    pub const fn fields(self) -> usize {
        match self {
            Self::Provider => 1,
            Self::Module => 2,
            Self::Function => 3,
            Self::Name | Self::Id => 4,
        }
    }
}

/// What a D program is called in messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceName {
    /// Text of `-P -m -f -n -i`; a description without a body gets the default action.
    CommandLine(SpecKind),
    /// A file given to `-s`.
    Script(String),
}

/// One D program as text.
#[derive(Debug, Clone)]
pub struct Source {
    /// Where it comes from.
    pub name: SourceName,
    /// The text; tabs, NULs and non-ASCII are the lexer's business.
    pub text: String,
}

impl Source {
    /// Text of a command-line option.
    pub fn spec(kind: SpecKind, text: impl Into<String>) -> Self {
        Self { name: SourceName::CommandLine(kind), text: text.into() }
    }
    /// Text of a file.
    pub fn script(file: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: SourceName::Script(file.into()), text: text.into() }
    }
    /// What messages call it.
    pub fn file(&self) -> &str {
        match &self.name {
            SourceName::Script(file) => file,
            SourceName::CommandLine(_) => "command line",
        }
    }
    /// Line of a byte offset, from 1.
    pub fn line(&self, offset: usize) -> usize {
        let end = offset.min(self.text.len());
        self.text.as_bytes().iter().take(end).filter(|&&b| b == b'\n').count() + 1
    }
    /// The text of a span, "" if it does not lie on character boundaries.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or("")
    }
}

/// Bytes `start..end` of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// Byte after the last.
    pub end: usize,
}

impl Span {
    /// From `start` up to `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
    /// From the start of `self` to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}
