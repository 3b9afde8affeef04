// SPDX-License-Identifier: GPL-2.0
//! The page: the machine and the program, losses, each aggregation, and the printed records.

mod aggregation;
mod diff;
mod events;

pub use aggregation::{heat_map, largest};
pub use diff::diff;

use crate::svg::COLOURS;
use crate::text::{clean, count, date, duration, number};
use maud::{html, Markup, PreEscaped, DOCTYPE};
use recording::Recording;

const STYLE: &str = include_str!("../page.css");
const SCRIPT: &str = include_str!("../page.js");
/// What a browser may do with the page: run this one script, and fetch nothing.
const POLICY: &str = include_str!("../policy.txt");

/// The most faults and notes that a page lists.
const NEWS: usize = 20;

/// Draws a recording as a page of HTML.
pub fn page(recording: &Recording) -> String {
    let shown = recording.shown();
    let ids: Vec<String> = (1..=shown.len()).map(|n| format!("a{n}")).collect();
    let has_events = !recording.records.is_empty();
    let body = html! {
        (head(&title(recording), &html! { (facts(recording)) (losses(recording)) }))
        @if !shown.is_empty() || has_events {
            div class="wrap" { nav aria-label="On this page" { ul {
                @for (a, id) in shown.iter().zip(&ids) {
                    li { a href={"#" (id)} { (name(a)) } }
                }
                @if has_events { li { a href="#events" { "Events" } } }
            } } }
        }
        main class="wrap" id="main" {
            @for (a, id) in shown.iter().zip(&ids) { (aggregation::section(recording, a, id)) }
            @if has_events { (events::section(recording)) }
            @if shown.is_empty() && !has_events {
                section { h2 { "Nothing recorded" } p class="sub" { "No clause with an action ran." } }
            }
        }
    };
    document(&title(recording), &body, &recording.version)
}

/// Draws a whole document.
fn document(title: &str, body: &Markup, version: &str) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY.trim());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="generator" content={"dtrace " (clean(version))};
                title { (title) " \u{b7} dtrace" }
                style { (PreEscaped(COLOURS)) (PreEscaped(STYLE)) }
            }
            body {
                a class="skip" href="#main" { "Skip to the content" }
                (body)
                footer class="wrap" { "Drawn by dtrace " (clean(version)) " from a recorded stream." }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

fn head(title: &str, below: &Markup) -> Markup {
    html! {
        header { div class="wrap" {
            button type="button" class="js theme" { "Theme: auto" }
            p class="brand" { "dtrace" }
            h1 { (title) }
            (below)
        } }
    }
}

/// Returns the names of the programs.
pub fn title(recording: &Recording) -> String {
    let names: Vec<&str> = recording.programs.iter().map(|p| p.0.as_str()).collect();
    match names.is_empty() {
        true => "A recording".into(),
        false => clean(&names.join(", ")).into_owned(),
    }
}

/// Returns the name of an aggregation on pages.
fn name(a: &recording::Aggregation) -> String {
    format!("@{}", clean(&a.name))
}

/// Draws each fact with its name.
fn facts(recording: &Recording) -> Markup {
    let mut facts: Vec<(&str, String)> = Vec::new();
    match recording.machines.as_slice() {
        [] => {}
        [m] => {
            facts.push(("Machine", clean(&m.host).into_owned()));
            facts.push(("Kernel", clean(&format!("{} {}", m.kernel, m.architecture)).into_owned()));
            facts.push(("CPUs", m.cpus.to_string()));
        }
        many => {
            let hosts: Vec<&str> = many.iter().map(|m| m.host.as_str()).take(6).collect();
            let more = if many.len() > hosts.len() { " \u{2026}" } else { "" };
            let hosts = clean(&hosts.join(", ")).into_owned();
            facts.push(("Machines", format!("{}: {hosts}{more}", many.len())));
            facts.push(("CPUs", many.iter().map(|m| u64::from(m.cpus)).sum::<u64>().to_string()));
        }
    }
    if let Some(m) = recording.machine() {
        facts.push(("Started", date(m.walltimestamp)));
    }
    facts.extend(recording.span().map(|(from, to)| ("Duration", duration(to - from))));
    let probes: u64 = recording.programs.iter().map(|p| p.1).sum();
    facts.push(("Probes", number(i64::try_from(probes).unwrap_or(i64::MAX))));
    let lost: u64 = recording.drops.iter().map(|d| d.count).sum();
    facts.push(("Lost", number(i64::try_from(lost).unwrap_or(i64::MAX))));
    facts.push(("Faults", number(recording.faults.len() as i64)));
    let status = recording.status.map_or("incomplete".into(), |s| s.to_string());
    facts.push(("Exit status", status));
    html! {
        dl class="facts" {
            @for (name, value) in &facts { div { dt { (name) } dd { (value) } } }
        }
    }
}

/// Draws what a reader must know before believing the numbers.
fn losses(recording: &Recording) -> Markup {
    let host = |h: &Option<String>| h.as_ref().map_or(String::new(), |h| format!("{h}: "));
    let drops = recording.drops.iter().map(|d| format!("{}{}", host(&d.host), d.text));
    let faults = recording.faults.iter().map(|f| format!("{}{}", host(&f.host), f.text));
    let errors = recording.errors.iter().cloned();
    let serious: Vec<String> = drops.chain(faults).chain(errors).collect();
    html! {
        @if recording.status.is_none() {
            div class="warn" role="note" { p { "The stream is incomplete: dtrace did not end in order, or still runs." } }
        }
        @if !serious.is_empty() {
            div class="warn" role="note" {
                p { b { "Data is missing." } " The numbers below do not contain it." }
                ul { @for text in serious.iter().take(NEWS) { li { (clean(text)) } } }
                @if serious.len() > NEWS { p { "and " (number((serious.len() - NEWS) as i64)) " more" } }
            }
        }
        @if !recording.notes.is_empty() {
            details {
                summary { (count(recording.notes.len(), "note")) }
                ul { @for text in recording.notes.iter().take(NEWS) { li { span class="what" { (clean(text)) } } } }
                @if recording.notes.len() > NEWS { p { "and " (number((recording.notes.len() - NEWS) as i64)) " more" } }
            }
        }
    }
}
