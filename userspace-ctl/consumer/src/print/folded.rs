// SPDX-License-Identifier: GPL-2.0
//! Aggregations of stacks for other tools: a line for each stack, its frames from the outermost on, and
//! its count; or the flame graph that is drawn from such lines.

use super::stack;
use super::value::{datum, Style};
use crate::aggregate::{Key, Row};
use crate::symbol::{Symbols, INLINED};
use abi::action::ActionKind;
use inferno::flamegraph;

/// `-x oformat`: what the output looks like; of the first three, the aggregations at the end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Shape {
    /// Columns, to read.
    #[default]
    Text,
    /// `outer;inner 5`.
    Collapsed,
    /// An SVG.
    Flame,
    /// An object on each line.
    Json,
}

impl Shape {
    /// The option's value.
    pub fn from_text(text: &str) -> Option<Self> {
        match text {
            "text" => Some(Self::Text),
            "collapsed" => Some(Self::Collapsed),
            "flame" => Some(Self::Flame),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// A line for each row: keys that are no stacks first, then the process's frames, then the kernel's.
/// What was never counted has no line.
pub fn lines(rows: &[Row], symbols: &Symbols) -> Vec<String> {
    let line = |row: &Row| {
        let count = row.values.first().map_or(0, |v| v.scalar());
        let place = |key: &&Key| match key.action {
            ActionKind::Stack => 2,
            action if stack::is_stack(action) => 1,
            _ => 0,
        };
        let mut keys: Vec<&Key> = row.keys.iter().collect();
        keys.sort_by_key(place);
        let frames: Vec<String> = keys.into_iter().flat_map(|k| frames(k, symbols)).collect();
        (count > 0 && !frames.is_empty()).then(|| format!("{} {count}", frames.join(";")))
    };
    rows.iter().filter_map(line).collect()
}

/// What a key contributes, the outermost first. All addresses of a function are one.
fn frames(key: &Key, symbols: &Symbols) -> Vec<String> {
    let frames = if stack::is_stack(key.action) {
        let named = symbols.frames(key.action, &key.bytes);
        let bare = |f: &String| match f.strip_suffix(INLINED) {
            // As other tools mark it.
            Some(f) => format!("{f}_[i]"),
            None => f.rsplit_once("+0x").map_or(f.as_str(), |f| f.0).to_string(),
        };
        named.iter().rev().map(bare).collect()
    } else {
        let style = Style { is_quiet: true, is_raw: false, width: 0, is_unsigned: key.is_unsigned };
        let mut text = Vec::new();
        datum(&mut text, &key.bytes, key.ty, style);
        vec![String::from_utf8_lossy(&text).trim().to_string()]
    };
    // These two have a meaning in the format.
    frames.into_iter().map(|f: String| f.replace(';', ":").replace('\n', " ")).collect()
}

/// The text of such lines, or their graph; the error is a sentence.
pub fn draw(shape: Shape, mut lines: Vec<String>) -> Result<Vec<u8>, String> {
    lines.sort();
    if shape != Shape::Flame {
        return Ok(lines.into_iter().flat_map(|l| (l + "\n").into_bytes()).collect());
    }
    let mut options = flamegraph::Options::default();
    options.title = "dtrace".into();
    let mut svg = Vec::new();
    match flamegraph::from_lines(&mut options, lines.iter().map(String::as_str), &mut svg) {
        Ok(()) => Ok(svg),
        Err(e) => Err(format!("no flame graph: {e}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aggregate::Value;
    use abi::aggregation::AggFunc;
    use abi::difo::DifType;

    #[test]
    fn stacks_from_the_outermost_on() {
        let symbols = Symbols::fixed(vec![
            (0xffff_ffff_8100_0000, "vmlinux`read".into()),
            (0xffff_ffff_8100_1000, "vmlinux`a;b".into()),
        ]);
        let words = [0xffff_ffff_8100_1004u64, 0xffff_ffff_8100_0010, 0];
        let stack = Key {
            bytes: words.iter().flat_map(|w| w.to_le_bytes()).collect(),
            ty: DifType::void(),
            is_unsigned: false,
            action: ActionKind::Stack,
        };
        let name = Key {
            bytes: b"sh\0\0".to_vec(),
            ty: DifType::string(4),
            is_unsigned: false,
            action: ActionKind::DifExpr,
        };
        let row = |n| {
            let value =
                Value { func: AggFunc::Count, words: vec![n], normal: 1, is_cleared: false };
            Row { keys: vec![stack.clone(), name.clone()], values: vec![value] }
        };
        let found = lines(&[row(5), row(0)], &symbols);
        assert_eq!(found, ["sh;vmlinux`read;vmlinux`a:b 5"]);
        let svg = String::from_utf8(draw(Shape::Flame, found).unwrap()).unwrap();
        assert!(svg.contains("<svg") && svg.contains("vmlinux`a:b (5 samples"), "{svg}");
        assert!(draw(Shape::Flame, Vec::new()).unwrap_err().starts_with("no flame graph"));
    }
}
