// SPDX-License-Identifier: GPL-2.0
//! Draws a diagnostic with its source lines, as rustc does.

use super::{Diagnostic, Label};
use crate::source::{Source, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

/// Returns the text with the blamed source lines: plain, no colours, no trailing newline.
pub fn render(diagnostic: &Diagnostic, source: &Source, errtags: bool) -> String {
    draw(diagnostic, source, Some(errtags), &Renderer::plain())
}

/// [`render`] with terminal colours.
pub fn render_coloured(diagnostic: &Diagnostic, source: &Source, errtags: bool) -> String {
    draw(diagnostic, source, Some(errtags), &Renderer::styled())
}

/// Returns only the source lines and the remarks about them. They stand below the classic first
/// line, which already has the message.
pub fn excerpt(diagnostic: &Diagnostic, source: &Source, is_coloured: bool) -> String {
    let renderer = if is_coloured { Renderer::styled() } else { Renderer::plain() };
    draw(diagnostic, source, None, &renderer)
}

/// `errtags` is `None` without a title; else it tells whether the title shows the tag.
fn draw(d: &Diagnostic, source: &Source, errtags: Option<bool>, renderer: &Renderer) -> String {
    let place = source.place(d.primary.span.start);
    let path = place.file.unwrap_or(source.file());
    // Only the lines of one file are drawn, with that file's line numbers.
    let text = source.text.get(place.lines.clone()).unwrap_or_default();
    let start = place.lines.start;
    let is_near = |l: &&Label| place.lines.contains(&l.span.start);
    let range = |l: &Label| {
        let span = Span::new(l.span.start.saturating_sub(start), l.span.end.saturating_sub(start));
        on_boundaries(text, span)
    };
    let primary = AnnotationKind::Primary.span(range(&d.primary)).label(d.primary.text.as_str());
    let others = d.others.iter().filter(is_near);
    let snippet =
        Snippet::source(text).line_start(place.first).path(path).annotation(primary).annotations(
            others.map(|l| AnnotationKind::Context.span(range(l)).label(l.text.as_str())),
        );
    let title = |tag: bool| {
        let title = Level::ERROR.primary_title(d.message.as_str());
        if tag {
            title.id(d.tag.name())
        } else {
            title
        }
    };
    let mut group = match errtags {
        Some(tag) => Group::with_title(title(tag)),
        None => Group::with_level(Level::ERROR),
    }
    .element(snippet);
    for note in &d.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(hint) = &d.hint {
        group = group.element(Level::HELP.message(hint.as_str()));
    }
    renderer.render(&[group])
}

/// Limits a span to the text and to character boundaries.
fn on_boundaries(text: &str, span: Span) -> std::ops::Range<usize> {
    let floor = |at: usize| {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(span.start);
    start..floor(span.end).max(start)
}
