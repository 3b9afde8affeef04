// SPDX-License-Identifier: GPL-2.0
//! The rows of an aggregation: keys, numbers, and the last minutes as a sparkline.

use super::{put, put_right};
use crate::look::Look;
use crate::model::{Row, Table};
use crate::text;
use crate::ui::{columns, key_text, number, Column, Ui};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use recording::Datum;

/// The characters of a number and the blank before it.
const NUMBER: u16 = 10;

/// The positions on a line.
struct Layout {
    columns: Vec<Column>,
    /// The widths of the keys.
    keys: Vec<u16>,
    /// The column where the numbers begin.
    numbers: u16,
    trend: u16,
    /// The number of characters in the trend.
    parts: u16,
}

/// Draws the head and as many rows as fit.
pub fn draw(buf: &mut Buffer, at: Rect, table: &Table, ui: &mut Ui, look: Look) {
    let rows = ui.rows(table);
    let layout = Layout::new(at, table, &rows, ui);
    head(buf, at, table, &layout, ui, look);
    let room = usize::from(at.height.saturating_sub(1));
    ui.room = room;
    scroll(ui, &rows, room);
    let mut y = at.y + 1;
    for row in rows.iter().skip(ui.top) {
        if y >= at.bottom() {
            break;
        }
        one(buf, Rect { y, height: 1, ..at }, table, row, &layout, ui, look);
        y += 1;
        if ui.is_unfolded {
            for frame in frames(row) {
                if y < at.bottom() {
                    let text = plaintext::clean(frame);
                    put(buf, at.x + 4, y, at.width.saturating_sub(4), &text, look.faint());
                    y += 1;
                }
            }
        }
    }
}

fn frames(row: &Row) -> impl Iterator<Item = &str> {
    row.keys
        .iter()
        .flat_map(|key| match key {
            Datum::Stack(frames) | Datum::Ustack(frames) => frames.as_slice(),
            _ => &[],
        })
        .map(String::as_str)
}

/// Scrolls so that the chosen row is on the screen.
fn scroll(ui: &mut Ui, rows: &[&Row], room: usize) {
    let is_unfolded = ui.is_unfolded;
    let height = |row: &Row| if is_unfolded { 1 + frames(row).count() } else { 1 };
    let chosen = rows.iter().position(|r| Some(&r.keys) == ui.chosen.as_ref());
    let Some(at) = chosen else {
        ui.top = 0;
        return;
    };
    ui.top = ui.top.min(at);
    let mut used = 0;
    let fits = |row: &&&Row| {
        used += height(row);
        used <= room
    };
    let above = rows.get(ui.top..=at).unwrap_or_default().iter().rev();
    let shown = above.take_while(fits).count().max(1);
    ui.top = ui.top.max(at + 1 - shown);
}

impl Layout {
    fn new(at: Rect, table: &Table, rows: &[&Row], ui: &Ui) -> Self {
        let columns = columns(table);
        let n = columns.iter().filter(|c| matches!(c, Column::Key(_))).count();
        let numbers = u16::try_from(columns.len() - n).unwrap_or(0) * NUMBER;
        let parts = (at.width / 4).clamp(8, 60);
        let room = at.width.saturating_sub(numbers + parts + 2).max(8);
        let seen = rows.iter().skip(ui.top).take(usize::from(at.height));
        let mut wants = vec![0; n];
        for row in seen {
            for (want, key) in wants.iter_mut().zip(&*row.keys) {
                *want = (*want).max(key_text(key).chars().count());
            }
        }
        let mut keys: Vec<u16> = (0..n)
            .zip(wants)
            .map(|(n, want)| want.max(name(table, n).len() + 1))
            .map(|want| u16::try_from(want + 1).unwrap_or(u16::MAX).min(room))
            .collect();
        // The widest key becomes narrower.
        while keys.iter().map(|k| usize::from(*k)).sum::<usize>() > usize::from(room) {
            match keys.iter_mut().max() {
                Some(widest) if *widest > 4 => *widest -= 1,
                _ => break,
            }
        }
        if let Some(last) = keys.last_mut() {
            *last = (*last).max(20.min(room));
        }
        let numbers_at = at.x + keys.iter().sum::<u16>().min(room);
        Self { columns, keys, numbers: numbers_at, trend: numbers_at + numbers + 2, parts }
    }
}

/// Returns the name of a key.
fn name(table: &Table, n: usize) -> &str {
    match table.latest.keynames.get(n).map(String::as_str) {
        None | Some("") => "key",
        Some(name) => name,
    }
}

