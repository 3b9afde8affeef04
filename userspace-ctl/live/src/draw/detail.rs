// SPDX-License-Identifier: GPL-2.0
//! A distribution: each line is a bucket, with its bar since the beginning and its heat over time.

use super::{put, put_right, rule};
use crate::look::Look;
use crate::model::{Row, Table};
use crate::series::shares;
use crate::text;
use crate::ui::{keys_text, Ui};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use recording::buckets::{axis, counts, Range};
use std::collections::HashMap;

/// The characters of a bucket's bound and of its count.
const LABEL: u16 = 9;

/// Draws the chosen row, or all rows that match the filter.
pub fn draw(buf: &mut Buffer, at: Rect, table: &Table, ui: &Ui, look: Look) {
    if at.height < 4 {
        return;
    }
    let chosen = ui.chosen.as_deref().and_then(|keys| table.row(keys));
    let rows = match chosen {
        Some(row) => vec![row],
        None => ui.rows(table),
    };
    let name = match chosen {
        Some(row) => keys_text(&row.keys),
        None if table.row_count() > 1 => format!("all {} rows", rows.len()),
        None => table.latest.function.clone(),
    };
    rule(buf, at, &format!("{} {name}", table.title()), look);
    let all = || rows.iter().map(|r| &r.total);
    let axis = axis(&table.latest, all());
    let totals = counts(&axis, all());
    let lines = usize::from(at.height - 2);
    let size = axis.len().div_ceil(lines.max(1)).max(1);
    let most = groups(&totals, size).iter().copied().max().unwrap_or(0).max(1) as f64;
    let bar = (at.width / 4).clamp(8, 40);
    let field = Rect {
        x: at.x + 2 * LABEL + bar + 1,
        width: at.width.saturating_sub(2 * LABEL + bar + 2),
        ..at
    };
    let heat = Heat::new(&rows, &axis, size, table.at, ui.window(), field.width.into());
    let bounds: Vec<Range> = axis.chunks(size).filter_map(|c| c.first().copied()).collect();
    let totals = groups(&totals, size);
    // The greatest values are at the top.
    let used = u16::try_from(bounds.len()).unwrap_or(0).min(at.height - 2);
    for (n, (bound, total)) in (0u16..used).zip(bounds.iter().zip(&totals)) {
        let y = at.y + used - n;
        put_right(buf, at.x, y, LABEL - 1, &edge(*bound), Style::default());
        let length = usize::from(bar);
        let part = (*total).max(0) as f64 / most;
        put(buf, at.x + LABEL, y, bar, &look.bar(part, length), look.drawn());
        let count = text::number((*total / table.divisor) as f64);
        put_right(buf, at.x + LABEL + bar, y, LABEL - 1, &count, look.faint());
        for x in 0..field.width {
            if let Some(part) = heat.part(n.into(), x.into()) {
                let (c, style) = look.heat(part);
                put(buf, field.x + x, y, 1, &c.to_string(), style);
            }
        }
    }
    let y = at.y + used + 1;
    let seconds = ui.window() / 1_000_000_000;
    let (begin, end) = (format!("-{seconds} s"), "now");
    put(buf, at.x + LABEL, y, bar, "since start", look.faint());
    put(buf, field.x, y, field.width, &begin, look.faint());
    put_right(buf, field.x, y, field.width, end, look.faint());
    legend(buf, field, y, heat.most, look);
}

/// Draws the colours, from one value to the most values in a cell.
fn legend(buf: &mut Buffer, field: Rect, y: u16, most: f64, look: Look) {
    if field.width < 34 || most <= 0.0 {
        return;
    }
    let mut x = field.x + field.width / 2 - 10;
    x = put(buf, x, y, 2, "1 ", look.faint());
    for step in 1..=8u16 {
        let (c, style) = look.heat(f64::from(step) / 8.0);
        x = put(buf, x, y, 1, &c.to_string(), style);
    }
    put(buf, x, y, 10, &format!(" {}", text::number(most.ceil())), look.faint());
}

/// Returns the text of the bound at which a bucket begins.
fn edge((low, high): Range) -> String {
    match (low, high) {
        (Some(low), _) => text::number(low as f64),
        (None, Some(high)) => format!("<={}", text::number(high as f64)),
        (None, None) => String::new(),
    }
}

/// Adds up the counts of neighbouring buckets.
fn groups(counts: &[i64], size: usize) -> Vec<i64> {
    counts.chunks(size).map(|c| c.iter().fold(0i64, |sum, n| sum.saturating_add(*n))).collect()
}

/// The counts of the cells.
struct Heat {
    /// By line, the least values first, and column.
    cells: HashMap<(usize, usize), f64>,
    most: f64,
}

impl Heat {
    fn new(
        rows: &[&Row],
        axis: &[Range],
        size: usize,
        end: u64,
        span: u64,
        columns: usize,
    ) -> Self {
        let lines: HashMap<Range, usize> =
            axis.iter().enumerate().map(|(n, range)| (*range, n / size)).collect();
        let begin = end.saturating_sub(span);
        let mut cells: HashMap<(usize, usize), f64> = HashMap::new();
        for sample in rows.iter().flat_map(|r| r.series.after(begin)) {
            let parts = shares(begin, span, columns, sample);
            for (range, n) in &sample.buckets {
                let Some(line) = lines.get(range) else { continue };
                for (column, share) in &parts {
                    *cells.entry((*line, *column)).or_default() += *n as f64 * share;
                }
            }
        }
        let most = cells.values().copied().fold(0.0, f64::max);
        Self { cells, most }
    }

    /// Returns how hot a cell is, by the logarithm of its count: more than 0, at most 1.
    fn part(&self, line: usize, column: usize) -> Option<f64> {
        let count = self.cells.get(&(line, column)).copied().filter(|n| *n > 0.0)?;
        Some(((1.0 + count).ln() / (1.0 + self.most).ln()).max(f64::MIN_POSITIVE))
    }
}
