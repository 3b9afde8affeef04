// SPDX-License-Identifier: GPL-2.0
//! Control lines: `#pragma D option x=y`, `#pragma D attributes`, `#!`, `#line`.

use crate::diag::{did_you_mean, Diagnostic, Tag};
use crate::source::Span;
use abi::option::{OptionId, Unit};

/// Options that only the compiler reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompilerOption {
    /// `zdefs`: as `-Z`.
    AllowZero,
    /// `empty`.
    AllowEmpty,
    /// `defaultargs`.
    DefaultArgs,
}

/// What a control line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Control {
    /// An option of the run time.
    Option(OptionId, u64),
    /// An option of the compiler.
    Compiler(CompilerOption),
    /// Nothing for us.
    Nothing,
}

/// Reads a control line.
pub fn control(text: &str, span: Span) -> Result<Control, Diagnostic> {
    let body = text.strip_prefix('#').unwrap_or(text);
    if body.starts_with('!') {
        return Ok(Control::Nothing);
    }
    // A remark may follow.
    let body = body.split("/*").next().unwrap_or("").split(" //").next().unwrap_or("");
    let mut words = body.split_whitespace();
    match words.next() {
        None => Ok(Control::Nothing),
        Some("pragma") => pragma(&words.collect::<Vec<_>>(), span),
        Some("error") => {
            let rest: Vec<&str> = words.collect();
            Err(Diagnostic::new(Tag::PragErr, span, format!("#error: {}", rest.join(" "))))
        }
        Some("line") => Ok(Control::Nothing),
        Some(n) if n.bytes().all(|b| b.is_ascii_digit()) => Ok(Control::Nothing),
        Some(other) => {
            let message = format!("invalid control directive: #{other}");
            let d = Diagnostic::new(Tag::PragctlInval, span, message)
                .label("expected #pragma, #error or #line");
            Err(match other {
                "include" | "define" | "if" | "ifdef" | "ifndef" | "endif" | "undef" | "else" => {
                    d.hint("run the preprocessor over the script first: cpp script.d | dtrace -s /dev/stdin")
                }
                _ => d,
            })
        }
    }
}

fn pragma(words: &[&str], span: Span) -> Result<Control, Diagnostic> {
    let malformed = |message: String| Diagnostic::new(Tag::PragmaMalform, span, message);
    match words {
        ["D", "option", setting] => option(setting, span),
        ["D", "option", ..] => {
            Err(malformed("superfluous or missing arguments specified for #pragma D option".into())
                .label("expected `#pragma D option name` or `name=value`, without blanks"))
        }
        // Stability is accepted and not yet computed with.
        ["D", "attributes", _, _, ..] | ["D", "binding", _, _, ..] => Ok(Control::Nothing),
        ["D", "depends_on", kind, _] if matches!(*kind, "provider" | "module" | "library") => {
            Ok(Control::Nothing)
        }
        ["D", "attributes" | "binding" | "depends_on", ..] => {
            Err(malformed("malformed #pragma D".into()).label("expected more arguments"))
        }
        ["D", other, ..] => {
            let names = ["option", "attributes", "binding", "depends_on"];
            let message = format!("invalid #pragma D {other}");
            let mut d = Diagnostic::new(Tag::PragmaInval, span, message);
            d.hint = did_you_mean(other, names.map(String::from));
            Err(d.note(format!("there are {}", names.join(", "))))
        }
        ["error", rest @ ..] => {
            Err(Diagnostic::new(Tag::PragErr, span, format!("#error: {}", rest.join(" "))))
        }
        ["D"] => Err(malformed("malformed #pragma D".into())),
        // Other tools' pragmas (ident, once ..) are not ours.
        _ => Ok(Control::Nothing),
    }
}

