// SPDX-License-Identifier: GPL-2.0
//! The text of an option's value to its number, and back for messages.

use abi::option::{OptionId, Options, Unit, UNSET};

/// Finds a run-time option by its name.
pub fn by_name(name: &str) -> Option<OptionId> {
    OptionId::ALL.iter().copied().find(|o| o.name() == name)
}

/// Sets `name` from text, `None` meaning the bare option; the error is a sentence.
pub fn set(options: &mut Options, name: &str, value: Option<&str>) -> Result<OptionId, String> {
    let id = by_name(name).ok_or_else(|| unknown(name))?;
    let number = parse(id.unit(), value).ok_or_else(|| match value {
        Some(text) => format!("failed to set -x {name}: '{text}' is not {}", expected(id.unit())),
        None => format!("failed to set -x {name}: it needs a value, {}", expected(id.unit())),
    })?;
    if options.set(id, number) {
        Ok(id)
    } else {
        let (least, most) = id.bounds();
        Err(format!(
            "failed to set -x {name}: {} is out of range, it must be {} to {}",
            value.unwrap_or_default(),
            text(id.unit(), least),
            text(id.unit(), most)
        ))
    }
}

/// A value as one would write it.
pub fn text(unit: Unit, value: u64) -> String {
    // The largest unit that divides it.
    let scaled = |units: &[(u64, &str)], rest: &str| {
        let fits = units.iter().find(|u| value >= u.0 && value % u.0 == 0);
        fits.map_or(format!("{value}{rest}"), |(scale, name)| format!("{}{name}", value / scale))
    };
    let word =
        |words: &[&str]| words.get(value as usize).map_or(value.to_string(), |w| w.to_string());
    match unit {
        _ if value == UNSET => "unset".into(),
        Unit::Size => scaled(&[(1 << 40, "t"), (1 << 30, "g"), (1 << 20, "m"), (1 << 10, "k")], ""),
        Unit::Rate => scaled(
            &[(3_600_000_000_000, "h"), (1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "us")],
            "ns",
        ),
        Unit::Flag => word(&["no", "yes"]),
        Unit::Policy => word(&POLICIES),
        Unit::Resize => word(&RESIZES),
        Unit::Count | Unit::Cpu => value.to_string(),
    }
}

const POLICIES: [&str; 3] = ["switch", "fill", "ring"];
const RESIZES: [&str; 2] = ["auto", "manual"];

fn unknown(name: &str) -> String {
    let names = OptionId::ALL.iter().map(|o| o.name().to_string());
    match d::diag::nearest(name, names).first() {
        Some(near) => format!("failed to set -x {name}: no such option; did you mean {near}?"),
        None => format!("failed to set -x {name}: no such option"),
    }
}

fn expected(unit: Unit) -> &'static str {
    match unit {
        Unit::Size => "a size like 4m or 16k",
        Unit::Rate => "a rate like 10hz or 100ms",
        Unit::Count => "a number",
        Unit::Flag => "yes or no",
        Unit::Policy => "switch, fill or ring",
        Unit::Resize => "auto or manual",
        Unit::Cpu => "the number of a CPU",
    }
}

fn parse(unit: Unit, value: Option<&str>) -> Option<u64> {
    match (unit, value) {
        (Unit::Flag, None) => Some(1),
        (_, None) => None,
        (Unit::Flag, Some(text)) => match text {
            "yes" | "on" | "enable" | "1" | "set" => Some(1),
            "no" | "off" | "disable" | "0" | "unset" => Some(0),
            _ => None,
        },
        (Unit::Size, Some(text)) => size(text),
        (Unit::Rate, Some(text)) => rate(text),
        (Unit::Count | Unit::Cpu, Some(text)) => number(text),
        (Unit::Policy, Some(text)) => position(&POLICIES, text),
        (Unit::Resize, Some(text)) => position(&RESIZES, text),
    }
}

fn position(words: &[&str], text: &str) -> Option<u64> {
    words.iter().position(|w| *w == text).map(|i| i as u64)
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn split_unit(text: &str) -> (&str, String) {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(end);
    (digits, unit.to_ascii_lowercase())
}

fn size(text: &str) -> Option<u64> {
    let (digits, unit) = split_unit(text);
    let shift = match unit.as_str() {
        "" => 0,
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift)
}

/// Nanoseconds between two events; a bare number is hz, as it always was.
fn rate(text: &str) -> Option<u64> {
    const SECOND: u64 = 1_000_000_000;
    let (digits, unit) = split_unit(text);
    let n: u64 = digits.parse().ok()?;
    let each = match unit.as_str() {
        "ns" | "nsec" => 1,
        "us" | "usec" => 1_000,
        "ms" | "msec" => 1_000_000,
        "s" | "sec" => SECOND,
        "m" | "min" => 60 * SECOND,
        "h" | "hour" => 3600 * SECOND,
        "d" | "day" => 86400 * SECOND,
        "hz" | "" => return SECOND.checked_div(n),
        _ => return None,
    };
    n.checked_mul(each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        let mut o = Options::default();
        for (name, text, want) in [
            ("bufsize", "16k", 16 << 10),
            ("bufsize", "2M", 2 << 20),
            ("switchrate", "10hz", 100_000_000),
            ("switchrate", "10", 100_000_000),
            ("aggrate", "250ms", 250_000_000),
            ("bufpolicy", "ring", 2),
            ("quiet", "on", 1),
            ("quiet", "disable", 0),
            ("stackframes", "0x10", 16),
        ] {
            let id = set(&mut o, name, Some(text)).unwrap();
            assert_eq!(o.get(id), want, "{name}={text}");
        }
        let id = set(&mut o, "flowindent", None).unwrap();
        assert_eq!(o.get(id), 1);
    }

    #[test]
    fn refusals_say_what_was_expected() {
        let mut o = Options::default();
        assert_eq!(
            set(&mut o, "bufsiz", Some("1m")).unwrap_err(),
            "failed to set -x bufsiz: no such option; did you mean bufsize?"
        );
        assert_eq!(
            set(&mut o, "bufsize", Some("1x")).unwrap_err(),
            "failed to set -x bufsize: '1x' is not a size like 4m or 16k"
        );
        assert_eq!(
            set(&mut o, "bufsize", Some("1")).unwrap_err(),
            "failed to set -x bufsize: 1 is out of range, it must be 4k to 16g"
        );
        assert_eq!(
            set(&mut o, "switchrate", Some("1ns")).unwrap_err(),
            "failed to set -x switchrate: 1ns is out of range, it must be 1ms to 1h"
        );
        assert_eq!(
            set(&mut o, "bufsize", None).unwrap_err(),
            "failed to set -x bufsize: it needs a value, a size like 4m or 16k"
        );
        assert!(set(&mut o, "switchrate", Some("0hz")).is_err());
    }
}
