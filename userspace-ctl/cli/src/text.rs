// SPDX-License-Identifier: GPL-2.0
//! `-x oformat=text` of a recorded stream: what the programs printed, then the aggregations in columns,
//! as at the end of a program. A stream does not tell how wide a number was in D, so numbers have 16
//! columns.

use abi::aggregation::{AggFunc, Linear, LogLinear};
use consumer::aggregate::Value;
use consumer::print::{aggregation, stack};
use plaintext::clean;
use recording::{Action, Aggregation, Datum, Entry, Record, Recording};
use std::io::Write as _;

/// A picture or a text, in pieces.
pub type Drawn<'a> = Box<dyn Iterator<Item = Vec<u8>> + 'a>;

/// The indentation of a stack's frames: `-x stackindent`.
const INDENT: usize = 14;

/// Draws a recording: a text for each action and each entry of an aggregation. A few bytes of a
/// stream can have a long text, so no more than one text is made at a time.
pub fn draw(recording: &Recording) -> Result<Drawn<'_>, String> {
    let actions = recording.records.iter().flat_map(|r| &r.actions);
    let printed = actions.flat_map(|a| &a.aggregations);
    printed.chain(&recording.aggregations).try_for_each(|a| function(a).map(drop))?;
    let between = (!recording.aggregations.is_empty()).then(|| b"\n".to_vec());
    let entries =
        recording.aggregations.iter().flat_map(|a| a.entries.iter().map(move |e| row(a, e)));
    Ok(Box::new(recording.records.iter().flat_map(record).chain(between).chain(entries)))
}

/// Returns the texts of a record. The last one ends with a newline.
fn record(record: &Record) -> impl Iterator<Item = Vec<u8>> + '_ {
    let mut last = b'\n';
    let texts = record.actions.iter().flat_map(action).map(Some).chain([None]);
    texts.filter_map(move |text| match text {
        Some(text) => {
            last = text.last().copied().unwrap_or(last);
            Some(text)
        }
        None => (last != b'\n').then(|| b"\n".to_vec()),
    })
}

/// Returns the data of one action: a text, or one for each entry of `printa()`.
fn action(action: &Action) -> impl Iterator<Item = Vec<u8>> + '_ {
    let whole = if let Some(text) = action.said() {
        Some(text.as_bytes().to_vec())
    } else if let Some(printed) = &action.printed {
        Some(printed.value.to_string().into_bytes())
    } else {
        action.value.as_ref().map(|value| {
            let mut out = Vec::new();
            datum(&mut out, value);
            out
        })
    };
    let is_table = whole.is_none();
    let rows = action.aggregations.iter().filter(move |_| is_table);
    whole.into_iter().chain(rows.flat_map(|a| a.entries.iter().map(move |e| row(a, e))))
}

/// Returns the text of an entry of an aggregation.
fn row(of: &Aggregation, entry: &Entry) -> Vec<u8> {
    let mut out = Vec::new();
    entry.keys.iter().for_each(|key| datum(&mut out, key));
    match function(of).ok().flatten() {
        Some(func) => {
            aggregation::distribution(&mut out, &value(func, entry), false);
        }
        None => put(&mut out, format_args!(" {:16}", entry.value.unwrap_or_default())),
    }
    out.push(b'\n');
    out
}

/// Prints a value in its column.
fn datum(out: &mut Vec<u8>, value: &Datum) {
    match value {
        Datum::Int(n) => put(out, format_args!(" {n:16}")),
        Datum::Uint(n) => put(out, format_args!(" {n:16}")),
        Datum::Stack(frames) | Datum::Ustack(frames) => {
            out.push(b'\n');
            for frame in frames {
                put(out, format_args!("{:INDENT$}{}\n", "", clean(frame)));
            }
        }
        // The program that was traced, or another machine, chooses a name.
        Datum::Bytes(_) | Datum::Symbol(_) => stack::symbol(out, &clean(&value.to_string())),
        Datum::Float(_) | Datum::String(_) => stack::symbol(out, &value.to_string()),
    }
}

