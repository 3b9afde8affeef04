// SPDX-License-Identifier: GPL-2.0
//! The page that compares two recordings.

use crate::page::aggregation::{divided, key_cell, key_heads, left_out, percentile_cell, scroll};
use crate::page::{document, facts, head, losses, name, title};
use crate::text::{count, keys, number};
use crate::{flame, svg};
use maud::{html, Markup};
use recording::buckets;
use recording::{Aggregation, Datum, Entry, Recording};
use std::collections::HashMap;

/// The most rows of a table.
const ROWS: usize = 1000;
/// The most pairs of histograms.
const CARDS: usize = 8;

/// The values of a key before and after.
struct Pair<'a> {
    keys: &'a [Datum],
    before: Option<&'a Entry>,
    after: Option<&'a Entry>,
}

/// Draws the differences of two recordings as a page of HTML.
pub fn diff(before: &Recording, after: &Recording) -> String {
    let (old, new) = (before.shown(), after.shown());
    let empty = |a: &Aggregation| Aggregation { entries: Vec::new(), ..a.clone() };
    let mut pairs: Vec<(Aggregation, Aggregation)> = Vec::new();
    for a in &new {
        let was = old.iter().find(|o| o.is_like(a));
        let (mut was, mut is) = match was {
            Some(was) => (was.clone().into_owned(), a.clone().into_owned()),
            None => (empty(a), a.clone().into_owned()),
        };
        // Only values with the same divisor can be compared.
        if !was.entries.is_empty() && !is.entries.is_empty() && was.divisor() != is.divisor() {
            was.denormalize();
            is.denormalize();
        }
        pairs.push((was, is));
    }
    for o in old.iter().filter(|o| !new.iter().any(|n| n.is_like(o))) {
        pairs.push((o.clone().into_owned(), empty(o)));
    }
    let title = format!("{}: before and after", title(after));
    let sides = html! {
        h3 { "Before" } (facts(before)) (losses(before))
        h3 { "After" } (facts(after)) (losses(after))
    };
    let body = html! {
        (head(&title, &sides))
        main class="wrap" id="main" {
            @for (n, (was, is)) in pairs.iter().enumerate() { (section(was, is, &format!("a{}", n + 1))) }
            @if pairs.is_empty() {
                section { h2 { "Nothing to compare" } p class="sub" { "Neither recording has an aggregation." } }
            }
        }
    };
    document(&title, &body, &after.version)
}

fn section(before: &Aggregation, after: &Aggregation, id: &str) -> Markup {
    let pairs = paired(before, after);
    html! {
        section id=(id) aria-labelledby={(id) "-h"} {
            h2 id={(id) "-h"} { code { (name(after)) } }
            p class="sub" {
                (after.function) "(), " (count(pairs.len(), "key"))
                ", " (number(pairs.iter().filter(|p| p.before.is_none()).count() as i64)) " new, "
                (number(pairs.iter().filter(|p| p.after.is_none()).count() as i64)) " gone"
                (divided(if after.entries.is_empty() { before } else { after }))
            }
            @if flame::has_stacks(before) || flame::has_stacks(after) {
                (flame::graph(Some(before), after, &format!("{id}-flame")))
            }
            @if after.is_distribution() { (distributions(before, after, &pairs)) }
            @else { (values(before, after, &pairs)) }
        }
    }
}

/// Returns every key of either side, those with the greatest change first.
fn paired<'a>(before: &'a Aggregation, after: &'a Aggregation) -> Vec<Pair<'a>> {
    let old: HashMap<&[Datum], &Entry> = before.entries.iter().map(|e| (&e.keys[..], e)).collect();
    let new: HashMap<&[Datum], &Entry> = after.entries.iter().map(|e| (&e.keys[..], e)).collect();
    let both = after.entries.iter().map(|e| Pair {
        keys: &e.keys,
        before: old.get(&e.keys[..]).copied(),
        after: Some(e),
    });
    let gone = before.entries.iter().filter(|e| !new.contains_key(&e.keys[..]));
    let gone = gone.map(|e| Pair { keys: &e.keys, before: Some(e), after: None });
    let mut all: Vec<Pair<'a>> = both.chain(gone).collect();
    let change = |p: &Pair<'_>| (size(p.after) - size(p.before)).abs();
    all.sort_by(|a, b| change(b).total_cmp(&change(a)));
    all
}