fn option(setting: &str, span: Span) -> Result<Control, Diagnostic> {
    let (name, value) = match setting.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (setting, None),
    };
    let compiler = match name {
        "zdefs" => Some(CompilerOption::AllowZero),
        "empty" => Some(CompilerOption::AllowEmpty),
        "defaultargs" => Some(CompilerOption::DefaultArgs),
        _ => None,
    };
    if let Some(c) = compiler {
        return Ok(Control::Compiler(c));
    }
    let Some(&id) = OptionId::ALL.iter().find(|o| o.name() == name) else {
        let message = format!("failed to set option '{name}': Invalid option name");
        let mut d = Diagnostic::new(Tag::PragmaOptset, span, message);
        d.hint = did_you_mean(name, OptionId::ALL.iter().map(|o| o.name().to_string()));
        return Err(d);
    };
    match option_value(id, value) {
        Ok(v) => Ok(Control::Option(id, v)),
        Err(why) => {
            let message =
                format!("failed to set option '{name}': Invalid value for specified option");
            Err(Diagnostic::new(Tag::PragmaOptset, span, message).label(why))
        }
    }
}

/// The number that the text of an option's value means, within the option's bounds. `-x` reads it
/// the same way.
pub fn option_value(id: OptionId, value: Option<&str>) -> Result<u64, String> {
    let number = match (id.unit(), value) {
        (Unit::Flag, None) => 1,
        (Unit::Flag, Some(v)) => match v.to_ascii_lowercase().as_str() {
            "yes" | "on" | "enable" | "true" | "1" => 1,
            "no" | "off" | "disable" | "false" | "0" => 0,
            _ => return Err("expected yes or no".into()),
        },
        (Unit::Policy, Some("switch")) | (Unit::Resize, Some("auto")) => 0,
        (Unit::Policy, Some("fill")) | (Unit::Resize, Some("manual")) => 1,
        (Unit::Policy, Some("ring")) => 2,
        (Unit::Policy, _) => return Err("expected switch, fill or ring".into()),
        (Unit::Resize, _) => return Err("expected auto or manual".into()),
        (_, None) => return Err("expected name=value".into()),
        (Unit::Size, Some(v)) => scaled(v, SIZES).ok_or("expected a size such as 64k or 4m")?,
        (Unit::Rate, Some(v)) => {
            rate(v).ok_or("expected a rate or a time such as 10hz or 100ms")?
        }
        (Unit::Count | Unit::Cpu, Some(v)) => v.parse().map_err(|_| "expected a number")?,
    };
    let (least, most) = id.bounds();
    if !(least..=most).contains(&number) {
        return Err(format!("{number} is not within {least}..{most}"));
    }
    Ok(number)
}

const SIZES: &[(&str, u64)] =
    &[("k", 1 << 10), ("m", 1 << 20), ("g", 1 << 30), ("t", 1 << 40), ("", 1)];
const TIMES: &[(&str, u64)] = &[
    ("nsec", 1),
    ("ns", 1),
    ("usec", 1_000),
    ("us", 1_000),
    ("msec", 1_000_000),
    ("ms", 1_000_000),
    ("sec", 1_000_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("m", 60_000_000_000),
    ("hour", 3_600_000_000_000),
    ("h", 3_600_000_000_000),
    ("day", 86_400_000_000_000),
    ("d", 86_400_000_000_000),
];

fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let (digits, unit) = units.iter().find_map(|(suffix, unit)| {
        let digits = lower.strip_suffix(suffix)?;
        let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| (digits.to_string(), *unit))
    })?;
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// Nanoseconds between two events. A bare number is a rate.
fn rate(text: &str) -> Option<u64> {
    let lower = text.to_ascii_lowercase();
    let hz = lower.strip_suffix("hz").unwrap_or(&lower);
    match hz.parse::<u64>() {
        Ok(0) => None,
        Ok(n) => Some(1_000_000_000 / n),
        Err(_) => scaled(text, TIMES),
    }
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
            assert_eq!(option_value(id, Some(text)).map_err(|_| ()), want, "{text}");
        }
        assert_eq!(option_value(OptionId::Quiet, None), Ok(1));
    }
}
