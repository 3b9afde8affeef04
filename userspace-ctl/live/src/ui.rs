// SPDX-License-Identifier: GPL-2.0
//! The user's choice of what to see, and the keys that change it.

use crate::model::{Model, Row, Table};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use recording::buckets::percentile;
use recording::Datum;
use regex_lite::{Regex, RegexBuilder};
use std::cmp::Ordering;
use std::sync::Arc;

/// The time that sparklines and heat maps show, in seconds.
const WINDOWS: [u64; 6] = [10, 20, 60, 120, 180, 300];

/// A column of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Column {
    /// The n-th key.
    Key(usize),
    /// The value, or the number of values of a distribution.
    Value,
    /// The average of the last interval.
    Latest,
    /// The rate of the last seconds, per second.
    Rate,
    /// The mean amount in a second since the beginning.
    Mean,
    /// The bucket of the median.
    Half,
    /// The bucket of the 99th percentile.
    High,
}

/// A request of a key that affects more than the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// End the session.
    Quit,
    /// Restart the counts.
    Clear,
    /// Save a file of this form.
    Save(Form),
    /// Suspend to the shell.
    Suspend,
    /// Draw the screen from scratch.
    Redraw,
}

/// Files that can be saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The stream.
    Json,
    /// A picture of the aggregation: a heat map, a flame graph or a histogram.
    Svg,
    /// A page.
    Html,
}

/// The receiver of keys, if it is not the tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Prompt {
    /// No prompt.
    #[default]
    None,
    /// The user is writing the filter.
    Filter(String),
    /// The user is choosing the form of a file.
    Save,
    /// The list of keys is on the screen.
    Help,
}

/// The room for the program's lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Pane {
    /// A few lines, if the program prints.
    #[default]
    Small,
    /// Half of the screen.
    Half,
    /// No room.
    Hidden,
}

/// The state of the screen.
#[derive(Debug, Default)]
pub struct Ui {
    /// The index of the shown aggregation.
    pub table: usize,
    /// The column that sorts the rows; `None` is the value.
    pub column: Option<Column>,
    /// The least value comes first.
    pub is_ascending: bool,
    /// Only rows with matching keys are shown.
    pub filter: Option<Regex>,
    /// The text of the filter.
    pub filter_text: String,
    /// The receiver of the keys.
    pub prompt: Prompt,
    /// The data at the time when the user paused the view.
    pub paused: Option<Box<Model>>,
    /// The index in [`WINDOWS`].
    zoom: usize,
    /// The keys of the chosen row; none means all rows together.
    pub chosen: Option<Arc<[Datum]>>,
    /// Stacks have a line for each frame.
    pub is_unfolded: bool,
    /// The room for printed lines.
    pub pane: Pane,
    /// The result of the last key.
    pub message: Option<String>,
    /// The first row on the screen.
    pub top: usize,
    /// The share of a CPU that dtrace itself uses, in per cent.
    pub cost: Option<f64>,
    /// The number of rows that fit on the screen.
    pub room: usize,
}

/// A row with its sort value.
type Sorted<'a> = (Rank, &'a Row);

/// The sort value of a row.
enum Rank {
    Number(f64),
    Key(Datum),
}

impl Ui {
    /// Makes the state of a new view.
    pub fn new() -> Self {
        Self { zoom: 2, ..Self::default() }
    }

    /// Returns the time that sparklines and heat maps show, in ns.
    pub fn window(&self) -> u64 {
        WINDOWS.get(self.zoom).copied().unwrap_or(60) * 1_000_000_000
    }

