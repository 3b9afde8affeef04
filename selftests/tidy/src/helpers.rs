// SPDX-License-Identifier: GPL-2.0
//! The two sides of crate kapi declare the same: `rust/kapi/src/sys.rs` what `helpers/kapi.h` has. A
//! generated file would need libclang on each machine that builds the module, so a test compares.
//!
//! It compares how the processor passes a value, not what C calls it: a pointer to an opaque struct
//! is a `*mut c_void` in Rust, and the address of a kernel variable is a `c_ulong`.

use super::{none, read};
use std::collections::BTreeMap;

/// How a value is passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Nothing,
    Bool,
    Byte,
    Signed,
    Unsigned,
    /// 64 bits: a number, an address or a pointer.
    Word,
}

impl Kind {
    /// Reads a type of C, with the name of its value or without it.
    fn of_c(text: &str) -> Option<Self> {
        let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let has = |w| words.contains(&w);
        Some(match () {
            () if text.contains('*') || words.iter().any(|w| w.ends_with("_fn")) => Self::Word,
            () if has("long") || has("u64") || has("s64") || has("size_t") => Self::Word,
            () if has("bool") => Self::Bool,
            () if has("u8") || has("char") => Self::Byte,
            () if has("unsigned") || has("u32") => Self::Unsigned,
            () if has("int") || has("s32") => Self::Signed,
            () if has("void") => Self::Nothing,
            () => return None,
        })
    }

    fn of_rust(text: &str) -> Option<Self> {
        let text = text.trim();
        let aliases = ["Aside", "Call", "OnTick", "OnCount", "Done", "OnKernelSymbol", "ThreadFn"];
        Some(match text {
            "" => Self::Nothing,
            "bool" => Self::Bool,
            "u8" | "AtomicU8" | "c_char" | "Kind" => Self::Byte,
            "c_int" | "i32" => Self::Signed,
            "c_uint" | "u32" => Self::Unsigned,
            "u64" | "i64" | "usize" | "c_ulong" | "c_long" | "AtomicU64" => Self::Word,
            _ if text.starts_with(['*', '&']) || text.contains("fn(") => Self::Word,
            _ if aliases.contains(&text) => Self::Word,
            _ => return None,
        })
    }
}

/// The result and the parameters of a function; of a variable only the first.
type Shape = Vec<Option<Kind>>;

/// A name, and how often a field has its type.
type Field = (String, Option<Kind>, usize);

