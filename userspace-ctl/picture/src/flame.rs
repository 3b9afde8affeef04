// SPDX-License-Identifier: GPL-2.0
//! Stacks: as folded lines, as an SVG flame graph, and as graphs of a page.

use crate::svg::{self, at, Drawing};
use crate::text::{clean, count, key, number, share};
use maud::{html, Markup, PreEscaped};
use recording::{Aggregation, Datum, Entry, Recording};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};

/// The least part of all that a drawn frame has.
const LEAST: f64 = 0.0008;
/// The widths of an SVG and of a character in it, and the height of a row.
const WIDE: f64 = 1160.0;
const CHARACTER: f64 = 7.0;
const ROW: f64 = 18.0;
/// The most frames of a stack in a graph, whose functions call themselves for each. A real stack
/// has some hundred; a stream from elsewhere may have any number.
const DEEPEST: usize = 2048;
/// The most rows of the table of functions.
const ROWS: usize = 40;

/// The origin of a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Key,
    User,
    Kernel,
}

/// A frame of a stack.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Part {
    name: String,
    object: String,
    kind: Kind,
    is_inlined: bool,
}

/// Tells whether an aggregation has a stack among its keys.
pub fn has_stacks(a: &Aggregation) -> bool {
    a.entries.iter().any(|e| e.keys.iter().any(|k| k.frames().is_some()))
}

/// Returns the weight of a stack: its value, or the number of values in a distribution.
fn weight(a: &Aggregation, e: &Entry) -> i64 {
    match a.is_distribution() {
        true => e.total(),
        false => e.value.unwrap_or(0),
    }
}

/// Returns a stack from the outermost frame on: keys that are no stacks, then the process's frames,
/// then the kernel's.
fn path(keys: &[Datum]) -> Vec<Part> {
    let mut path = Vec::new();
    for kind in [Kind::Key, Kind::User, Kind::Kernel] {
        for k in keys {
            let of = match k {
                Datum::Stack(_) => Kind::Kernel,
                Datum::Ustack(_) => Kind::User,
                _ => Kind::Key,
            };
            if of != kind {
                continue;
            }
            match k.frames() {
                Some(frames) => path.extend(frames.rev().map(|f| Part {
                    name: clean(f.function).into_owned(),
                    object: clean(f.object).into_owned(),
                    kind,
                    is_inlined: f.is_inlined,
                })),
                None => {
                    path.push(Part { name: key(k), object: String::new(), kind, is_inlined: false })
                }
            }
        }
    }
    path
}

/// Leaves out the innermost frames of a stack that is too deep.
fn cut(path: &mut Vec<Part>) {
    let more = path.len().saturating_sub(DEEPEST - 1);
    if more > 1 {
        path.truncate(DEEPEST - 1);
        let kind = path.last().map_or(Kind::Key, |last| last.kind);
        let name = format!("{more} more frames");
        path.push(Part { name, object: String::new(), kind, is_inlined: false });
    }
}

/// Returns those of the aggregations at the end, or of all shown ones if there are none at the end,
/// that are wanted. They are undivided if they have different divisors, because their weights are
/// added up.
fn chosen(recording: &Recording, wanted: fn(&Aggregation) -> bool) -> Vec<Cow<'_, Aggregation>> {
    let mut all = match recording.aggregations.is_empty() {
        true => recording.shown(),
        false => recording.aggregations.iter().map(Aggregation::comparable).collect(),
    };
    all.retain(|a| wanted(a) && !a.entries.is_empty());
    let divisors: HashSet<_> = all.iter().map(|a| a.divisor()).collect();
    if divisors.len() > 1 {
        all.iter_mut().filter(|a| a.divisor() != Some(1)).for_each(|a| a.to_mut().denormalize());
    }
    all
}

/// Returns a line for each stack.
pub fn folded(recording: &Recording) -> Vec<String> {
    let frame = |p: &Part| {
        let mark = if p.is_inlined { "_[i]" } else { "" };
        let object = if p.object.is_empty() { String::new() } else { format!("{}`", p.object) };
        // These two characters have a meaning in the format.
        format!("{object}{}{mark}", p.name).replace(';', ":").replace('\n', " ")
    };
    let mut lines = Vec::new();
    for a in chosen(recording, |_| true) {
        for e in &a.entries {
            let frames: Vec<String> = path(&e.keys).iter().map(frame).collect();
            let weight = weight(&a, e);
            if weight > 0 && !frames.is_empty() {
                lines.push(format!("{} {weight}", frames.join(";")));
            }
        }
    }
    lines.sort();
    lines
}

