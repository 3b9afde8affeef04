// SPDX-License-Identifier: GPL-2.0
//! `tools-d/dtruss.d` matches its table of system calls. `BLESS=1` writes it.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// The script around its generated parts.
const FRAME: &str = include_str!("dtruss.frame");

/// `NAME=VALUE` or `NAME=VALUE/MASK`. Without a mask, the bits of the value are the mask.
struct Word<'a> {
    name: &'a str,
    value: &'a str,
    mask: Option<&'a str>,
}

fn word(text: &str) -> Word<'_> {
    let (name, value) = text.split_once('=').expect("NAME=VALUE");
    let (value, mask) = value.split_once('/').map_or((value, None), |(v, m)| (v, Some(m)));
    Word { name, value, mask }
}

fn number(text: &str) -> i64 {
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.expect("a number")
}

/// Makes the words of all set bits, and the remaining bits as a number. It makes a tree, because an
/// inline may not be deep.
fn flags(kind: &str, words: &[Word<'_>]) -> String {
    let known = words.iter().fold(0, |all, w| all | number(w.mask.unwrap_or(w.value)));
    let rest = format!("f & ~{known:#x}");
    let mut parts: Vec<String> = words
        .iter()
        .map(|w| {
            let test = match w.mask {
                Some(mask) => format!("(f & {mask}) == {}", w.value),
                None => format!("f & {}", w.value),
            };
            format!("({test} ? \"|{}\" : \"\")", w.name)
        })
        .collect();
    parts.push(format!("({rest} ? strjoin(\"|\", lltostr({rest}, 16)) : \"\")"));
    while parts.len() > 1 {
        let pair = |p: &[String]| match p {
            [a, b] => format!("strjoin({a},\n    {b})"),
            _ => p.concat(),
        };
        parts = parts.chunks(2).map(pair).collect();
    }
    let has_zero = words.iter().any(|w| w.mask.is_some() && number(w.value) == 0);
    let zero = if has_zero { "" } else { "f == 0 ? \"0\" : " };
    format!("inline string __{kind}[uint32_t f] = {zero}substr({}, 1);\n", parts.concat())
}

/// Makes the word of a number, by binary search.
fn names(kind: &str, words: &[Word<'_>]) -> String {
    fn part(words: &[Word<'_>]) -> String {
        if words.len() <= 4 {
            let one = |w: &Word<'_>| format!("n == {} ? \"{}\" : ", w.value, w.name);
            return words.iter().map(one).collect::<String>() + "lltostr(n)";
        }
        let (low, high) = words.split_at(words.len() / 2);
        format!("n < {} ?\n    ({}) :\n    ({})", high[0].value, part(low), part(high))
    }
    let mut words: Vec<&Word<'_>> = words.iter().collect();
    words.sort_by_key(|w| number(w.value));
    let words: Vec<Word<'_>> = words.into_iter().map(|w| Word { ..*w }).collect();
    format!("inline string __{kind}[int n] = {};\n", part(&words))
}

/// Returns the conversion and the values that print an argument.
fn printed(kind: &str, n: usize) -> (&'static str, String) {
    let a = format!("self->a{n}");
    let bytes = |length: &str| {
        let end = format!("!{a} ? \"\" : {length} > 40 ? \"\\\"...\" : \"\\\"\"");
        ("%s%S%s", format!("__quote[{a}], __bytes[{a}, {length}], {end}"))
    };
    match kind {
        "fd" | "int" => ("%d", format!("(int){a}")),
        "uint" => ("%u", a),
        "long" => ("%d", format!("(int64_t){a}")),
        "hex" => ("%#x", a),
        "oct" => ("%#o", format!("(int){a}")),
        "str" => ("%s%S%s", format!("__quote[{a}], __text[{a}], __quote[{a}]")),
        "rbuf" => bytes("(errno ? 0 : (int64_t)arg1)"),
        "wbuf" => bytes(&format!("(int64_t)self->a{}", n + 1)),
        _ => ("%s", format!("__{kind}[{a}]")),
    }
}

/// Makes one clause for calls with the same arguments.
fn clause(kinds: &str, calls: &[&str]) -> String {
    let mut text = String::new();
    for (n, call) in calls.iter().enumerate() {
        let comma = if n + 1 < calls.len() { "," } else { "" };
        let _ = writeln!(text, "syscall::{call}:return{comma}");
    }
    let args: Vec<_> = kinds.split_whitespace().enumerate().map(|(n, k)| printed(k, n)).collect();
    let form: Vec<&str> = args.iter().map(|a| a.0).collect();
    let _ = write!(text, "/self->begun/\n{{\n\tprintf(\"%7d/%-7d %s%s%s({}) = %s\\n\", pid, tid, SINCE, TIME, probefunc", form.join(", "));
    for (_, value) in &args {
        let _ = write!(text, ",\n\t    {value}");
    }
    text + ", RESULT);\n\tself->begun = 0;\n}\n\n"
}

fn script(table: &str) -> String {
    let (mut kinds, mut calls) = (String::new(), BTreeMap::<&str, Vec<&str>>::new());
    for line in table.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (kind, list) = rest.split_once(' ').unwrap_or((rest, ""));
        match name {
            "flags" => kinds += &flags(kind, &list.split(' ').map(word).collect::<Vec<_>>()),
            "names" => kinds += &names(kind, &list.split(' ').map(word).collect::<Vec<_>>()),
            "errors" => kinds += &names("errors", &rest.split(' ').map(word).collect::<Vec<_>>()),
            "execve" | "exit" | "exit_group" => {}
            _ => calls.entry(rest).or_default().push(name),
        }
    }
    let clauses: String = calls.iter().map(|(kinds, calls)| clause(kinds, calls)).collect();
    FRAME.replace("/* KINDS */\n", &kinds).replace("/* CLAUSES */\n", &clauses)
}

#[test]
fn the_script_is_what_the_table_makes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools-d");
    let made = script(&fs::read_to_string(folder.join("dtruss.table")).unwrap());
    let file = folder.join("dtruss.d");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&file, &made).unwrap();
    }
    let there = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        there == made,
        "tools-d/dtruss.d is not what its table makes: BLESS=1 cargo test -p toolbox"
    );
}
