// SPDX-License-Identifier: GPL-2.0
//! Draws aggregations as bars to compare them at a glance: `-x agghist` draws the values of all
//! keys as one distribution, `-x aggpack` draws the distribution of each key on one line.
//!
//! ```text
//!              key  ------------- Distribution ------------- count
//!              cat |@@@@@@@@@@                               1
//!             bash |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@           3
//!
//!              key   min .-----. max   | count
//!              cat     1 :     : 16    | 0
//! ```

use super::quantize::{self, Buckets, Scale};
use super::value::{datum, Style};
use super::{pad_left, put, Out};
use crate::aggregate::{Row, Rows};
use crate::datum::is_stack;

/// The least columns of a key.
const KEY_WIDTH: usize = 16;
/// The most columns of a key that the other lines are aligned with.
const MOST_KEY_WIDTH: usize = 4096;

/// The characters for the heights of a bucket of `-x aggpack`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Characters that every terminal has.
    #[default]
    Ascii,
    /// Block characters.
    Utf8,
}

impl Encoding {
    /// Returns the encoding for the option's value.
    pub fn from_text(text: &str) -> Option<Self> {
        match text {
            "ascii" => Some(Self::Ascii),
            "utf8" => Some(Self::Utf8),
            _ => None,
        }
    }

    /// Returns the encoding of the user's locale.
    pub fn of_locale() -> Self {
        let set = |name: &&str| std::env::var(name).is_ok_and(|v| !v.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find(|n| set(n));
        let locale = locale.and_then(|n| std::env::var(n).ok()).unwrap_or_default();
        match locale.to_ascii_lowercase().replace('-', "").contains("utf8") {
            true => Self::Utf8,
            false => Self::Ascii,
        }
    }

    fn heights(self) -> [char; 8] {
        match self {
            Self::Ascii => ['_', '.', ',', '-', '=', '*', '%', '@'],
            Self::Utf8 => ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
        }
    }
}

/// Returns a row's key on one line; `None` for a stack, which takes several.
fn label(row: &Row<'_>) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    for (n, key) in row.keys.iter().enumerate() {
        if is_stack(key.action) {
            return None;
        }
        if n > 0 {
            text.push(b' ');
        }
        let style = Style { is_quiet: true, is_raw: false, width: 0, is_unsigned: key.is_unsigned };
        datum(&mut text, &key.bytes, key.ty, style);
    }
    Some(text)
}

/// Returns the columns of the keys; `None` if a key is a stack. The keys are not kept: there may be
/// millions.
fn width(rows: &Rows<'_>) -> Option<usize> {
    let mut widths = rows.iter().map(|row| Some(super::columns(&label(&row)?)));
    let width = widths.try_fold(KEY_WIDTH, |most, width| Some(most.max(width?)))?;
    Some(width.min(MOST_KEY_WIDTH))
}

/// Draws a bar for each key; returns false if these rows cannot be drawn so.
pub fn hist(out: &mut Out<'_>, rows: &Rows<'_>, zoom: bool) -> bool {
    let value = |row: Row<'_>| match row.values.as_slice() {
        [v] if !v.func.takes_weight() && !row.keys.is_empty() => Some(v.scalar()),
        _ => None,
    };
    let Some(values) = rows.iter().map(value).collect::<Option<Vec<i64>>>() else { return false };
    let Some(width) = width(rows) else { return false };
    let scale = Scale::new(&values, zoom);
    quantize::header(out, "key", width);
    for (row, value) in rows.iter().zip(values) {
        pad_left(out, &label(&row).unwrap_or_default(), width);
        put!(out, " {} {value:<9}\n", scale.bar(value));
        out.pass_on();
    }
    true
}

