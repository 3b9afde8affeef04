// SPDX-License-Identifier: GPL-2.0
//! Histograms and heat maps as SVG. Colours are classes, so that pages and pictures follow the
//! reader's theme.

use crate::text::{number, range, short};
use maud::{html, Markup, PreEscaped};
use recording::buckets::Range;

/// The colours, as variables; a page and a lone picture share them.
pub const COLOURS: &str = include_str!("colours.css");

/// The most columns of a heat map; more intervals share columns.
const COLUMNS: usize = 140;
/// The number of shades in a heat map.
const SHADES: f64 = 9.0;

/// Returns a standalone picture: the SVG with colours and a background.
pub fn alone(title: &str, parts: &[(String, Drawing)]) -> String {
    let width = parts.iter().map(|p| p.1.width).fold(320.0, f64::max);
    let height: f64 = parts.iter().map(|p| p.1.height + 40.0).sum::<f64>() + 56.0;
    let mut y = 56.0;
    let mut place = |drawing: &Drawing| {
        let at = y;
        y += drawing.height + 40.0;
        at
    };
    let body = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width + 32.0) height=(height)
            viewBox={"0 0 " (width + 32.0) " " (height)} role="img" {
            title { (title) }
            style { (PreEscaped(COLOURS)) }
            rect class="ground" width="100%" height="100%" {}
            text class="title" x="16" y="30" { (title) }
            @for (caption, drawing) in parts {
                @let at = place(drawing);
                text class="caption" x="16" y=(at + 12.0) { (caption) }
                g transform={"translate(16 " (at + 22.0) ")"} { (drawing.body) }
            }
        }
    };
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", body.into_string())
}

/// Shapes, and their size.
pub struct Drawing {
    /// In units of the picture.
    pub width: f64,
    /// In units of the picture.
    pub height: f64,
    /// Elements of an SVG.
    pub body: Markup,
    /// A description in words.
    pub label: String,
}

impl Drawing {
    /// Returns the drawing as a part of a page.
    pub fn embed(&self, class: &str) -> Markup {
        html! {
            svg class=(class) viewBox={"0 0 " (self.width) " " (self.height)} role="img" aria-label=(self.label) {
                (self.body)
            }
        }
    }
}

/// Rounds a position to two decimals, to keep pictures small.
pub(crate) fn at(x: f64) -> f64 {
    (x * 100.0).round() / 100.0
}

/// Draws a distribution as columns. `before` is a second distribution, drawn as an outline.
pub fn histogram(axis: &[Range], counts: &[i64], before: Option<&[i64]>) -> Drawing {
    let (left, top, plot, foot) = (70.0, 10.0, 150.0, 26.0);
    let step = (700.0 / axis.len().max(1) as f64).clamp(3.0, 56.0);
    let width = left + (step * axis.len() as f64).max(700.0) + 12.0;
    let all = counts.iter().chain(before.unwrap_or_default());
    let most = all.map(|c| c.unsigned_abs()).max().unwrap_or(0).max(1) as f64;
    let tall = |count: i64| plot * count.unsigned_abs() as f64 / most;
    let every = (58.0 / step).ceil().max(1.0) as usize;
    let body = html! {
        @for part in [0.0, 0.5, 1.0] {
            @let y = at(top + plot * (1.0 - part));
            line class="rule" x1=(left) x2=(width) y1=(y) y2=(y) {}
            @if part * most == (part * most).round() {
                text class="tick end" x=(left - 8.0) y=(y + 4.0) { (short((part * most) as i64)) }
            }
        }
        @for (n, (bounds, count)) in axis.iter().zip(counts).enumerate() {
            @let x = left + step * n as f64;
            @let is_negative = *count < 0;
            g {
                title { (range(*bounds)) ": " (number(*count)) }
                rect class="hole" x=(at(x)) y=(top) width=(at(step)) height=(plot) {}
                rect class=(if is_negative { "bar minus" } else { "bar" }) x=(at(x + step * 0.08)) rx="1.5"
                    y=(at(top + plot - tall(*count))) width=(at(step * 0.84)) height=(at(tall(*count))) {}
                @if let Some(old) = before.and_then(|b| b.get(n)).filter(|c| **c != 0) {
                    rect class="was" x=(at(x + step * 0.08)) y=(at(top + plot - tall(*old))) width=(at(step * 0.84))
                        height=(at(tall(*old))) rx="1.5" {}
                }
            }
            @if n % every == 0 {
                text class="tick middle" x=(at(x + step / 2.0)) y=(top + plot + 17.0) { (edge(*bounds)) }
            }
        }
    };
    let label = summary(axis, counts);
    Drawing { width, height: top + plot + foot, body, label }
}

