// SPDX-License-Identifier: GPL-2.0
//! An aggregation on a page: a table of values, distributions with their change over time, stacks
//! as a graph.

use crate::svg::{self, Column, Drawing};
use crate::text::{clean, count, keys, number, range, short};
use crate::{flame, page::name};
use maud::{html, Markup};
use recording::buckets::{self, Range};
use recording::{Aggregation, Datum, Entry, Recording};

/// The most rows of a table.
const ROWS: usize = 1000;
/// The most histograms and heat maps of single keys.
const CARDS: usize = 8;
/// The most rows that show how they changed.
const SPARKS: usize = 60;

/// Draws everything that the recording has about an aggregation.
pub fn section(recording: &Recording, a: &Aggregation, id: &str) -> Markup {
    let states = recording.states(a).len();
    html! {
        section id=(id) aria-labelledby={(id) "-h"} {
            h2 id={(id) "-h"} { code { (name(a)) } }
            p class="sub" {
                (a.function) "(), " (count(a.entries.len(), "key"))
                @if states > 1 { ", seen " (number(states as i64)) " times" }
                (divided(a))
            }
            @if flame::has_stacks(a) { (flame::graph(None, a, &format!("{id}-flame"))) }
            @if a.is_distribution() { (distribution(recording, a)) }
            @else { (values(recording, a)) }
        }
    }
}

/// Draws the divisor of `normalize()`.
pub fn divided(a: &Aggregation) -> Markup {
    let divisor = a.divisor().filter(|by| *by > 1);
    html! { @if let Some(by) = divisor { ", divided by " (number(by)) } }
}

/// Returns the entries, the largest first.
pub fn largest(a: &Aggregation) -> Vec<&Entry> {
    let mut all: Vec<&Entry> = a.entries.iter().collect();
    let size = |e: &Entry| match a.is_distribution() {
        true => e.total() as f64,
        false => e.weight(&a.function),
    };
    all.sort_by(|x, y| size(y).total_cmp(&size(x)));
    all
}

/// Draws a part of a key; a stack can be unfolded.
pub fn key_cell(datum: &Datum) -> Markup {
    let Some(mut frames) = datum.frames() else {
        let is_number = matches!(datum, Datum::Int(_) | Datum::Uint(_));
        let plain = datum.to_string();
        return html! {
            @if is_number { td class="n" data-v=(plain) { (plain) } }
            @else { td { span class="what" { (clean(&plain)) } } }
        };
    };
    html! {
        td { details {
            summary { code { (frames.next().map_or("no frames".into(), |f| clean(f.function))) } }
            pre { (clean(&datum.to_string())) }
        } }
    }
}

/// Draws the heads of the key columns. Keys have no names in D.
pub fn key_heads(a: &Aggregation) -> Markup {
    let first = a.entries.first().map_or(&[][..], |e| &e.keys);
    let head = |n: usize, k: &Datum| {
        let what = match k {
            Datum::Stack(_) => "kernel stack".to_string(),
            Datum::Ustack(_) => "process stack".to_string(),
            _ if first.len() == 1 => "key".to_string(),
            _ => format!("key {}", n + 1),
        };
        let class = if matches!(k, Datum::Int(_) | Datum::Uint(_)) { "n" } else { "" };
        html! { th scope="col" class=(class) { (what) } }
    };
    html! { @for (n, k) in first.iter().enumerate() { (head(n, k)) } }
}