fn put(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    // A vector takes everything.
    let _ = out.write_fmt(text);
}

/// Returns the function of a distribution with its parameters; `None` for other functions.
fn function(of: &Aggregation) -> Result<Option<AggFunc>, String> {
    let odd = || format!("{}() of @{} has odd parameters", of.function, of.name);
    let part = |n: i64| u16::try_from(n).map_err(|_| odd());
    Ok(Some(match (of.function.as_str(), of.parameters.as_slice()) {
        ("quantize", _) => AggFunc::Quantize,
        ("lquantize", &[base, limit, step]) => {
            let levels = limit.checked_sub(base).and_then(|n| n.checked_div(step));
            let base = i32::try_from(base).map_err(|_| odd())?;
            let (levels, step) = (part(levels.ok_or_else(odd)?)?, part(step)?);
            AggFunc::Lquantize(Linear { base, step, levels })
        }
        ("llquantize", &[factor, low, high, steps]) => {
            let (factor, low) = (part(factor)?, part(low)?);
            let all = LogLinear { factor, low, high: part(high)?, steps: part(steps)? };
            all.problem().map_or(Ok(AggFunc::Llquantize(all)), |_| Err(odd()))?
        }
        ("lquantize" | "llquantize", _) => return Err(odd()),
        _ => return Ok(None),
    }))
}