    /// Returns the shown table.
    pub fn shown<'m>(&self, model: &'m Model) -> Option<&'m Table> {
        model.tables.get(self.table).or(model.tables.last())
    }

    /// Returns the column that sorts the rows.
    pub fn sorted_by(&self, table: &Table) -> Column {
        self.column.filter(|c| columns(table).contains(c)).unwrap_or(Column::Value)
    }

    /// Returns the rows of a table that match the filter, sorted.
    pub fn rows<'m>(&self, table: &'m Table) -> Vec<&'m Row> {
        let column = self.sorted_by(table);
        let is_shown =
            |row: &&Row| self.filter.as_ref().is_none_or(|f| f.is_match(&keys_text(&row.keys)));
        let mut rows: Vec<Sorted<'m>> =
            table.rows().filter(is_shown).map(|row| (rank(table, row, column), row)).collect();
        rows.sort_by(|a, b| {
            let order = match (&a.0, &b.0) {
                (Rank::Number(a), Rank::Number(b)) => b.total_cmp(a),
                (Rank::Key(a), Rank::Key(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
                _ => Ordering::Equal,
            };
            let order = if self.is_ascending { order.reverse() } else { order };
            order.then_with(|| a.1.keys.partial_cmp(&b.1.keys).unwrap_or(Ordering::Equal))
        });
        rows.into_iter().map(|r| r.1).collect()
    }

    /// Handles a key.
    pub fn key(&mut self, key: KeyEvent, model: &Model) -> Option<Wish> {
        let with_control = key.modifiers.contains(KeyModifiers::CONTROL);
        if with_control {
            match key.code {
                KeyCode::Char('c' | '\\') => return Some(Wish::Quit),
                KeyCode::Char('z') => return Some(Wish::Suspend),
                KeyCode::Char('l') => return Some(Wish::Redraw),
                _ => {}
            }
        }
        self.message = None;
        match std::mem::take(&mut self.prompt) {
            Prompt::None => self.command(key.code, model),
            // Any key ends the help and does nothing else.
            Prompt::Help => None,
            Prompt::Save => match key.code {
                KeyCode::Char('j') => Some(Wish::Save(Form::Json)),
                KeyCode::Char('s') => Some(Wish::Save(Form::Svg)),
                KeyCode::Char('h') => Some(Wish::Save(Form::Html)),
                _ => None,
            },
            Prompt::Filter(text) => {
                self.write_filter(text, key.code);
                None
            }
        }
    }

    fn command(&mut self, code: KeyCode, model: &Model) -> Option<Wish> {
        let is_paused = self.paused.is_some();
        match code {
            KeyCode::Char('q') => return Some(Wish::Quit),
            KeyCode::Char('c') => {
                self.paused = None;
                return Some(Wish::Clear);
            }
            KeyCode::Char('w') => self.prompt = Prompt::Save,
            KeyCode::Char('?' | 'h') | KeyCode::F(1) => self.prompt = Prompt::Help,
            KeyCode::Char('/') => self.prompt = Prompt::Filter(self.filter_text.clone()),
            KeyCode::Char(' ' | 'p') => {
                self.paused = (!is_paused).then(|| Box::new(model.clone()));
            }
            KeyCode::Char('+' | '=') => self.zoom = self.zoom.saturating_sub(1),
            KeyCode::Char('-') => self.zoom = (self.zoom + 1).min(WINDOWS.len() - 1),
            KeyCode::Char('f') | KeyCode::Enter => self.is_unfolded = !self.is_unfolded,
            KeyCode::Char('l') => {
                self.pane = match self.pane {
                    Pane::Small => Pane::Half,
                    Pane::Half => Pane::Hidden,
                    Pane::Hidden => Pane::Small,
                }
            }
            KeyCode::Char('r') => self.is_ascending = !self.is_ascending,
            KeyCode::Char('a') | KeyCode::Esc => self.chosen = None,
            KeyCode::Char('s') | KeyCode::Right => self.sort_next(model, 1),
            KeyCode::Char('S') | KeyCode::Left => self.sort_next(model, -1),
            KeyCode::Tab => self.switch(model, 1),
            KeyCode::BackTab => self.switch(model, -1),
            KeyCode::Char(c @ '1'..='9') => {
                let n = c as usize - '1' as usize;
                if n < model.tables.len() {
                    self.show(n);
                }
            }
            _ => self.travel(code, model),
        }
        None
    }

    fn travel(&mut self, code: KeyCode, model: &Model) {
        let page = isize::try_from(self.room.max(2) - 1).unwrap_or(1);
        let step = match code {
            KeyCode::Down | KeyCode::Char('j') => 1,
            KeyCode::Up | KeyCode::Char('k') => -1,
            KeyCode::PageDown => page,
            KeyCode::PageUp => -page,
            KeyCode::Home | KeyCode::Char('g') => isize::MIN,
            KeyCode::End | KeyCode::Char('G') => isize::MAX,
            _ => return,
        };
        let paused = self.paused.take();
        let model = paused.as_deref().unwrap_or(model);
        let rows = self.shown(model).map(|t| self.rows(t)).unwrap_or_default();
        let at = rows.iter().position(|r| Some(&r.keys) == self.chosen.as_ref());
        let last = rows.len().saturating_sub(1);
        let to = match at {
            Some(at) => at.saturating_add_signed(step).min(last),
            // The first step chooses the first row.
            None => 0usize.saturating_add_signed(step.saturating_sub(1)).min(last),
        };
        self.chosen = rows.get(to).map(|r| r.keys.clone());
        self.paused = paused;
    }

    fn switch(&mut self, model: &Model, step: isize) {
        let n = model.tables.len();
        if n > 0 {
            let back = if step < 0 { n - 1 } else { 1 };
            self.show((self.table.min(n - 1) + back) % n);
        }
    }

    fn show(&mut self, table: usize) {
        (self.table, self.chosen, self.top) = (table, None, 0);
        (self.column, self.is_ascending) = (None, false);
    }

    fn sort_next(&mut self, model: &Model, step: isize) {
        let Some(table) = self.shown(model) else { return };
        let all = columns(table);
        let at = all.iter().position(|c| *c == self.sorted_by(table)).unwrap_or(0);
        let back = if step < 0 { all.len() - 1 } else { 1 };
        self.column = all.get((at + back) % all.len().max(1)).copied();
        self.is_ascending = false;
    }

    fn write_filter(&mut self, mut text: String, code: KeyCode) {
        match code {
            KeyCode::Esc => return,
            KeyCode::Enter if text.is_empty() => (self.filter, self.filter_text) = (None, text),
            KeyCode::Enter => match RegexBuilder::new(&text).case_insensitive(true).build() {
                Ok(filter) => (self.filter, self.filter_text) = (Some(filter), text),
                Err(e) => {
                    self.message = Some(format!("'{text}' is not a regular expression: {e}"));
                    self.prompt = Prompt::Filter(text);
                }
            },
            KeyCode::Backspace => {
                text.pop();
                self.prompt = Prompt::Filter(text);
            }
            KeyCode::Char(c) => {
                text.push(c);
                self.prompt = Prompt::Filter(text);
            }
            _ => self.prompt = Prompt::Filter(text),
        }
        self.top = 0;
    }
}