/// Draws all stacks of a recording as one graph in SVG; the error is a sentence. A click zooms, a
/// slash searches.
pub fn svg(recording: &Recording) -> Result<Vec<u8>, String> {
    let mut graph = Graph { root: Node::default(), is_diff: false, hidden: 0 };
    chosen(recording, has_stacks).iter().for_each(|a| graph.add(1, a));
    let root = std::mem::take(&mut graph.root);
    if root.children.is_empty() {
        return Err("no flame graph: nothing was counted by stack() or ustack()".into());
    }
    graph.root.values = root.values;
    let (frames, rows) = (graph.frames(&root), root.depth());
    let whole = number(root.values[1] as i64);
    let body = html! {
        style { (PreEscaped(STYLE)) }
        text class="found" x=(WIDE) y="-10" { "Search" }
        g class="frames" data-wide=(WIDE) {
            @for frame in &frames { (graph.shape(frame, (rows - 1 - frame.depth) as f64)) }
        }
        script { (PreEscaped("//<![CDATA[\n")) (PreEscaped(include_str!("flame.js"))) (PreEscaped("//]]>")) }
    };
    let label = format!("Flame graph of {whole}");
    let mut caption = format!("{whole} in all; click a frame to zoom, Escape shows everything");
    if graph.hidden > 0 {
        caption += &format!("; {} too narrow to be drawn", count(graph.hidden, "frame"));
    }
    let drawing = Drawing { width: WIDE, height: rows as f64 * ROW, body, label };
    Ok(svg::alone(&crate::page::title(recording), &[(caption, drawing)]).into_bytes())
}

/// The style of an SVG's frames; page.css has that of a page, and colours.css the colours of both.
const STYLE: &str = ".f{cursor:pointer}.f:hover rect{stroke:var(--ink)}svg .f text{fill:#1b1b1b;font-size:11.5px;pointer-events:none}\
svg rect.hit{fill:#b565d6}.inl+text{font-style:italic}svg text.found{text-anchor:end;cursor:pointer;fill:var(--accent)}";

/// A common beginning of stacks, with the values of one recording or of two.
#[derive(Debug, Default)]
struct Node {
    kind: Kind,
    object: String,
    is_inlined: bool,
    values: [f64; 2],
    children: BTreeMap<String, Node>,
}

impl Node {
    fn add(&mut self, path: &[Part], side: usize, weight: f64) {
        if let Some(v) = self.values.get_mut(side) {
            *v += weight;
        }
        if let Some((first, rest)) = path.split_first() {
            let child =
                self.children.entry(format!("{}`{}", first.object, first.name)).or_default();
            (child.kind, child.is_inlined) = (first.kind, first.is_inlined);
            child.object.clone_from(&first.object);
            child.add(rest, side, weight);
        }
    }

    fn depth(&self) -> usize {
        1 + self.children.values().map(Self::depth).max().unwrap_or(0)
    }
}

/// A node with its position: `x` and `width` are parts of the whole.
struct Frame<'n> {
    node: &'n Node,
    name: &'n str,
    x: f64,
    width: f64,
    depth: usize,
}

/// The trees of the stacks before and after.
struct Graph {
    root: Node,
    is_diff: bool,
    hidden: usize,
}

impl Graph {
    fn new(sides: [Option<&Aggregation>; 2]) -> Self {
        let mut graph = Self { root: Node::default(), is_diff: sides[0].is_some(), hidden: 0 };
        for (side, a) in sides.iter().enumerate().filter_map(|(n, a)| Some((n, (*a)?))) {
            graph.add(side, a);
        }
        graph
    }

    fn add(&mut self, side: usize, a: &Aggregation) {
        for e in &a.entries {
            let (weight, mut path) = (weight(a, e), path(&e.keys));
            cut(&mut path);
            if weight > 0 && !path.is_empty() {
                self.root.add(&path, side, weight as f64);
            }
        }
    }

    /// Returns the width of a frame, as a part of the whole. For two recordings it is the mean of
    /// both parts, so that frames that have disappeared are visible, too.
    fn width(&self, values: [f64; 2]) -> f64 {
        let parts = self.parts(values);
        match self.is_diff {
            true => (parts[0] + parts[1]) / 2.0,
            false => parts[1],
        }
    }

    /// Returns the parts of the whole before and after.
    fn parts(&self, values: [f64; 2]) -> [f64; 2] {
        let part = |n: f64, of: f64| if of > 0.0 { n / of } else { 0.0 };
        [part(values[0], self.root.values[0]), part(values[1], self.root.values[1])]
    }