/// Draws a line for each key; returns false if these rows cannot be drawn so.
pub fn pack(out: &mut Out<'_>, rows: &Rows<'_>, zoom: bool, encoding: Encoding) -> bool {
    let buckets = |row: &Row<'_>| match row.values.as_slice() {
        [v] => Some((Buckets::new(v.func, &v.words)?, v.normal)),
        _ => None,
    };
    let both = |a: Option<(usize, usize)>, b: Option<(usize, usize)>| match (a, b) {
        (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
        (a, b) => a.or(b),
    };
    let shown = |row: Row<'_>| Some(buckets(&row)?.0.shown());
    let shown = rows.iter().map(shown).try_fold(None, |all, one| Some(both(all, one?)));
    let Some(width) = width(rows) else { return false };
    let Some(Some((first, last))) = shown else { return false };
    let Some((one, _)) = rows.iter().next().as_ref().and_then(buckets) else { return false };
    let (low, high) = (one.label(first), one.label(last));
    let (left, right) = (low.len().max(3), high.len().max(3));
    let ruler = "-".repeat(last - first + 1);
    let head = if rows.iter().any(|r| !r.keys.is_empty()) { "key" } else { "" };
    put!(out, "\n{head:>width$}  {:>left$} .{ruler}. {:<right$} | count\n", "min", "max");
    for row in rows.iter() {
        let Some((buckets, normal)) = buckets(&row) else { continue };
        let counts = buckets.counts.get(first..=last).unwrap_or_default();
        pad_left(out, &label(&row).unwrap_or_default(), width);
        let bars = bars(counts, zoom, encoding);
        let total = counts.iter().fold(0i64, |sum, c| sum.wrapping_add(*c));
        let total = total.wrapping_div(normal.max(1));
        put!(out, "  {low:>left$} :{bars}: {high:<right$} | {total}\n");
        out.pass_on();
    }
    true
}

/// Returns a character for each count, for its share of the total, or of the greatest count.
fn bars(counts: &[i64], zoom: bool, encoding: Encoding) -> String {
    let heights = encoding.heights();
    let sizes = counts.iter().map(|c| u128::from(c.unsigned_abs()));
    let whole = if zoom { sizes.clone().max().unwrap_or(0) } else { sizes.clone().sum() };
    let bar = |size: u128| match size {
        0 => ' ',
        _ => {
            // Rounded up, so that every count above 0 is visible.
            let height = (size * heights.len() as u128).div_ceil(whole.max(1));
            heights.get((height as usize).saturating_sub(1)).copied().unwrap_or(' ')
        }
    };
    sizes.map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::super::written;
    use super::*;
    use crate::aggregate::{Key, Sort, Store, Value};
    use abi::action::ActionKind;
    use abi::aggregation::AggFunc;
    use abi::difo::DifType;

    /// A traced program may choose a key, and must not make all lines as long as its own.
    #[test]
    fn a_long_key_does_not_widen_all_lines() {
        let row = |key: &str, func: AggFunc| {
            let (bytes, ty) = (key.as_bytes().to_vec(), DifType::string(1 << 17));
            let key = Key { bytes, ty, is_unsigned: false, action: ActionKind::DifExpr };
            let mut words = vec![0; func.words()];
            func.init(&mut words);
            func.update(&mut words, 1, 1);
            let value = Value { func, words, normal: 1, is_cleared: false };
            (vec![key], value)
        };
        let long = "k".repeat(1 << 17);
        for func in [AggFunc::Count, AggFunc::Quantize] {
            let store = Store::fixed([row(&long, func), row("sh", func)]);
            let rows = store.rows(&[1], Sort::default());
            let (text, _) = written(|out| {
                assert!(match func {
                    AggFunc::Count => hist(out, &rows, false),
                    _ => pack(out, &rows, false, Encoding::Ascii),
                });
            });
            let text = String::from_utf8(text).unwrap();
            let lines: Vec<&str> = text.lines().filter(|l| !l.is_empty()).collect();
            let [head, of_long, of_short] = lines[..] else { panic!("{} lines", lines.len()) };
            assert!(of_long.starts_with(&long));
            assert!(head.len() < 8192 && of_short.len() < 8192, "{} columns", head.len());
            assert!(of_short.trim_start().starts_with("sh "));
        }
    }
}
