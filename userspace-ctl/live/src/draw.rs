// SPDX-License-Identifier: GPL-2.0
//! The screen, from top to bottom: title, aggregations, rows, distribution, printed lines, losses
//! and cost, keys.
//!
//! ```text
//! dtrace: syscall::read:    1 probe    web1    00:12
//!  1 @reads  2 @sizes
//! execname                COUNT v  PER SEC   MEAN/S  last 60 s
//! bash                       1234      102       99    ▁▂▁▄█
//! ```

mod detail;
mod rows;

use crate::look::Look;
use crate::model::{Kind, Model};
use crate::text::{clock, count};
use crate::ui::{Pane, Prompt, Ui};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// The smallest usable screen.
const LEAST: (u16, u16) = (40, 8);
/// The lines of the program's text on a screen that shows tables, with their title.
const LINES: u16 = 6;

/// The keys, for the help and the manual.
pub const KEYS: &[(&str, &str)] = &[
    ("Tab, 1-9", "show another aggregation"),
    ("Up, Down, PgUp, PgDn", "choose a row; its distribution is shown"),
    ("a, Esc", "choose no row: show the distribution of all"),
    ("Left, Right", "sort by another column"),
    ("r", "reverse the order"),
    ("/", "show only rows that match a regular expression"),
    ("+, -", "zoom in and out in time, from 10 s to 5 min"),
    ("Space", "pause and continue the view; tracing goes on"),
    ("c", "clear: the view counts from now on"),
    ("f", "fold and unfold stacks"),
    ("l", "give printed lines more room, or none"),
    ("w", "write a file: j JSON, s SVG, h HTML"),
    ("Ctrl-L", "draw the screen again"),
    ("q, Ctrl-C", "end the tracing"),
];

/// Draws everything. The text of traced programs has been cleaned before.
pub fn draw(buf: &mut Buffer, model: &Model, ui: &mut Ui, look: Look) {
    let area = buf.area;
    if area.width < LEAST.0 || area.height < LEAST.1 {
        let text = format!("The view needs {} columns and {} lines.", LEAST.0, LEAST.1);
        put(buf, area.x, area.y, area.width, &text, Style::default());
        return;
    }
    let line = |n: u16| Rect { y: area.y + n, height: 1, ..area };
    let paused = ui.paused.take();
    let shown = paused.as_deref().unwrap_or(model);
    title(buf, line(0), shown, paused.is_some(), look);
    tabs(buf, line(1), shown, ui, look);
    let middle = Rect { y: area.y + 2, height: area.height - 4, ..area };
    body(buf, middle, shown, ui, look);
    // Losses are always the current ones, even if the view is paused.
    health(buf, line(area.height - 2), model, ui, look);
    keys(buf, line(area.height - 1), ui, look);
    if ui.prompt == Prompt::Help {
        help(buf, middle, look);
    }
    ui.paused = paused;
}

/// Writes text and cuts it at the end of the room.
pub(crate) fn put(buf: &mut Buffer, x: u16, y: u16, width: u16, text: &str, style: Style) -> u16 {
    if !buf.area.contains((x, y).into()) {
        return x;
    }
    buf.set_stringn(x, y, text, width.into(), style).0
}

/// Writes text at the right end of the room.
pub(crate) fn put_right(buf: &mut Buffer, x: u16, y: u16, width: u16, text: &str, style: Style) {
    let length = u16::try_from(text.chars().count()).unwrap_or(u16::MAX);
    let free = width.saturating_sub(length);
    put(buf, x + free, y, width - free, text, style);
}

fn title(buf: &mut Buffer, at: Rect, model: &Model, is_paused: bool, look: Look) {
    buf.set_style(at, look.head());
    let probes: u64 = model.programs.iter().map(|p| p.1).sum();
    let names: Vec<&str> = model.programs.iter().map(|p| p.0.as_str()).collect();
    let time = clock(model.now.saturating_sub(model.start));
    let mut right = format!("{}  {}  {time} ", count(probes, "probe"), model.host);
    if is_paused {
        right = format!("PAUSED  {right}");
    }
    let room = at.width.saturating_sub(u16::try_from(right.chars().count()).unwrap_or(at.width));
    let names = names.join(", ");
    let name = plaintext::clean(&names);
    put(buf, at.x, at.y, room.saturating_sub(2), &format!(" dtrace: {name}"), look.head());
    put_right(buf, at.x, at.y, at.width, &right, look.head());
}

fn tabs(buf: &mut Buffer, at: Rect, model: &Model, ui: &Ui, look: Look) {
    let mut x = at.x;
    let chosen = ui.table.min(model.tables.len().saturating_sub(1));
    for (n, table) in model.tables.iter().enumerate() {
        let style = if n == chosen { look.head() } else { Style::default() };
        let text = format!(" {} {} ", n + 1, table.title());
        x = put(buf, x, at.y, at.right().saturating_sub(x), &text, style);
    }
    if let Some(table) = ui.shown(model) {
        let divided = match table.divisor {
            1 => String::new(),
            by => format!(" divided by {by}"),
        };
        let rows = count(table.row_count() as u64, "row");
        let mut text = format!("{}(){divided}, {rows}", table.latest.function);
        if ui.filter.is_some() {
            text = format!("/{}/  {text}", ui.filter_text);
        }
        let room = at.right().saturating_sub(x + 2);
        put_right(buf, x + 2, at.y, room, &text, look.faint());
    } else {
        put(buf, at.x, at.y, at.width, " No aggregation has a value yet.", look.faint());
    }
}