/// Cuts at commas that are not inside brackets.
fn parts(list: &str) -> Vec<&str> {
    let (mut depth, mut from, mut all) = (0, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                all.push(list[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    all.push(list[from..].trim());
    all.retain(|p| !p.is_empty());
    all
}

/// Returns the text between the bracket at `open` and the one that closes it, and what follows.
fn bracket(text: &str, open: usize) -> (&str, &str) {
    let mut depth = 0;
    for (at, c) in text[open..].char_indices() {
        match c {
            '(' | '{' => depth += 1,
            ')' | '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (&text[open + 1..open + at], &text[open + at + 1..]);
        }
    }
    panic!("no end: {}", &text[open..]);
}

/// Returns the header and those that it includes, without comments, lines of the preprocessor and
/// bodies of functions.
fn header() -> String {
    let whole = read("rust/kapi/helpers/kapi.h");
    let parts = whole.lines().filter_map(|l| l.strip_prefix("#include \"")?.strip_suffix('"'));
    let mut text: String = parts.map(|part| read(&format!("rust/kapi/helpers/{part}"))).collect();
    text.push_str(&whole);
    while let Some(from) = text.find("/*") {
        let to = text[from..].find("*/").unwrap() + from + 2;
        text.replace_range(from..to, " ");
    }
    let code = text.lines().filter(|l| !l.starts_with('#'));
    code.collect::<Vec<_>>().join("\n")
}

fn in_c(text: &str) -> BTreeMap<String, Shape> {
    let mut all = BTreeMap::new();
    for statement in text.split(';') {
        let statement = statement.trim();
        let Some(at) = statement.find("kapi_") else { continue };
        if statement.starts_with("typedef") || statement.contains('{') {
            continue;
        }
        if let Some(list) = statement.strip_prefix("extern ") {
            for name in list.split(',').filter_map(|n| n.split_whitespace().last()) {
                all.insert(name.trim_end_matches("[]").into(), vec![Kind::of_c(list)]);
            }
            continue;
        }
        // The result may be a struct of ours: the function's name is the one before a bracket.
        let Some(open) = statement[at..].find('(').map(|o| o + at) else { continue };
        let name = statement[..open].rsplit(|c: char| !c.is_alphanumeric() && c != '_').next();
        let name = name.unwrap();
        let result = &statement[..open - name.len()];
        let (list, _) = bracket(statement, open);
        let mut shape = vec![Kind::of_c(result)];
        shape.extend(parts(list).into_iter().filter(|p| *p != "void").map(Kind::of_c));
        all.insert(name.into(), shape);
    }
    all
}

fn in_rust(text: &str) -> BTreeMap<String, Shape> {
    let code: Vec<&str> = text.lines().filter(|l| !l.trim_start().starts_with("//")).collect();
    let code = code.join("\n");
    let from = code.find("unsafe extern \"C\" {").unwrap();
    let (block, _) = bracket(&code, from + "unsafe extern \"C\" ".len());
    let mut all = BTreeMap::new();
    for (word, is_fn) in [("fn ", true), ("static ", false)] {
        for (at, _) in block.match_indices(&format!("{word}kapi_")) {
            let rest = &block[at + word.len()..];
            let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap();
            let (name, shape) = (&rest[..end], &rest[end..]);
            let end = |s: &str| s[..s.find(';').unwrap()].to_owned();
            let shape = if is_fn {
                let (list, behind) = bracket(shape, 0);
                let result = end(behind);
                let result = result.trim().trim_start_matches("->");
                let types = parts(list).into_iter().map(|p| p.split_once(':').unwrap().1);
                core::iter::once(result).chain(types).map(Kind::of_rust).collect()
            } else {
                vec![Kind::of_rust(end(shape).trim_start_matches(':'))]
            };
            all.insert(name.to_owned(), shape);
        }
    }
    all
}

/// Functions that only assembly declares, with a convention of their own, or whose addresses are
/// all that counts.
const ASSEMBLY: &[&str] =
    &["kapi_entry_call", "kapi_return_call", "kapi_unset_handler", "kapi_pool", "kapi_typed"];
/// Variables of each CPU, and one that only Rust reads.
const ELSEWHERE: &[&str] =
    &["kapi_probe_busy", "kapi_probe_cpu", "kapi_rwsem_readers", "kapi_rwsem_writer"];

#[test]
fn both_sides_of_kapi_declare_the_same_functions() {
    let (c, sys) = (in_c(&header()), read("rust/kapi/src/sys.rs"));
    let rust = in_rust(&sys);
    assert!(c.len() > 140 && rust.len() > 130, "{} {}", c.len(), rust.len());
    let mut bad = Vec::new();
    for (name, ours) in &rust {
        if ASSEMBLY.contains(&&**name) || ELSEWHERE.contains(&&**name) {
            continue;
        }
        match c.get(name) {
            None => bad.push(format!("{name}: not in kapi.h")),
            Some(theirs) if ours != theirs || ours.contains(&None) => {
                bad.push(format!("{name}: C has {theirs:?}, Rust {ours:?}"));
            }
            Some(_) => {}
        }
    }
    none(bad);
}

/// A kernel with CFI compares the types of a caller and of the function behind a pointer. They
/// encode the names of structs, and ours have other names in Rust: such a call would be fatal.
#[test]
fn functions_called_through_pointers_name_no_struct() {
    let header = header();
    let mut seen = 0;
    let mut bad = Vec::new();
    for (at, _) in header.match_indices("(*") {
        let Some(open) = header[at + 1..].find('(').map(|o| o + at + 1) else { continue };
        seen += 1;
        let (list, _) = bracket(&header, open);
        if list.contains("struct ") {
            bad.push(format!("{}: ({list})", &header[at..open]));
        }
    }
    assert!(seen >= 4, "{seen}");
    none(bad);
}

/// Reads the fields of a struct of C.
fn fields_in_c(body: &str) -> Vec<Field> {
    let mut all = Vec::new();
    for line in body.split(';').map(str::trim).filter(|l| !l.is_empty()) {
        for (n, name) in line.split(',').enumerate() {
            let kind = Kind::of_c(if n == 0 { name } else { line.split(',').next().unwrap() });
            let word = name.split_whitespace().last().unwrap().trim_start_matches('*');
            let (word, times) = match word.split_once('[') {
                Some((word, n)) => (word, n.trim_end_matches(']').parse().unwrap()),
                None => (word, 1),
            };
            all.push((word.into(), kind, times));
        }
    }
    all
}

/// Reads the fields of a struct of Rust.
fn fields_in_rust(body: &str) -> Vec<Field> {
    let mut all = Vec::new();
    for line in body.lines().map(str::trim).filter(|l| !l.starts_with("//")) {
        let Some((name, ty)) = line.trim_end_matches(',').split_once(": ") else { continue };
        let name = name.rsplit(' ').next().unwrap();
        let (ty, times) =
            match ty.strip_prefix('[').and_then(|t| t.trim_end_matches(']').split_once("; ")) {
                Some((ty, n)) => (ty, n.parse().unwrap()),
                None => (ty, 1),
            };
        all.push((name.into(), Kind::of_rust(ty), times));
    }
    all
}

#[test]
fn both_sides_of_kapi_lay_out_the_same_structs() {
    let (c, sys) = (header(), read("rust/kapi/src/sys.rs"));
    let (mut bad, mut seen) = (Vec::new(), 0);
    // The comment of a struct of Rust names the one of C first.
    for (at, mark) in sys.match_indices("/// `struct kapi_") {
        let rest = &sys[at + mark.len()..];
        let name = &rest[..rest.find('`').unwrap()];
        let open = rest.find('{').unwrap();
        let head = &rest[..open];
        if !head.contains("#[repr(C)]") {
            bad.push(format!("kapi_{name}: not repr(C)"));
        }
        let ours = fields_in_rust(bracket(rest, open).0);
        let Some(at) = c.find(&format!("struct kapi_{name} {{")) else {
            bad.push(format!("kapi_{name}: not in kapi.h"));
            continue;
        };
        let theirs = fields_in_c(bracket(&c, at + c[at..].find('{').unwrap()).0);
        seen += 1;
        if ours != theirs || ours.is_empty() || ours.iter().any(|(_, kind, _)| kind.is_none()) {
            bad.push(format!("kapi_{name}: C has {theirs:?}, Rust {ours:?}"));
        }
    }
    // Each struct of the file with C's layout is one of them.
    let all = sys.matches("#[repr(C)]").count();
    if seen != all {
        bad.push(format!(
            "{all} structs have C's layout, {seen} name theirs of C in their comment"
        ));
    }
    none(bad);
}

#[test]
fn a_difference_is_found() {
    let c = in_c("int kapi_a(u64 at, bool (*f)(void *x), u32 n);\nstruct kapi_s *kapi_b(void);");
    let rust = in_rust("unsafe extern \"C\" { fn kapi_a(at: u64, f: extern \"C\" fn() -> bool, n: u32) -> c_int;\n pub(crate) safe fn kapi_b() -> *mut c_void; }");
    assert_eq!(c, rust);
    assert_eq!(c.len(), 2);
    for wrong in [
        "at: u32, f: Call, n: u32) -> c_int",
        "at: u64, f: Call, n: c_int) -> c_int",
        "at: u64, f: Call) -> c_int",
        "at: u64, f: Call, n: u32)",
    ] {
        let rust = in_rust(&format!("unsafe extern \"C\" {{ fn kapi_a({wrong}; }}"));
        assert_ne!(c["kapi_a"], rust["kapi_a"], "{wrong}");
    }
    let c = fields_in_c("u64 a, b; u8 old[5]; struct mutex *m;");
    assert_eq!(c, fields_in_rust("pub a: u64,\n    b: u64,\n  old: [u8; 5],\n m: c_ulong,"));
    assert_ne!(c, fields_in_rust("pub a: u64,\n    b: u32,\n  old: [u8; 5],\n m: c_ulong,"));
    assert_ne!(c, fields_in_rust("pub b: u64,\n    a: u64,\n  old: [u8; 5],\n m: c_ulong,"));
}
