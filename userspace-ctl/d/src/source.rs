// SPDX-License-Identifier: GPL-2.0
//! The origin of D text, and places in it.

use std::ops::Range;

/// The field of a probe description with which the text of a command-line option ends.
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
    /// `-i`: a probe id replaces the first description.
    Id,
}

impl SpecKind {
    /// Returns how many fields a description may have.
    pub const fn fields(self) -> usize {
        match self {
            Self::Provider => 1,
            Self::Module => 2,
            Self::Function => 3,
            Self::Name | Self::Id => 4,
        }
    }
}

/// The name of a D program in messages.
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
    /// Where the text comes from.
    pub name: SourceName,
    /// The text; the lexer handles tabs, NULs and non-ASCII.
    pub text: String,
}

impl Source {
    /// Makes a source from the text of a command-line option.
    pub fn spec(kind: SpecKind, text: impl Into<String>) -> Self {
        Self { name: SourceName::CommandLine(kind), text: text.into() }
    }
    /// Makes a source from the text of a file.
    pub fn script(file: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: SourceName::Script(file.into()), text: text.into() }
    }
    /// Returns the name that messages use.
    pub fn file(&self) -> &str {
        match &self.name {
            SourceName::Script(file) => file,
            SourceName::CommandLine(_) => "command line",
        }
    }
    /// Returns the place of a byte as the author sees it: it follows `#line` and the marks of a
    /// preprocessor.
    pub fn place(&self, offset: usize) -> FilePosition<'_> {
        let mut place = FilePosition { file: None, line: 1, lines: 0..self.text.len(), first: 1 };
        let mut start = 0;
        for line in self.text.split_inclusive('\n') {
            let end = start + line.len();
            if let Some((number, file)) = mark(line) {
                if start > offset {
                    place.lines.end = start;
                    break;
                }
                place.file = file.or(place.file);
                (place.line, place.first, place.lines.start) = (number, number, end);
            } else if end <= offset && line.ends_with('\n') {
                place.line = place.line.saturating_add(1);
            }
            start = end;
        }
        let is_own = |f: &&str| matches!(&self.name, SourceName::Script(own) if own == f);
        place.file = place.file.filter(|f| !is_own(f));
        place
    }
    /// Returns the parts that a preprocessor marks as system headers, in order.
    pub fn system_headers(&self) -> SystemHeaders {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let (mut start, mut is_inside) = (0, false);
        for line in self.text.split_inclusive('\n') {
            let end = start + line.len();
            if let Some((_, Some(_))) = mark(line) {
                if let (true, Some(last)) = (is_inside, ranges.last_mut()) {
                    last.end = start;
                }
                // In the flags after the file name, 3 means a system header.
                is_inside =
                    line.rsplit('"').next().is_some_and(|f| f.split(' ').any(|w| w.trim() == "3"));
                if is_inside {
                    ranges.push(end..self.text.len());
                }
            }
            start = end;
        }
        SystemHeaders(ranges)
    }
    /// Returns the text of a span, "" if it does not lie on character boundaries.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or("")
    }
}

/// The parts of a source that come from system headers. The compiler takes what D can use and
/// ignores the rest.
#[derive(Debug, Clone, Default)]
pub struct SystemHeaders(Vec<Range<usize>>);

impl SystemHeaders {
    /// Tells whether this offset is in a system header.
    pub fn contain(&self, offset: usize) -> bool {
        let next = self.0.partition_point(|r| r.start <= offset);
        next.checked_sub(1).and_then(|at| self.0.get(at)).is_some_and(|r| r.contains(&offset))
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePosition<'a> {
    /// The file, if it is not the source itself.
    pub file: Option<&'a str>,
    /// Line, from 1.
    pub line: usize,
    /// The bytes of the source that continue the file without a mark in between.
    pub lines: Range<usize>,
    /// The number of the first line of `lines`.
    pub first: usize,
}

/// Parses `# 12 "file"`, `#line 12 "file"` or `#pragma D line 12`: number and file of the next
/// line.
fn mark(line: &str) -> Option<(usize, Option<&str>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let words = ["pragma", "D", "line"].into_iter();
    let rest = words.fold(rest, |rest, w| rest.strip_prefix(w).unwrap_or(rest).trim_start());
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest.get(..end)?.parse::<usize>().ok()?.max(1);
    let file = rest.get(end..)?.trim_start().strip_prefix('"').and_then(|r| r.split('"').next());
    Some((number, file))
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
    /// Makes a span from `start` up to `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }
    /// Returns the span from the start of `self` to the end of `other`.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_say_where_lines_come_from() {
        let text =
            "a\n# 1 \"x.d\"\nb\n# 7 \"inc.h\" 1 3\nc\nd\n#line 3 \"x.d\"\ne\n# pragma D x\nf";
        let source = Source::script("x.d", text);
        let at = |what: &str| {
            let place = source.place(text.find(what).unwrap());
            (place.file, place.line, &text[place.lines.clone()], place.first)
        };
        assert_eq!(at("a\n"), (None, 1, "a\n", 1));
        assert_eq!(at("b\n"), (None, 1, "b\n", 1));
        assert_eq!(at("d\n"), (Some("inc.h"), 8, "c\nd\n", 7));
        assert_eq!(at("e\n"), (None, 3, "e\n# pragma D x\nf", 3));
        assert_eq!(source.place(text.len()).line, 5);
        let system = source.system_headers();
        let of_system: String = (0..text.len())
            .filter(|at| system.contain(*at))
            .filter_map(|at| text.get(at..=at))
            .collect();
        assert_eq!(of_system, "c\nd\n");
        assert_eq!(Source::script("y", "\n\n").place(9).line, 3);
    }
}