fn body(buf: &mut Buffer, at: Rect, model: &Model, ui: &mut Ui, look: Look) {
    let has_lines = model.all_lines().next().is_some();
    let pane = match (ui.pane, has_lines, model.tables.is_empty()) {
        (Pane::Hidden, ..) | (_, false, _) => 0,
        (_, _, true) => at.height,
        (Pane::Small, ..) => LINES.min(at.height / 3),
        (Pane::Half, ..) => at.height / 2,
    };
    let above = at.height - pane;
    if let Some(table) = ui.shown(model) {
        let wanted = u16::try_from(ui.rows(table).len() + 1).unwrap_or(u16::MAX);
        let detail = match table.is_distribution() && above >= 10 {
            true => above - wanted.clamp(4, (above * 2 / 5).max(4)),
            false => 0,
        };
        rows::draw(buf, Rect { height: above - detail, ..at }, table, ui, look);
        detail::draw(buf, Rect { y: at.y + above - detail, height: detail, ..at }, table, ui, look);
    }
    lines(buf, Rect { y: at.y + above, height: pane, ..at }, model, look);
}

fn lines(buf: &mut Buffer, at: Rect, model: &Model, look: Look) {
    if at.height == 0 {
        return;
    }
    rule(buf, at, "printed", look);
    let room = usize::from(at.height - 1);
    let last: Vec<_> = model.all_lines().rev().take(room).collect();
    for (y, (kind, text)) in (at.y + 1..).zip(last.into_iter().rev()) {
        let style = match kind {
            Kind::Text => Style::default(),
            Kind::Message => look.message(),
        };
        put(buf, at.x, y, at.width, &text, style);
    }
}

/// Draws a rule with a name in it.
pub(crate) fn rule(buf: &mut Buffer, at: Rect, name: &str, look: Look) {
    let dash = if look.has_blocks { "─" } else { "-" };
    put(buf, at.x, at.y, at.width, &dash.repeat(at.width.into()), look.faint());
    put(buf, at.x + 2, at.y, at.width.saturating_sub(4), &format!(" {name} "), look.faint());
}

fn health(buf: &mut Buffer, at: Rect, model: &Model, ui: &Ui, look: Look) {
    let cost = ui.cost.map_or_else(String::new, |c| format!("dtrace uses {c:.1} % of a CPU "));
    let room = at.width.saturating_sub(u16::try_from(cost.len()).unwrap_or(0) + 1);
    put_right(buf, at.x, at.y, at.width, &cost, look.faint());
    let mut lost: Vec<String> = model.drops.iter().map(|(what, n)| format!("{what} {n}")).collect();
    if model.faults > 0 {
        lost.push(count(model.faults, "clause") + " ended by a fault");
    }
    match lost.is_empty() {
        true => put(buf, at.x, at.y, room, " Nothing was lost.", look.good()),
        false => {
            let text = format!(" LOST: {}: {}", model.lost(), lost.join(", "));
            put(buf, at.x, at.y, room, &text, look.bad())
        }
    };
}

fn keys(buf: &mut Buffer, at: Rect, ui: &Ui, look: Look) {
    let text = match (&ui.prompt, &ui.message) {
        (Prompt::Filter(text), Some(why)) => format!("/{text}_  {why}"),
        (Prompt::Filter(text), None) => {
            format!("/{text}_  Enter: show only rows that match; empty: all; Esc: back")
        }
        (Prompt::Save, _) => "Write which file? j: JSON, s: SVG, h: HTML; other keys: none".into(),
        (Prompt::Help, _) => "Press any key to go on.".into(),
        (Prompt::None, Some(message)) => message.clone(),
        (Prompt::None, None) => {
            "q quit  ? help  Tab next  arrows row, sort  / filter  Space pause  w write".into()
        }
    };
    buf.set_style(at, look.head());
    put(buf, at.x, at.y, at.width, &format!(" {text}"), look.head());
}

fn help(buf: &mut Buffer, at: Rect, look: Look) {
    let height = u16::try_from(KEYS.len()).unwrap_or(0).min(at.height);
    let width = 74.min(at.width);
    let x = at.x + (at.width - width) / 2;
    for (y, (key, what)) in (at.y..at.y + height).zip(KEYS) {
        put(buf, x, y, width, &" ".repeat(width.into()), Style::default());
        put(buf, x + 1, y, 21, key, look.strong());
        put(buf, x + 23, y, width.saturating_sub(23), what, Style::default());
    }
}