fn values(recording: &Recording, a: &Aggregation) -> Markup {
    let rows = largest(a);
    if let [Entry { keys, value: Some(value), .. }] = rows.as_slice() {
        if keys.is_empty() {
            let over_time = over_time(recording, a, &rows);
            return html! {
                dl class="facts" { div { dt { (a.function) } dd { (number(*value)) } } }
                @for drawing in over_time.iter().flatten() { (drawing.embed("tiny")) }
            };
        }
    }
    let most = rows.iter().filter_map(|e| e.value).map(i64::unsigned_abs).max().unwrap_or(0).max(1);
    let has_moments = rows.iter().any(|e| e.count.is_some());
    let sparks = over_time(recording, a, &rows);
    let has_sparks = sparks.iter().any(Option::is_some);
    let caption = format!("{} by key, the largest first", a.function);
    html! {
        div class=(scroll(rows.len())) tabindex="0" role="group" aria-label="Table" { table class="sortable" {
            caption { (caption) }
            thead { tr {
                (key_heads(a))
                th scope="col" class="n" { (a.function) }
                th scope="col" class="plain" { span class="dim" { "size" } }
                @if has_moments { th scope="col" class="n" { "values" } }
                @if has_sparks { th scope="col" class="plain" { (change_of(a)) } }
            } }
            tbody {
                @for (n, e) in rows.iter().take(ROWS).enumerate() {
                    @let value = e.value.unwrap_or(0);
                    tr {
                        @for k in &e.keys { (key_cell(k)) }
                        td class="n" data-v=(value) { @if e.empty { "\u{2013}" } @else { (number(value)) } }
                        td class="fill" { span class="meter" aria-hidden="true"
                            style={"width:" (format!("{:.1}", 100.0 * value.unsigned_abs() as f64 / most as f64)) "%"} {} }
                        @if has_moments {
                            @let count = e.count.unwrap_or(0);
                            td class="n" data-v=(count) { (number(i64::try_from(count).unwrap_or(i64::MAX))) }
                        }
                        @if has_sparks { td {
                            @if let Some(Some(drawing)) = sparks.get(n) { (drawing.embed("tiny")) }
                        } }
                    }
                }
            }
        } }
        (left_out(rows.len(), ROWS, "key"))
    }
}

fn change_of(a: &Aggregation) -> &'static str {
    match a.function.as_str() {
        "count" | "sum" => "per second, over time",
        _ => "over time",
    }
}

/// Draws a note if a table is not complete.
pub fn left_out(all: usize, most: usize, what: &str) -> Markup {
    html! {
        @if all > most {
            p class="detail" { "The table shows the first " (number(most as i64)) " of " (count(all, what)) ". The stream has all of them." }
        }
    }
}

/// Draws the change of each of the first rows: counts and sums per second, other values unchanged.
fn over_time(recording: &Recording, a: &Aggregation, rows: &[&Entry]) -> Vec<Option<Drawing>> {
    let steps = recording.increments(a);
    if steps.len() < 3 {
        return Vec::new();
    }
    let is_rate = matches!(a.function.as_str(), "count" | "sum");
    let one = |e: &&Entry| {
        let value = |(from, to, entries): &(u64, u64, Vec<Entry>)| {
            let now = entries.iter().find(|n| n.keys == e.keys);
            let value = now.and_then(|n| n.value).unwrap_or(0) as f64;
            let seconds = to.saturating_sub(*from).max(1_000_000) as f64 / 1e9;
            let value = value / e.divisor() as f64;
            if is_rate {
                value / seconds
            } else {
                value
            }
        };
        let values: Vec<f64> = steps.iter().map(value).collect();
        let most = values.iter().copied().fold(0.0, f64::max);
        let unit = if is_rate { " a second" } else { "" };
        let label = format!("Over time, at most {}{unit}", short(most.round() as i64));
        Some(svg::line(&values, label))
    };
    rows.iter().take(SPARKS).map(one).collect()
}

/// Draws a distribution over time, of all keys or of one; `None` if fewer than two intervals are
/// known.
pub fn heat_map(recording: &Recording, a: &Aggregation, keys: Option<&[Datum]>) -> Option<Drawing> {
    let steps = recording.increments(a);
    if steps.len() < 2 {
        return None;
    }
    let start = steps.first()?.0;
    let is_meant = |e: &&Entry| keys.is_none_or(|k| e.keys == k);
    let all = || steps.iter().flat_map(|s| &s.2).filter(is_meant);
    let axis = buckets::axis(a, all());
    if axis.is_empty() {
        return None;
    }
    let column = |(from, to, entries): &(u64, u64, Vec<Entry>)| Column {
        from: from.saturating_sub(start),
        to: to.saturating_sub(start),
        counts: buckets::counts(&axis, entries.iter().filter(is_meant)),
    };
    let columns: Vec<Column> = steps.iter().map(column).collect();
    let label = |r: &Range| (svg::edge(*r), range(*r));
    let labels: Vec<(String, String)> = axis.iter().map(label).collect();
    Some(svg::heat_map(&columns, &labels, 70.0))
}