/// Draws a distribution in a few pixels.
pub fn spark(axis: &[Range], counts: &[i64]) -> Drawing {
    let (width, height) = (120.0, 22.0);
    let step = width / axis.len().max(1) as f64;
    let most = counts.iter().map(|c| c.unsigned_abs()).max().unwrap_or(0).max(1) as f64;
    let body = html! {
        line class="rule" x1="0" x2=(width) y1=(height - 0.5) y2=(height - 0.5) {}
        @for (n, count) in counts.iter().enumerate().filter(|c| *c.1 != 0) {
            @let tall = ((height - 1.0) * count.unsigned_abs() as f64 / most).max(1.0);
            rect class="bar" x=(at(step * n as f64)) y=(at(height - tall)) width=(at((step * 0.88).max(1.0)))
                height=(at(tall)) {}
        }
    };
    Drawing { width, height, body, label: summary(axis, counts) }
}

/// Draws values over time in a few pixels.
pub fn line(values: &[f64], label: String) -> Drawing {
    let (width, height) = (120.0, 22.0);
    let most = values.iter().copied().fold(0.0, f64::max);
    let least = values.iter().copied().fold(0.0, f64::min);
    let step = width / values.len().saturating_sub(1).max(1) as f64;
    let scale = (height - 3.0) / (most - least).max(f64::MIN_POSITIVE);
    let point = |(n, v): (usize, &f64)| {
        format!("{},{}", at(step * n as f64), at(height - 1.5 - (v - least) * scale))
    };
    let points: Vec<String> = values.iter().enumerate().map(point).collect();
    let points = points.join(" ");
    let body = html! {
        polygon class="area" points={"0," (height) " " (points) " " (width) "," (height)} {}
        polyline class="curve" points=(points) {}
    };
    Drawing { width, height, body, label }
}

/// The counts of an interval, by row.
pub struct Column {
    /// Nanoseconds since the beginning.
    pub from: u64,
    /// Nanoseconds since the beginning.
    pub to: u64,
    /// One count for each row, from the bottom up.
    pub counts: Vec<i64>,
}

