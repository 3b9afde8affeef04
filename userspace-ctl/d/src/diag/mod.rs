// SPDX-License-Identifier: GPL-2.0
//! A diagnostic as data: expectation, finding, place and remedy.
//!
//! Stages only push these; [`render`] draws them. The first line is the classic one, so that
//! scripts which look for it keep working.

pub mod render;
pub mod tag;

use std::ops::{Deref, DerefMut};

use crate::source::{Source, SourceName, Span};
pub use tag::Tag;

/// Part of a clause. The first line names it when there is no line number (command line).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// `in probe description: `
    ProbeDescription,
    /// `in predicate: `
    Predicate,
    /// `in action list: `
    ActionList,
}

/// A place with a remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark; may be empty.
    pub text: String,
}

/// One complaint. It is boxed because functions that recurse over a program hold many of them, and
/// a thread's stack is small.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic(Box<Complaint>);

/// The contents of a complaint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// DTrace's tag, shown with `-x errtags`.
    pub tag: Tag,
    /// Line of the primary label, from 1.
    pub line: usize,
    /// The file that the line belongs to, if it is not the source itself.
    pub file: Option<String>,
    /// One line without tag and line number.
    pub message: String,
    /// The part of the clause, if that helps.
    pub region: Option<Region>,
    /// The blamed text.
    pub primary: Label,
    /// Other places that matter.
    pub others: Vec<Label>,
    /// Further facts.
    pub notes: Vec<String>,
    /// The remedy: a line that would work.
    pub hint: Option<String>,
    /// Shown without line and region: "probe description .. does not match any probes".
    pub is_bare: bool,
}

impl Deref for Diagnostic {
    type Target = Complaint;
    fn deref(&self) -> &Complaint {
        &self.0
    }
}

impl DerefMut for Diagnostic {
    fn deref_mut(&mut self) -> &mut Complaint {
        &mut self.0
    }
}

impl Diagnostic {
    /// Makes a complaint about `span`.
    pub fn new(tag: Tag, span: Span, message: impl Into<String>) -> Self {
        Self(Box::new(Complaint {
            tag,
            line: 0,
            file: None,
            message: message.into(),
            region: None,
            primary: Label { span, text: String::new() },
            others: Vec::new(),
            notes: Vec::new(),
            hint: None,
            is_bare: false,
        }))
    }
    /// Sets the remark at the blamed text.
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }
    /// Adds another place.
    pub fn other(mut self, span: Span, text: impl Into<String>) -> Self {
        self.others.push(Label { span, text: text.into() });
        self
    }
    /// Adds a fact.
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }
    /// Sets the remedy.
    pub fn hint(mut self, text: impl Into<String>) -> Self {
        self.hint = Some(text.into());
        self
    }

    /// Computes the line and file of the blamed text.
    pub(crate) fn locate(&mut self, source: &Source) {
        let place = source.place(self.primary.span.start);
        (self.line, self.file) = (place.line, place.file.map(String::from));
    }

    /// Returns the classic first line without its prefix: `line 3: MESSAGE` for scripts,
    /// `in action list: MESSAGE` for the command line. With `errtags`, `[D_TAG] ` precedes it.
    pub fn headline(&self, source: &Source, errtags: bool) -> String {
        let tag = if errtags { format!("[{}] ", self.tag.name()) } else { String::new() };
        let place = match (&source.name, self.region) {
            _ if self.file.is_some() => {
                format!("\"{}\", line {}: ", self.file.as_deref().unwrap_or_default(), self.line)
            }
            (SourceName::Script(_), _) => format!("line {}: ", self.line),
            _ if self.is_bare => String::new(),
            (_, Some(Region::ProbeDescription)) => "in probe description: ".into(),
            (_, Some(Region::Predicate)) => "in predicate: ".into(),
            (_, Some(Region::ActionList)) => "in action list: ".into(),
            (_, None) => String::new(),
        };
        format!("{tag}{place}{}", self.message)
    }
}

/// Returns the names that are a typing error away from `wanted`, nearest first, at most three.
pub fn nearest(wanted: &str, names: impl IntoIterator<Item = String>) -> Vec<String> {
    let limit = (wanted.chars().count() / 3).clamp(1, 4);
    let mut found: Vec<(usize, String)> = names
        .into_iter()
        .map(|n| (distance(wanted, &n), n))
        .filter(|(d, n)| *d <= limit && *d < n.chars().count())
        .collect();
    found.sort();
    found.dedup();
    found.into_iter().take(3).map(|(_, n)| n).collect()
}

/// Counts the insertions, deletions, replacements and swaps of neighbours between two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) =
        (a.chars().take(128).collect(), b.chars().take(128).collect());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    let at = |r: &[usize], i: usize| r.get(i).copied().unwrap_or(usize::MAX / 2);
    for (i, ca) in a.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, cb) in b.iter().enumerate() {
            let mut d = (at(&row, j) + usize::from(ca != cb)).min(at(&row, j + 1) + 1);
            d = d.min(at(&next, j) + 1);
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(cb) && b.get(j - 1) == Some(ca);
            if swapped {
                d = d.min(at(&before, j - 1) + 1);
            }
            next.push(d);
        }
        before = std::mem::replace(&mut row, next);
    }
    row.last().copied().unwrap_or(0)
}

/// Returns "did you mean `x` or `y`?" if a name is near.
pub fn did_you_mean(wanted: &str, names: impl IntoIterator<Item = String>) -> Option<String> {
    let near = nearest(wanted, names);
    let quoted: Vec<String> = near.iter().map(|n| format!("`{n}`")).collect();
    (!quoted.is_empty()).then(|| format!("did you mean {}?", quoted.join(" or ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn near_names() {
        let names = || ["execname", "pid", "probename"].map(String::from);
        assert_eq!(nearest("excename", names()), ["execname"]);
        assert_eq!(nearest("pdi", names()), ["pid"]);
        assert!(nearest("zzz", names()).is_empty());
        assert_eq!(distance("abcd", "acbd"), 1);
        assert_eq!(distance("", "abc"), 3);
    }
}
