// SPDX-License-Identifier: GPL-2.0
//! Run-time options as text: names, values, and what to say of a wrong one. `-x` and
//! `#pragma D option` read them alike, from abi's one table.

use abi::option::{OptionId, Unit, UNSET};

/// Finds an option by its name.
pub fn by_name(name: &str) -> Option<OptionId> {
    OptionId::ALL.iter().copied().find(|o| o.name() == name)
}

/// The option whose name is nearest to one that does not exist.
pub fn nearest(name: &str) -> Option<String> {
    let names = OptionId::ALL.iter().map(|o| o.name().to_string());
    crate::diag::nearest(name, names).first().cloned()
}

/// The number that a value's text means, `None` being the bare option; the error is the rest of a
/// sentence that begins with what was to be set.
pub fn value(id: OptionId, given: Option<&str>) -> Result<u64, String> {
    let unit = id.unit();
    let number = parse(unit, given).ok_or_else(|| match given {
        Some(text) => format!("'{text}' is not {}", expected(unit)),
        None => format!("it needs a value, {}", expected(unit)),
    })?;
    let (least, most) = id.bounds();
    if (least..=most).contains(&number) {
        return Ok(number);
    }
    Err(format!(
        "{} is out of range, it must be {} to {}",
        given.unwrap_or_default(),
        text(unit, least),
        text(unit, most)
    ))
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
            "yes" | "on" | "enable" | "true" | "set" | "1" => Some(1),
            "no" | "off" | "disable" | "false" | "unset" | "0" => Some(0),
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
        for (id, text, want) in [
            (OptionId::Bufsize, "4m", Ok(4 << 20)),
            (OptionId::Bufsize, "64K", Ok(64 << 10)),
            (OptionId::Switchrate, "10hz", Ok(100_000_000)),
            (OptionId::Switchrate, "5", Ok(200_000_000)),
            (OptionId::Switchrate, "2sec", Ok(2_000_000_000)),
            (OptionId::Bufpolicy, "ring", Ok(2)),
            (OptionId::Quiet, "no", Ok(0)),
            (OptionId::Bufsize, "1", Err(())),
            (OptionId::Bufsize, "x", Err(())),
            (OptionId::Bufsize, "99999999999999999999g", Err(())),
        ] {
            assert_eq!(value(id, Some(text)).map_err(|_| ()), want, "{text}");
        }
        assert_eq!(value(OptionId::Quiet, None), Ok(1));
    }
}
