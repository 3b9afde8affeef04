// SPDX-License-Identifier: GPL-2.0
//! Pictures of a recording: a page that needs neither a network nor scripts, heat maps and
//! histograms, flame graphs, and a page that compares two recordings.
//!
//! Strings of traced programs are hostile. They reach a picture only through `maud`, which escapes
//! them, and through [`text::clean`], which removes the characters that no picture may contain.

#![forbid(unsafe_code)]
#![warn(clippy::too_many_lines)]
// They panic if the stream is closed or its disk is full.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]
#![warn(missing_docs)]

mod flame;
mod page;
mod svg;
mod text;

pub use flame::svg as flame;
pub use page::{diff, page};

use recording::{buckets, Aggregation, Recording};
use std::borrow::Cow;

/// Returns a line for each stack, for other tools.
pub fn collapsed(recording: &Recording) -> Vec<u8> {
    flame::folded(recording).into_iter().flat_map(|l| (l + "\n").into_bytes()).collect()
}

/// Draws all distributions as an SVG; the error is a sentence.
pub fn histogram(recording: &Recording) -> Result<Vec<u8>, String> {
    let mut parts = Vec::new();
    for a in distributions(recording) {
        let axis = buckets::axis(&a, a.entries.iter());
        for e in page::largest(&a).into_iter().take(MOST) {
            let counts = buckets::counts(&axis, std::iter::once(e));
            parts.push((caption(&a, &e.keys), svg::histogram(&axis, &counts, None)));
        }
    }
    alone(
        recording,
        parts,
        "the recording has no distribution: aggregate with quantize() or its kin",
    )
}

/// Draws all distributions over time as an SVG; the error is a sentence.
pub fn heat_map(recording: &Recording) -> Result<Vec<u8>, String> {
    let mut parts = Vec::new();
    for a in distributions(recording) {
        parts.extend(page::heat_map(recording, &a, None).map(|d| (caption(&a, &[]), d)));
        let keyed = page::largest(&a).into_iter().take(if a.entries.len() > 1 { MOST } else { 0 });
        for e in keyed {
            let drawn = page::heat_map(recording, &a, Some(&e.keys));
            parts.extend(drawn.map(|d| (caption(&a, &e.keys), d)));
        }
    }
    let why = "the recording shows no distribution over time: record with -x snaprate, or print with printa()";
    alone(recording, parts, why)
}

/// The most pictures of one aggregation.
const MOST: usize = 12;

fn distributions(recording: &Recording) -> impl Iterator<Item = Cow<'_, Aggregation>> {
    recording.shown().into_iter().filter(|a| a.is_distribution())
}

fn caption(a: &Aggregation, keys: &[recording::Datum]) -> String {
    let keys = if keys.is_empty() { String::new() } else { format!(", {}", text::keys(keys)) };
    text::clean(&format!("@{} {}{keys}", a.name, a.function)).into_owned()
}

fn alone(
    recording: &Recording,
    parts: Vec<(String, svg::Drawing)>,
    none: &str,
) -> Result<Vec<u8>, String> {
    match parts.is_empty() {
        true => Err(none.into()),
        false => Ok(svg::alone(&page::title(recording), &parts).into_bytes()),
    }
}
