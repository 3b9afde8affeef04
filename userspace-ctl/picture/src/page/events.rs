// SPDX-License-Identifier: GPL-2.0
//! Records on a page: when each probe fired, and the data of its clauses.

use crate::page::aggregation::{left_out, scroll};
use crate::svg::{self, Column};
use crate::text::{clean, count, key, number};
use maud::{html, Markup};
use recording::{Action, Record, Recording};
use std::collections::BTreeMap;

/// The most rows of the table.
const ROWS: usize = 2000;
/// The most probes of the timeline.
const LANES: usize = 24;
/// The number of columns in the timeline.
const BINS: u64 = 140;

/// Draws the timeline and the table of events.
pub fn section(recording: &Recording) -> Markup {
    let all = &recording.records;
    let start = recording.span().map_or(0, |s| s.0);
    let has_hosts = all.iter().any(|r| r.host.is_some());
    html! {
        section id="events" aria-labelledby="events-h" {
            h2 id="events-h" { "Events" }
            p class="sub" { (count(all.len(), "record")) ", in order of time" }
            @if all.len() > 1 { (timeline(recording)) }
            div class=(scroll(all.len())) tabindex="0" role="group" aria-label="Table" { table class="sortable" {
                caption { "Time is in seconds since the command began" }
                thead { tr {
                    th scope="col" class="n" { "time" }
                    @if has_hosts { th scope="col" { "machine" } }
                    th scope="col" class="n" { "CPU" } th scope="col" { "probe" } th scope="col" { "data" }
                } }
                tbody { @for r in all.iter().take(ROWS) {
                    @let since = r.timestamp.saturating_sub(start);
                    tr {
                        td class="n" data-v=(since) { (format!("{:.6}", since as f64 / 1e9)) }
                        @if has_hosts { td { (clean(r.host.as_deref().unwrap_or(""))) } }
                        td class="n" data-v=(r.cpu) { (r.cpu) }
                        td title=(clean(&r.probe.full_name())) { code { (lane(r)) } }
                        td { @for a in &r.actions { (action(a)) } }
                    }
                } }
            } }
            (left_out(all.len(), ROWS, "record"))
        }
    }
}

/// Returns a probe's name in the timeline.
fn lane(r: &Record) -> String {
    let p = &r.probe;
    let name = match (p.function.is_empty(), p.module.is_empty()) {
        (false, _) => format!("{}:{}", p.function, p.name),
        (true, false) => format!("{}:{}:{}", p.provider, p.module, p.name),
        (true, true) => format!("{}:{}", p.provider, p.name),
    };
    clean(&name).into_owned()
}

fn timeline(recording: &Recording) -> Markup {
    let (start, end) = recording.span().unwrap_or((0, 1));
    let width = ((end - start) / BINS).max(1);
    let mut lanes: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for r in &recording.records {
        lanes.entry(lane(r)).or_default().push(r.timestamp.saturating_sub(start));
    }
    let mut lanes: Vec<(String, Vec<u64>)> = lanes.into_iter().collect();
    lanes.sort_by_key(|l| std::cmp::Reverse(l.1.len()));
    let hidden = lanes.len().saturating_sub(LANES);
    lanes.truncate(LANES);
    // Rows are drawn from the bottom up.
    lanes.reverse();
    let mut columns: Vec<Column> = (0..BINS)
        .map(|n| Column { from: n * width, to: (n + 1) * width, counts: vec![0; lanes.len()] })
        .collect();
    for (row, (_, times)) in lanes.iter().enumerate() {
        for t in times {
            let bin = usize::try_from((t / width).min(BINS - 1)).unwrap_or(0);
            if let Some(n) = columns.get_mut(bin).and_then(|c| c.counts.get_mut(row)) {
                *n += 1;
            }
        }
    }
    let cropped = |name: &String| match name.chars().count() {
        0..=26 => name.clone(),
        _ => name.chars().take(25).chain(['\u{2026}']).collect(),
    };
    let labels: Vec<(String, String)> =
        lanes.iter().map(|(name, _)| (cropped(name), name.clone())).collect();
    html! {
        h3 { "Timeline" }
        div class="plot" { (svg::heat_map(&columns, &labels, 190.0).embed("wide")) }
        @if hidden > 0 { p class="detail" { (count(hidden, "probe")) " with fewer records not drawn" } }
    }
}

/// Draws the data of an action, on a line of its own.
fn action(a: &Action) -> Markup {
    let named = |text: &str| html! { div { span class="dim" { (a.action) " " } span class="what" { (clean(text)) } } };
    if let Some(printed) = &a.printed {
        let pretty = serde_json::to_string_pretty(&printed.value).unwrap_or_default();
        return html! { details { summary { (clean(&printed.ctype)) } pre { (clean(&pretty)) } } };
    }
    if let Some(value) = &a.value {
        return match value.frames() {
            Some(mut frames) => html! { details {
                summary { code { (frames.next().map_or("no frames".into(), |f| clean(f.function))) } }
                pre { (clean(&value.to_string())) }
            } },
            None => html! { div { span class="what" { (key(value)) } } },
        };
    }
    match a.action.as_str() {
        "printf" => {
            html! { div { span class="what" { (clean(a.text.as_deref().unwrap_or("").trim_end())) } } }
        }
        "printa" => {
            let names: Vec<String> =
                a.aggregations.iter().map(|a| format!("@{}", a.name)).collect();
            named(&names.join(", "))
        }
        "exit" => named(&a.status.map_or(String::new(), |s| number(s.into()))),
        "setopt" => named(a.option.as_deref().unwrap_or("")),
        _ => {
            let name = a.aggregation.as_ref().map(|n| format!("@{n}"));
            named(&name.or(a.text.clone()).unwrap_or_default())
        }
    }
}