fn size(e: Option<&Entry>) -> f64 {
    e.map_or(0.0, |e| e.value.unwrap_or_else(|| e.total()) as f64)
}

/// Draws the key heads, from a side that has entries.
fn heads(before: &Aggregation, after: &Aggregation) -> Markup {
    key_heads(if after.entries.is_empty() { before } else { after })
}

fn change_cells(before: f64, after: f64) -> Markup {
    let change = after - before;
    let class = match change {
        c if c > 0.0 => "n up",
        c if c < 0.0 => "n down",
        _ => "n dim",
    };
    let sign = if change > 0.0 { "+" } else { "" };
    let part = if before == 0.0 { f64::INFINITY } else { 100.0 * change / before.abs() };
    html! {
        td class=(class) data-v=(change) { (sign) (number(change as i64)) }
        td class=(class) data-v=(if part.is_finite() { part } else { f64::MAX }) {
            @if before == 0.0 && after == 0.0 { "\u{2013}" } @else if part.is_finite() { (format!("{part:+.1}\u{202f}%").replace('-', "\u{2212}")) } @else { "new" }
        }
    }
}

fn values(before: &Aggregation, after: &Aggregation, pairs: &[Pair<'_>]) -> Markup {
    html! {
        div class=(scroll(pairs.len())) tabindex="0" role="group" aria-label="Table" { table class="sortable" {
            caption { (after.function) " before and after, the greatest change first" }
            thead { tr {
                (heads(before, after))
                @for head in ["before", "after", "change", "in per cent"] { th scope="col" class="n" { (head) } }
            } }
            tbody { @for p in pairs.iter().take(ROWS) {
                tr {
                    @for k in p.keys { (key_cell(k)) }
                    @for e in [p.before, p.after] {
                        td class="n" data-v=(size(e)) { @if e.is_some() { (number(size(e) as i64)) } @else { "\u{2013}" } }
                    }
                    (change_cells(size(p.before), size(p.after)))
                }
            } }
        } }
        (left_out(pairs.len(), ROWS, "key"))
    }
}

fn distributions(before: &Aggregation, after: &Aggregation, pairs: &[Pair<'_>]) -> Markup {
    let nothing = Entry::default();
    html! {
        div class=(scroll(pairs.len())) tabindex="0" role="group" aria-label="Table" { table class="sortable" {
            caption { "Distributions before and after. A percentile is the bucket that contains it." }
            thead { tr {
                (heads(before, after))
                @for head in ["values before", "after", "change", "in per cent", "50\u{202f}% before", "after", "99\u{202f}% before", "after"] {
                    th scope="col" class="n" { (head) }
                }
            } }
            tbody { @for p in pairs.iter().take(ROWS) {
                @let sides = [p.before.unwrap_or(&nothing), p.after.unwrap_or(&nothing)];
                tr {
                    @for k in p.keys { (key_cell(k)) }
                    @for e in sides { td class="n" data-v=(e.total()) { (number(e.total())) } }
                    (change_cells(size(p.before), size(p.after)))
                    @for part in [0.5, 0.99] { @for e in sides { (percentile_cell(e, part)) } }
                }
            } }
        } }
        (left_out(pairs.len(), ROWS, "key"))
        h3 { "Histograms: columns are after, dashed outlines before" }
        div class="cards" {
            @for p in pairs.iter().take(CARDS) {
                @let sides = [p.before.unwrap_or(&nothing), p.after.unwrap_or(&nothing)];
                @let axis = buckets::axis(after, sides.into_iter());
                @let [was, is] = sides.map(|e| buckets::counts(&axis, std::iter::once(e)));
                figure {
                    figcaption { b { (keys(p.keys)) } ", " (number(sides[0].total())) " then " (number(sides[1].total())) " values" }
                    (svg::histogram(&axis, &is, Some(&was)).embed("hist"))
                }
            }
        }
    }
}