/// Returns the value of a distribution in the form of the module.
fn value(func: AggFunc, entry: &Entry) -> Value {
    let mut words = vec![0; func.words()];
    func.init(&mut words);
    for bucket in &entry.buckets {
        let inside = bucket.low.or(bucket.high).unwrap_or_default();
        func.update(&mut words, inside, bucket.raw.unwrap_or(bucket.count));
    }
    Value { func, words, normal: entry.normal.unwrap_or(1), is_cleared: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(lines: &str) -> String {
        let head = r#"{"type":"dtrace","schema":1,"version":"0.1.0"}"#;
        let recording = Recording::read(format!("{head}\n{lines}").as_bytes()).unwrap();
        String::from_utf8(draw(&recording).unwrap().flatten().collect()).unwrap()
    }

    #[test]
    fn keys_and_values_have_columns() {
        let text = drawn(concat!(
            r#"{"type":"aggregation","name":"n","function":"count","entries":["#,
            r#"{"keys":[{"type":"string","value":"sh"},{"type":"int","value":7}],"value":3},"#,
            r#"{"keys":[{"type":"stack","value":["a+1","b"]},{"type":"uint","value":1}],"value":-4}]}"#
        ));
        let sh = format!("  {:50} {:16} {:16}\n", "sh", 7, 3);
        let stack = format!("\n{0:14}a+1\n{0:14}b\n {1:16} {2:16}\n", "", 1, -4);
        assert_eq!(text, format!("\n{sh}{stack}"));
    }

    #[test]
    fn distributions_are_drawn_as_by_a_program() {
        let text = drawn(concat!(
            r#"{"type":"aggregation","name":"q","function":"quantize","entries":[{"keys":[],"#,
            r#""buckets":[{"low":-1,"high":-1,"count":1},{"low":4,"high":7,"count":3}]}]}"#,
            "\n",
            r#"{"type":"aggregation","name":"l","function":"lquantize","parameters":[0,30,10],"#,
            r#""entries":[{"keys":[],"buckets":[{"low":null,"high":-1,"count":2},"#,
            r#"{"low":10,"high":19,"count":1},{"low":30,"high":null,"count":1}]}]}"#
        ));
        let rows: Vec<(String, String)> = text
            .lines()
            .filter_map(|l| Some((l.split_whitespace().next()?, l.split_whitespace().last()?)))
            .map(|(a, b)| (a.into(), b.into()))
            .collect();
        let row = |label: &str, n: &str| rows.contains(&(label.into(), n.into()));
        assert!(row("-1", "1") && row("4", "3") && row("8", "0"), "{text}");
        assert!(row("0", "0") && row("10", "1") && row(">=", "1"), "{text}");
        assert!(text.contains("< 0 |@@@@@@@@@@@@@@@@@@@@                     2"), "{text}");
    }

    /// A few bytes of a stream ask for a million steps, each of which is computed from the first.
    #[test]
    fn parameters_that_no_program_can_have() {
        let of = |function: &str, parameters: &str| {
            let line = format!(
                r#"{{"type":"aggregation","name":"q","function":"{function}","parameters":"#
            ) + parameters
                + r#","entries":[{"keys":[],"buckets":[{"low":1,"high":1,"count":1}]}]}"#;
            let head = r#"{"type":"dtrace","schema":1,"version":"0.1.0"}"#;
            let recording = Recording::read(format!("{head}\n{line}").as_bytes()).unwrap();
            draw(&recording).map(|_| ()).unwrap_err()
        };
        for parameters in ["[1,0,65535,10]", "[10,3,2,10]", "[10,0,65535,10]", "[10,0,6,7]", "[10]"]
        {
            let why = of("llquantize", parameters);
            assert_eq!(why, "llquantize() of @q has odd parameters", "{parameters}");
        }
        assert_eq!(of("lquantize", "[0,10,0]"), "lquantize() of @q has odd parameters");
    }

    /// Another machine chooses them. Strings that a program recorded are printed as they are.
    #[test]
    fn names_change_no_terminal() {
        let text = drawn(concat!(
            r#"{"type":"aggregation","name":"n","function":"count","entries":[{"keys":["#,
            r#"{"type":"stack","value":["a\u001b]52;c;x\u0007+1"]},"#,
            r#"{"type":"symbol","value":"m`\u009b2Jf"},"#,
            r#"{"type":"bytes","value":"00\u001b[2J"}],"value":3}]}"#
        ));
        assert!(text.contains("a\u{fffd}]52;c;x\u{fffd}+1\n"), "{text:?}");
        assert!(text.contains("m`\u{fffd}2Jf ") && text.contains("0x00\u{fffd}[2J "), "{text:?}");
        assert!(!text.contains(|c: char| c.is_control() && c != '\n'), "{text:?}");
    }

    /// A distribution of a few buckets can have 65,535 lines.
    #[test]
    fn printed_rows_are_made_one_after_the_other() {
        let printa = concat!(
            r#"{"type":"record","timestamp":1,"cpu":0,"probe":{"id":1,"provider":"p","module":"m","#,
            r#""function":"f","name":"n"},"actions":[{"action":"printf","text":"all:"},"#,
            r#"{"action":"printa","aggregations":[{"name":"n","function":"count","entries":["#,
            r#"{"keys":[{"type":"int","value":1}],"value":1},"#,
            r#"{"keys":[{"type":"int","value":2}],"value":2}]}]},{"action":"printf","text":"."}]}"#
        );
        let head = r#"{"type":"dtrace","schema":1,"version":"0.1.0"}"#;
        let recording = Recording::read(format!("{head}\n{printa}").as_bytes()).unwrap();
        let texts: Vec<Vec<u8>> = draw(&recording).unwrap().collect();
        assert_eq!(texts.len(), 5);
        let row = |n| format!(" {n:16} {n:16}\n");
        assert_eq!(texts.concat(), format!("all:{}{}.\n", row(1), row(2)).into_bytes());
    }

    #[test]
    fn what_was_printed_comes_first() {
        let text_of_action = |action: &str| {
            let head = concat!(
                r#"{"type":"record","timestamp":1,"cpu":0,"probe":{"id":1,"provider":"p","#,
                r#""module":"m","function":"f","name":"n"},"actions":["#
            );
            drawn(&format!("{head}{action}]}}"))
        };
        let text = text_of_action(r#"{"action":"printf","text":"hello"}"#);
        assert_eq!(text, "hello\n");
        let command = text_of_action(r#"{"action":"system","text":"ls /"}"#);
        assert_eq!(command, "");
    }
}