    fn class(&self, node: &Node, name: &str) -> String {
        let inlined = if node.is_inlined { " inl" } else { "" };
        if self.is_diff {
            let [before, after] = self.parts(node.values);
            // A change by a twentieth of the whole has the strongest colour.
            let change = ((after - before) * 20.0).clamp(-1.0, 1.0);
            let step = (change.abs() * 4.0).ceil() as usize;
            let way = if change < 0.0 { "less" } else { "more" };
            return match (after - before).abs() < 0.0005 {
                true => format!("f same{inlined}"),
                false => format!("f {way}{step}{inlined}"),
            };
        }
        let kind = match node.kind {
            Kind::Key => "key",
            Kind::User => "user",
            Kind::Kernel => "kern",
        };
        // The same function has the same colour everywhere.
        let shade = name.bytes().fold(7u32, |h, b| h.wrapping_mul(31).wrapping_add(b.into())) % 4;
        format!("f {kind}{shade}{inlined}")
    }

    fn title(&self, node: &Node, name: &str) -> String {
        let object =
            if node.object.is_empty() { String::new() } else { format!("{}`", node.object) };
        let inlined = if node.is_inlined { " [inlined]" } else { "" };
        let [before, after] = node.values;
        if self.is_diff {
            let [was, is] = self.root.values;
            return format!(
                "{object}{name}{inlined}\nbefore {} ({})\nafter {} ({})",
                number(before as i64),
                share(before, was),
                number(after as i64),
                share(after, is)
            );
        }
        format!(
            "{object}{name}{inlined}\n{} ({})",
            number(after as i64),
            share(after, self.root.values[1])
        )
    }

    /// Returns the frames that are wide enough to be drawn, each before those above it, and counts
    /// the others.
    fn frames<'n>(&mut self, root: &'n Node) -> Vec<Frame<'n>> {
        let mut frames = Vec::new();
        self.add_frames(
            &mut frames,
            Frame { node: root, name: "all", x: 0.0, width: 0.0, depth: 0 },
        );
        frames
    }

    fn add_frames<'n>(&mut self, frames: &mut Vec<Frame<'n>>, frame: Frame<'n>) {
        let Frame { node, mut x, depth, .. } = frame;
        let width = self.width(node.values);
        if width < LEAST {
            self.hidden += 1;
            return;
        }
        frames.push(Frame { width, ..frame });
        for (key, node) in &node.children {
            let (name, depth) = (bare(key), depth + 1);
            self.add_frames(frames, Frame { node, name, x, width: 0.0, depth });
            x += self.width(node.values);
        }
    }

    /// Draws a frame of an SVG; `row` is its row from the top.
    fn shape(&self, Frame { node, name, x, width, .. }: &Frame<'_>, row: f64) -> Markup {
        let (left, wide) = (x * WIDE, width * WIDE);
        html! {
            g class="f" data-x=(format!("{x:.6}")) data-w=(format!("{width:.6}")) data-n=(name) {
                title { (self.title(node, name)) }
                rect class=(self.class(node, name)) x=(at(left)) y=(row * ROW) width=(at((wide - 0.5).max(0.1)))
                    height=(ROW - 1.0) rx="1.5" {}
                text x=(at(left + 3.0)) y=(row * ROW + 12.5) { (fitting(name, wide)) }
            }
        }
    }

    /// Draws a frame of a page.
    fn element(&self, Frame { node, name, x, width, depth }: &Frame<'_>) -> Markup {
        let [left, wide] = [x * 100.0, width * 100.0].map(|v| format!("{v:.3}"));
        // The name does not fit.
        let thin = if *width < 0.02 { " thin" } else { "" };
        html! {
            div class={(self.class(node, name)) (thin)} style={"left:" (left) "%;width:" (wide) "%;--d:" (depth)}
                title=(self.title(node, name)) data-x=(left) data-w=(wide) { (name) }
        }
    }
}

/// Returns as much of a name as fits.
fn fitting(name: &str, wide: f64) -> String {
    let room = ((wide - 6.0) / CHARACTER).max(0.0) as usize;
    match name.chars().count() {
        all if all <= room => name.into(),
        _ if room < 3 => String::new(),
        _ => name.chars().take(room - 1).chain(['\u{2026}']).collect(),
    }
}

/// Returns the function in a child's key.
fn bare(key: &str) -> &str {
    key.split_once('`').map_or(key, |k| k.1)
}

/// Returns each function's weight in stacks that end with it, and in stacks that contain it.
fn functions(graph: &Graph) -> Vec<(String, [f64; 2], [f64; 2])> {
    fn walk<'a>(
        node: &'a Node,
        above: &mut Vec<&'a str>,
        all: &mut BTreeMap<&'a str, ([f64; 2], [f64; 2])>,
    ) {
        for (name, child) in &node.children {
            let entry = all.entry(name).or_default();
            let inner = |n: usize| child.children.values().map(|c| c.values[n]).sum::<f64>();
            for n in 0..2 {
                entry.0[n] += child.values[n] - inner(n);
                // A recursion counts once, by its outermost call.
                if !above.contains(&name.as_str()) {
                    entry.1[n] += child.values[n];
                }
            }
            above.push(name);
            walk(child, above, all);
            above.pop();
        }
    }
    let mut all = BTreeMap::new();
    walk(&graph.root, &mut Vec::new(), &mut all);
    let mut all: Vec<_> =
        all.into_iter().map(|(n, (own, total))| (n.to_string(), own, total)).collect();
    let weight = |own: &[f64; 2]| own[0].max(own[1]);
    all.sort_by(|a, b| weight(&b.1).total_cmp(&weight(&a.1)));
    all.truncate(ROWS);
    all
}