/// Draws rows of counts over time, shaded. `labels` has a short and a long label for each row, from
/// the bottom up.
pub fn heat_map(columns: &[Column], labels: &[(String, String)], wide: f64) -> Drawing {
    let columns = gathered(columns);
    let row = (260.0 / labels.len().max(1) as f64).clamp(7.0, 20.0);
    let (left, plot) = (wide, 700.0);
    let tall = row * labels.len() as f64;
    let width = left + plot + 12.0;
    let start = columns.first().map_or(0, |c| c.from);
    let end = columns.last().map_or(1, |c| c.to).max(start + 1);
    let x = |t: u64| left + plot * (t.saturating_sub(start)) as f64 / (end - start) as f64;
    let most = columns.iter().flat_map(|c| &c.counts).copied().max().unwrap_or(0).max(1);
    let shade = |count: i64| {
        let part = (1.0 + count as f64).ln() / (1.0 + most as f64).ln();
        ((part * SHADES).ceil() as usize).clamp(1, SHADES as usize)
    };
    let every = (13.0 / row).ceil().max(1.0) as usize;
    let seconds = |t: u64| format!("{:.*} s", places(end - start), t as f64 / 1e9);
    let ticks = [0u64, 1, 2, 3, 4, 5].map(|n| start + (end - start) / 5 * n);
    let body = html! {
        rect class="field" x=(left) y="0" width=(plot) height=(at(tall)) {}
        @for (n, (label, _)) in labels.iter().enumerate().filter(|l| l.0 % every == 0) {
            text class="tick end" x=(left - 8.0) y=(at(tall - row * n as f64 - row / 2.0 + 4.0)) { (label) }
        }
        @for column in &columns {
            @let (from, to) = (x(column.from), x(column.to));
            @for (n, count) in column.counts.iter().enumerate().filter(|c| *c.1 > 0) {
                rect class={"h" (shade(*count))} x=(at(from)) y=(at(tall - row * (n as f64 + 1.0)))
                    width=(at((to - from).max(1.0))) height=(at(row)) {
                    title {
                        (seconds(column.from)) " to " (seconds(column.to)) ", "
                        (labels.get(n).map_or("", |l| l.1.as_str())) ": " (number(*count))
                    }
                }
            }
        }
        @for (n, t) in ticks.into_iter().enumerate() {
            line class="rule" x1=(at(x(t))) x2=(at(x(t))) y1=(at(tall)) y2=(at(tall + 4.0)) {}
            text class=(match n { 0 => "tick", 5 => "tick end", _ => "tick middle" }) x=(at(x(t))) y=(at(tall + 18.0)) {
                (seconds(t))
            }
        }
        (legend(left, tall + 28.0, most))
    };
    let total: i64 = columns.iter().flat_map(|c| &c.counts).fold(0, |n, c| n.saturating_add(*c));
    let label = format!(
        "Heat map of {} values in {} rows over {}; the darkest cell has {}",
        number(total),
        labels.len(),
        crate::text::duration(end - start),
        number(most)
    );
    Drawing { width, height: tall + 44.0, body, label }
}

/// Returns how many decimals of a second distinguish the times in a span.
fn places(span: u64) -> usize {
    match span {
        0..100_000_000 => 3,
        100_000_000..2_000_000_000 => 2,
        2_000_000_000..20_000_000_000 => 1,
        _ => 0,
    }
}

fn legend(x: f64, y: f64, most: i64) -> Markup {
    html! {
        text class="tick" x=(x) y=(at(y + 10.0)) { "1" }
        @for n in 1..=SHADES as usize {
            rect class={"h" (n)} x=(x + 6.0 + 14.0 * n as f64) y=(at(y)) width="14" height="12" {}
        }
        text class="tick" x=(x + 24.0 + 14.0 * SHADES) y=(at(y + 10.0)) { (short(most)) " per cell" }
    }
}

/// Merges adjacent columns if there are too many.
fn gathered(columns: &[Column]) -> Vec<Column> {
    let size = columns.len().div_ceil(COLUMNS).max(1);
    let one = |group: &[Column]| {
        let mut sum = vec![0i64; group.iter().map(|c| c.counts.len()).max().unwrap_or(0)];
        for (into, n) in
            group.iter().flat_map(|c| c.counts.iter().enumerate().map(|(i, n)| (i, *n)))
        {
            if let Some(s) = sum.get_mut(into) {
                *s = s.saturating_add(n);
            }
        }
        let from = group.first().map_or(0, |c| c.from);
        Column { from, to: group.last().map_or(from, |c| c.to), counts: sum }
    };
    columns.chunks(size).map(one).collect()
}

/// Returns the bound of a bucket that an axis shows.
pub fn edge((low, high): Range) -> String {
    match (low, high) {
        (None, Some(h)) => format!("\u{2264}{}", short(h)),
        (Some(l), Some(h)) if h < 0 && l != h => short(h),
        (Some(l), _) => short(l),
        (None, None) => String::new(),
    }
}

fn summary(axis: &[Range], counts: &[i64]) -> String {
    let total = counts.iter().fold(0i64, |n, c| n.saturating_add(*c));
    let most = axis.iter().zip(counts).max_by_key(|c| *c.1);
    let most = most.map_or(String::new(), |(r, c)| {
        format!("; most of them, {}, are {}", number(*c), range(*r))
    });
    format!("Distribution of {} values{most}", number(total))
}