fn heading(table: &Table, column: Column) -> &str {
    match (column, table.latest.function.as_str()) {
        (Column::Key(n), _) => name(table, n),
        (Column::Value, "sum") => "SUM",
        (Column::Value, "min") => "MIN",
        (Column::Value, "max") => "MAX",
        (Column::Value, "avg") => "AVG",
        (Column::Value, "stddev") => "STDDEV",
        (Column::Value, _) => "COUNT",
        (Column::Latest, _) => "NOW",
        (Column::Rate, "avg" | "stddev") => "VALUES/S",
        (Column::Rate, _) => "PER SEC",
        (Column::Mean, _) => "MEAN/S",
        (Column::Half, _) => "P50",
        (Column::High, _) => "P99",
    }
}

fn head(buf: &mut Buffer, at: Rect, table: &Table, layout: &Layout, ui: &Ui, look: Look) {
    let sorted = ui.sorted_by(table);
    let (mut x, mut number_at) = (at.x, layout.numbers);
    for column in &layout.columns {
        let is_sorted = *column == sorted;
        let mark = match (is_sorted, ui.is_ascending, look.has_blocks) {
            (false, ..) => "",
            (_, false, true) => "▼",
            (_, true, true) => "▲",
            (_, false, false) => "v",
            (_, true, false) => "^",
        };
        let text = format!("{}{mark}", heading(table, *column));
        let style = if is_sorted { look.strong() } else { look.faint() };
        match column {
            Column::Key(n) => {
                let width = layout.keys.get(*n).copied().unwrap_or(0);
                put(buf, x, at.y, width.saturating_sub(1), &text, style);
                x += width;
            }
            _ => {
                put_right(buf, number_at, at.y, NUMBER, &text, style);
                number_at += NUMBER;
            }
        }
    }
    let seconds = ui.window() / 1_000_000_000;
    let room = at.right().saturating_sub(layout.trend).min(layout.parts);
    put(buf, layout.trend, at.y, room, &format!("last {seconds} s"), look.faint());
}

fn one(buf: &mut Buffer, at: Rect, table: &Table, row: &Row, layout: &Layout, ui: &Ui, look: Look) {
    let is_chosen = Some(&row.keys) == ui.chosen.as_ref();
    let style = if is_chosen { look.head() } else { Style::default() };
    if is_chosen {
        buf.set_style(at, style);
    }
    let mut x = at.x;
    for (key, width) in row.keys.iter().zip(&layout.keys) {
        let is_number = matches!(key, Datum::Int(_) | Datum::Uint(_) | Datum::Float(_));
        // Numbers as keys are aligned; the frames of an unfolded stack have their own lines.
        let text = match key.frames().filter(|_| ui.is_unfolded) {
            Some(mut frames) => frames.next().map_or_else(String::new, |f| f.function.to_string()),
            None => key_text(key),
        };
        let room = width.saturating_sub(1);
        match is_number && row.keys.len() > 1 {
            true => put_right(buf, x, at.y, room, &text, style),
            false => {
                put(buf, x, at.y, room, &text, style);
            }
        }
        x += width;
    }
    let numbers = layout.columns.iter().filter(|c| !matches!(c, Column::Key(_)));
    for (n, column) in (0u16..).zip(numbers) {
        let text = number(table, row, *column).map_or_else(|| "-".into(), text::number);
        put_right(buf, layout.numbers + n * NUMBER, at.y, NUMBER, &text, style);
    }
    let room = at.right().saturating_sub(layout.trend).min(layout.parts);
    let parts = row.series.parts(table.at, ui.window(), room.into());
    let most = parts.iter().copied().fold(0.0, f64::max);
    let line: String = parts.iter().map(|p| look.spark(p / most.max(f64::MIN_POSITIVE))).collect();
    let style = if is_chosen { style } else { look.drawn() };
    put(buf, layout.trend, at.y, room, &line, style);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::series::Series;
    use recording::Entry;

    #[test]
    fn the_chosen_row_is_on_the_screen() {
        let row = |n: i64| {
            let stack = Datum::Stack(vec!["f".into(); 3]);
            let keys = [Datum::Int(n), stack].into();
            Row { keys, at: None, total: Entry::default(), series: Series::default() }
        };
        let all: Vec<Row> = (0..100_000).map(row).collect();
        let rows: Vec<&Row> = all.iter().collect();
        let mut ui = Ui::new();
        let mut top_for = |chosen: usize, is_unfolded, room| {
            (ui.chosen, ui.is_unfolded) = (Some(all[chosen].keys.clone()), is_unfolded);
            scroll(&mut ui, &rows, room);
            ui.top
        };
        assert_eq!(top_for(9, false, 10), 0);
        assert_eq!(top_for(10, false, 10), 1);
        assert_eq!(top_for(5, false, 10), 1);
        // Each row has four lines now. Searching forward would take minutes.
        assert_eq!(top_for(99_999, true, 10), 99_998);
        assert_eq!(top_for(99_999, true, 3), 99_999);
        assert_eq!(top_for(7, true, 10), 7);
    }
}
