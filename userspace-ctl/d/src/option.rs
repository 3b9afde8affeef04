// SPDX-License-Identifier: GPL-2.0
//! Run-time options as text: names, values, and messages about wrong ones. `-x` and
//! `#pragma D option` read them alike, from the one table in `abi`.

use abi::option::{OptionId, Unit, UNSET};

/// The version of the language, which is the newest that a program may ask for.
pub const VERSION: &str = "1.14";

/// Options of the compiler and of the command. Those of the second list are read before any
/// program, so a program that sets them changes nothing.
const COMPILE_TIME: [&str; 11] = [
    "zdefs",
    "empty",
    "defaultargs",
    "argref",
    "nolibs",
    "amin",
    "version",
    "errtags",
    "droptags",
    "encoding",
    "tree",
];
const COMMAND_LINE: [&str; 23] = [
    "oformat",
    "view",
    "color",
    "export",
    "exportlimit",
    "containers",
    "snaprate",
    "hostkey",
    "cppargs",
    "cpp",
    "cpphdrs",
    "cpppath",
    "define",
    "undef",
    "incdir",
    "stdc",
    "threads",
    "libdir",
    "syslibdir",
    "setenv",
    "unsetenv",
    "evaltime",
    "explain",
];

/// Options of other systems that have no effect here, with the reason.
pub const IGNORED: &[(&str, &str)] = &[
    (
        "aggpercpu",
        "dtrace adds up the aggregations of all CPUs when it reads them; make `cpu` a key: @[cpu]",
    ),
    ("arch", "dtrace traces programs of all word sizes alike"),
    ("bpflog", "no BPF verifier is involved; -S shows the compiled program"),
    ("bpflogsize", "no BPF verifier is involved; -S shows the compiled program"),
    ("btfpath", "types are those of the running kernel"),
    ("core", "the compiler leaves no core file; its messages say what is wrong"),
    ("ctypes", "types come from the kernel's BTF, so there is no container of C types to write"),
    ("debug", "the library has no trace; -v, -S and -x tree show the stages of a program"),
    ("disasm", "-S shows the compiled program"),
    ("dtypes", "types come from the kernel's BTF, so there is no container of D types to write"),
    ("iregs", "the kernel sets the number of registers"),
    ("kdefs", "dtrace always resolves kernel symbols when it compiles the program"),
    ("knodefs", "dtrace always resolves kernel symbols when it compiles the program"),
    ("late", "dtrace always resolves symbols when it compiles the program"),
    ("lazyload", "a program always registers its probes before its main"),
    ("ldpath", "-G writes the object itself and calls no linker"),
    ("linkmode", "dtrace always resolves symbols when it compiles the program"),
    ("linknommap", "-G writes the object itself and calls no linker"),
    ("linktype", "-G always writes an ELF object"),
    ("lockmem", "the module's memory belongs to the kernel and is always locked"),
    ("maxframes", "each kind of stack has its own limit: stackframes and ustackframes"),
    ("modpath", "types of modules come from the kernel"),
    ("noresolve", "%p prints an address without its symbol"),
    ("pgmax", "the number of traced processes has no limit"),
    ("preallocate", "buffers are allocated before tracing starts, and their size is fixed"),
    ("procfspath", "dtrace looks up processes in /proc"),
    ("pspec", "a description at the head of a clause always describes probes"),
    ("quietresize", "dtrace always reports that it lowered a buffer's size"),
    (
        "scratchsize",
        "scratch memory grows with strsize, and with the program's largest variable and record",
    ),
    ("strip", "the object of -G contains only the probes of a program"),
    ("tregs", "the kernel sets the number of tuple registers"),
    ("udefs", "dtrace looks up symbols of programs when it prints their addresses"),
    ("unodefs", "dtrace looks up symbols of programs when it prints their addresses"),
    ("useruid", "the kernel knows the probes of the programs of all users"),
    ("verbose", "-S shows the compiled program"),
];

/// Returns the reason why an option of another system has no effect.
pub fn ignored(name: &str) -> Option<&'static str> {
    IGNORED.iter().find(|i| i.0 == name).map(|i| i.1)
}

/// Tells whether the compiler knows the option. Some options of the compiler can be set only on the
/// command line.
pub fn is_compile_time(name: &str) -> bool {
    COMPILE_TIME.contains(&name)
}

/// Tells whether the option is read before the program.
pub fn is_of_command_line(name: &str) -> bool {
    COMMAND_LINE.contains(&name)
}

/// Tells whether this is a version of the language that is not newer than ours.
pub fn is_version(text: &str) -> bool {
    let numbers = |text: &str| {
        let parts: Option<Vec<u32>> = text.split('.').map(|p| p.parse().ok()).collect();
        parts.filter(|p| matches!(p.len(), 2 | 3))
    };
    let (asked, ours) = (numbers(text), numbers(VERSION));
    asked.is_some_and(|asked| {
        asked >= vec![1] && Some(asked) <= ours.map(|o| [o, vec![u32::MAX]].concat())
    })
}

/// Finds an option by its name.
pub fn by_name(name: &str) -> Option<OptionId> {
    OptionId::ALL.iter().copied().find(|o| o.name() == name)
}

/// Returns the option whose name is nearest to an unknown name.
pub fn nearest(name: &str) -> Option<String> {
    let names = OptionId::ALL.iter().map(|o| o.name().to_string());
    crate::diag::nearest(name, names).first().cloned()
}

/// Parses a value; `None` is the bare option. The error is the end of a sentence that begins with
/// the name of the option.
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

/// Returns a value as a user would write it.
pub fn text(unit: Unit, value: u64) -> String {
    // Use the largest unit that divides the value.
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
        (Unit::Flag, _) => flag(value).map(u64::from),
        (_, None) => None,
        (Unit::Size, Some(text)) => size(text),
        (Unit::Rate, Some(text)) => rate(text),
        (Unit::Count | Unit::Cpu, Some(text)) => number(text),
        (Unit::Policy, Some(text)) => position(&POLICIES, text),
        (Unit::Resize, Some(text)) => position(&RESIZES, text),
    }
}

/// Parses yes or no; the bare option means yes.
pub fn flag(value: Option<&str>) -> Option<bool> {
    let Some(text) = value else { return Some(true) };
    let is = |words: &[&str]| words.iter().any(|w| w.eq_ignore_ascii_case(text));
    match text {
        _ if is(&["yes", "on", "enable", "enabled", "true", "set", "1"]) => Some(true),
        _ if is(&["no", "off", "disable", "disabled", "false", "unset", "0"]) => Some(false),
        _ => None,
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

/// Parses nanoseconds between two events; a bare number is in Hz, as it always was.
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
            (OptionId::Bufsize, "16", Ok(16)),
            (OptionId::Bufsize, "0", Err(())),
            (OptionId::Quiet, "ENABLED", Ok(1)),
            (OptionId::Quiet, "Disabled", Ok(0)),
            (OptionId::Quiet, "maybe", Err(())),
            (OptionId::Bufsize, "x", Err(())),
            (OptionId::Bufsize, "99999999999999999999g", Err(())),
        ] {
            assert_eq!(value(id, Some(text)).map_err(|_| ()), want, "{text}");
        }
        assert_eq!(value(OptionId::Quiet, None), Ok(1));
    }
}