/// Returns the columns of a table, from left to right.
pub fn columns(table: &Table) -> Vec<Column> {
    let keys = table.rows().map(|r| r.keys.len()).max().unwrap_or(0);
    let mut all: Vec<Column> = (0..keys).map(Column::Key).collect();
    all.extend_from_slice(match table.latest.function.as_str() {
        "count" | "sum" => &[Column::Value, Column::Rate, Column::Mean],
        "avg" => &[Column::Value, Column::Latest, Column::Rate],
        "min" | "max" => &[Column::Value],
        "stddev" => &[Column::Value, Column::Rate],
        _ => &[Column::Value, Column::Rate, Column::Half, Column::High],
    });
    all
}

/// Returns the number in a column of a row; `None` for a key, and for a number that is not known
/// yet.
pub fn number(table: &Table, row: &Row, column: Column) -> Option<f64> {
    let whole = |part: f64| {
        let (low, high) = percentile(&row.total.buckets, part)?;
        low.or(high).map(|n| n as f64)
    };
    let (function, by) = (table.latest.function.as_str(), table.divisor);
    let value = || row.total.divided(function, by).map(|v| v as f64);
    match column {
        Column::Key(_) => None,
        Column::Value if table.is_distribution() => Some((row.total.total() / by) as f64),
        Column::Value => value().filter(|_| !row.total.empty),
        Column::Latest => row.series.level().map(|level| (level / by as f64).trunc()),
        // An average divides its values, not their number.
        Column::Rate if matches!(function, "avg" | "stddev") => Some(row.series.rate(table.at)),
        Column::Rate => Some(row.series.rate(table.at) / by as f64),
        Column::Mean => {
            let seconds = table.at.saturating_sub(table.since) as f64 / 1e9;
            value().filter(|_| seconds > 0.0).map(|v| v / seconds)
        }
        Column::Half => whole(0.5),
        Column::High => whole(0.99),
    }
}

fn rank(table: &Table, row: &Row, column: Column) -> Rank {
    match column {
        Column::Key(n) => Rank::Key(row.keys.get(n).cloned().unwrap_or(Datum::Int(0))),
        _ => Rank::Number(number(table, row, column).unwrap_or(f64::NEG_INFINITY)),
    }
}

/// Returns keys as one line, the frames of a stack innermost first.
pub fn keys_text(keys: &[Datum]) -> String {
    let all: Vec<String> = keys.iter().map(key_text).collect();
    all.join(" ")
}

/// Returns a key as one line.
pub fn key_text(key: &Datum) -> String {
    let text = match key.frames() {
        Some(frames) => {
            let names: Vec<&str> = frames.map(|f| f.function).collect();
            // The thread was running user code and has no kernel frames.
            if names.is_empty() {
                "-".into()
            } else {
                names.join(" < ")
            }
        }
        None => key.to_string(),
    };
    plaintext::clean(&text).into_owned()
}