/// Draws the graph of an aggregation's stacks for a page; with `before`, the change since then.
pub fn graph(before: Option<&Aggregation>, after: &Aggregation, id: &str) -> Markup {
    let mut graph = Graph::new([before, Some(after)]);
    let root = std::mem::take(&mut graph.root);
    graph.root.values = root.values;
    let frames = graph.frames(&root);
    let frames: Vec<Markup> = frames.iter().map(|f| graph.element(f)).collect();
    let depth = root.depth();
    graph.root = root;
    let functions = functions(&graph);
    let (is_diff, hidden) = (graph.is_diff, graph.hidden);
    html! {
        div class="flame" id=(id) {
            div class="tools" {
                label { input type="checkbox" class="icicle"; " upside down (icicle)" }
                label class="js" { "Search " input type="search" class="find" placeholder="regular expression"; }
                button type="button" class="js reset" { "Reset zoom" }
                span class="js found" aria-live="polite" {}
                @if is_diff {
                    span class="key" { span class="swatch less3" {} " less" span class="swatch more3" {} " more" }
                } @else {
                    span class="key" {
                        span class="swatch key1" {} " key" span class="swatch user1" {} " process"
                        span class="swatch kern1" {} " kernel"
                    }
                }
            }
            div class="frames" tabindex="0" role="group"
                aria-label="Flame graph. The table below lists the same functions. With the arrow keys you walk through the frames, Enter zooms, Escape resets."
                style={"--rows:" (depth)} {
                @for frame in &frames { (frame) }
            }
            p class="detail" aria-live="polite" {
                "A frame is as wide as its share of all. "
                @if is_diff { "Here it is the mean of both shares. " }
                @if hidden > 0 { (count(hidden, "frame")) " too narrow to be drawn." }
            }
            (function_table(&functions, graph.root.values, is_diff))
        }
    }
}

fn function_table(all: &[(String, [f64; 2], [f64; 2])], whole: [f64; 2], is_diff: bool) -> Markup {
    let cell = |v: f64, of: f64| html! { td class="n" data-v=(v) { (number(v as i64)) " " span class="dim" { (share(v, of)) } } };
    html! {
        details {
            summary { "Functions with the largest share of their own" }
            table class="sortable" {
                caption { "Functions: in stacks that end with them, and in all stacks that contain them" }
                thead { tr {
                    th scope="col" { "object" } th scope="col" { "function" }
                    @if is_diff {
                        th scope="col" class="n" { "own, before" } th scope="col" class="n" { "own, after" }
                        th scope="col" class="n" { "change of share" }
                    } @else {
                        th scope="col" class="n" { "own" } th scope="col" class="n" { "total" }
                    }
                } }
                tbody {
                    @for (name, own, total) in all {
                        @let (object, function) = name.split_once('`').unwrap_or(("", name));
                        tr {
                            td { (object) } th scope="row" { code { (function) } }
                            @if is_diff {
                                @let change = own[1] / whole[1].max(1.0) - own[0] / whole[0].max(1.0);
                                (cell(own[0], whole[0])) (cell(own[1], whole[1]))
                                td class={"n " (if change > 0.0 { "up" } else { "down" })} data-v=(change) {
                                    (format!("{:+.1} points", change * 100.0).replace('-', "\u{2212}"))
                                }
                            } @else {
                                (cell(own[1], whole[1])) (cell(total[1], whole[1]))
                            }
                        }
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stack_has_a_limit() {
        let frames: Vec<String> = (0..100_000).map(|n| format!("\"a`f{n}\"")).collect();
        let line = format!(
            r#"{{"name":"","function":"count","entries":[{{"keys":[{{"type":"ustack","value":[{}]}}],"value":1}}]}}"#,
            frames.join(",")
        );
        let aggregation: Aggregation = serde_json::from_str(&line).unwrap();
        // The main thread of the command has a stack of this size.
        let draw = move || {
            let recording = Recording { aggregations: vec![aggregation], ..Recording::default() };
            String::from_utf8(svg(&recording).unwrap()).unwrap()
        };
        let thread = std::thread::Builder::new().stack_size(8 << 20).spawn(draw).unwrap();
        let svg = thread.join().unwrap();
        assert!(svg.contains("97953 more frames"));
        assert!(svg.contains("f99999") && !svg.contains("f0<"));
    }
}