fn distribution(recording: &Recording, a: &Aggregation) -> Markup {
    let rows = largest(a);
    let axis = buckets::axis(a, rows.iter().copied());
    let all = buckets::counts(&axis, rows.iter().copied());
    let is_many = rows.len() > 1;
    let has_stacks = flame::has_stacks(a);
    html! {
        h3 { @if is_many { "All keys together" } @else { "Distribution" } }
        div class="plot" { (svg::histogram(&axis, &all, None).embed("wide")) }
        @if let Some(drawing) = heat_map(recording, a, None) {
            h3 { "Over time" }
            div class="plot" { (drawing.embed("wide")) }
        }
        h3 { "By key" }
        div class=(scroll(rows.len())) tabindex="0" role="group" aria-label="Table" { table class="sortable" {
            caption { "Distributions by key, the largest first. A percentile is the bucket that contains it." }
            thead { tr {
                (key_heads(a))
                th scope="col" class="plain" { "shape" }
                th scope="col" class="n" { "values" }
                th scope="col" class="n" { "50\u{202f}%" } th scope="col" class="n" { "90\u{202f}%" }
                th scope="col" class="n" { "99\u{202f}%" } th scope="col" class="n" { "greatest" }
            } }
            tbody {
                @for e in rows.iter().take(ROWS) {
                    tr {
                        @for k in &e.keys { (key_cell(k)) }
                        td { (svg::spark(&axis, &buckets::counts(&axis, std::iter::once(*e))).embed("tiny")) }
                        td class="n" data-v=(e.total()) { (number(e.total())) }
                        @for part in [0.5, 0.9, 0.99, 1.0] { (percentile_cell(e, part)) }
                    }
                }
            }
        } }
        (left_out(rows.len(), ROWS, "key"))
        @if is_many && !has_stacks {
            details {
                summary { "Histograms of the largest keys" }
                div class="cards" {
                    @for e in rows.iter().take(CARDS) {
                        @let axis = buckets::axis(a, std::iter::once(*e));
                        @let counts = buckets::counts(&axis, std::iter::once(*e));
                        figure {
                            figcaption { b { (keys(&e.keys)) } ", " (number(e.total())) " values" }
                            (svg::histogram(&axis, &counts, None).embed("hist"))
                        }
                    }
                }
            }
            @let maps: Vec<_> = rows.iter().take(CARDS).filter_map(|e| Some((e, heat_map(recording, a, Some(&e.keys))?))).collect();
            @if !maps.is_empty() {
                details {
                    summary { "Heat maps of the largest keys" }
                    @for (e, drawing) in &maps {
                        figure {
                            figcaption { b { (keys(&e.keys)) } }
                            div class="plot" { (drawing.embed("wide")) }
                        }
                    }
                }
            }
        }
        (bucket_table(&axis, &all))
    }
}

/// Draws the bucket of a percentile.
pub fn percentile_cell(e: &Entry, part: f64) -> Markup {
    let found = buckets::percentile(&e.buckets, part);
    let bound = found.and_then(|r| r.1.or(r.0));
    html! {
        td class="n" data-v=(bound.unwrap_or(0)) title=(found.map_or(String::new(), range)) {
            @match (found, bound) {
                (Some((_, Some(_))), Some(b)) => { "\u{2264}\u{202f}" (short(b)) }
                (Some(_), Some(b)) => { "\u{2265}\u{202f}" (short(b)) }
                _ => { "\u{2013}" }
            }
        }
    }
}

/// Draws the same numbers for readers who cannot see the columns.
fn bucket_table(axis: &[Range], counts: &[i64]) -> Markup {
    html! {
        details {
            summary { "Buckets as a table" }
            table {
                caption { "All keys together" }
                thead { tr { th scope="col" { "values" } th scope="col" class="n" { "count" } } }
                tbody {
                    @for (r, n) in axis.iter().zip(counts) {
                        tr { th scope="row" { (range(*r)) } td class="n" { (number(*n)) } }
                    }
                }
            }
        }
    }
}

/// Returns the class of a table's box: a long table scrolls inside its box.
pub fn scroll(rows: usize) -> &'static str {
    match rows > 20 {
        true => "scroll tall",
        false => "scroll",
    }
}
