// SPDX-License-Identifier: GPL-2.0
//! Runs the manual: it compiles every `d` block of `mdtest/*.md` and `tags/*.md`.
//!
//! - A block must compile, unless it has `/* error: [D_TAG] "part" */` on the lines where the
//!   complaints are expected; then it must give exactly those.
//! - `/* type: int64_t */` gives the type of the line's `trace()`.
//! - A following `data` block has the data that the probes record, `dif` the listing of all
//!   objects, `tokens`, `tree`, `typed`, `program` and `dof` the results of the stages, and
//!   `message` the first complaint as displayed. `BLESS=1` rewrites them.
//! - `d typed` fires with the arguments and the memory of `common/types.rs`.
//! - `/* note: "part" */` is a note that a program which compiles must give.
//! - `d -P` is the text of that option; `d args=7,foo` sets arguments, `d amin=..` the least
//!   stability.

mod common;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use abi::action::ActionKind;
use common::{fire, world, Datum, Host};
use d::library::Libraries;
use d::types::Type;
use d::{Options, Source, SpecKind, StatementKind};

#[derive(Default)]
struct Case {
    /// The expected text of each kind of block that may follow.
    data: String,
    dif: String,
    message: String,
    tokens: String,
    tree: String,
    typed: String,
    program: String,
    dof: String,
}

/// Returns the source and the options that the words behind `d` ask for.
fn asked(name: &str, info: &str, text: &str, libraries: Libraries) -> (Source, Options) {
    let mut options = Options { libraries, ..Options::default() };
    let mut source = Source::script("page.d", text);
    for word in info.split_whitespace().skip(1) {
        match word {
            "-n" => source = Source::spec(SpecKind::Name, text.trim_end()),
            "-P" => source = Source::spec(SpecKind::Provider, text.trim_end()),
            "-m" => source = Source::spec(SpecKind::Module, text.trim_end()),
            "-f" => source = Source::spec(SpecKind::Function, text.trim_end()),
            "-i" => source = Source::spec(SpecKind::Id, text.trim_end()),
            "-Z" => options.allow_zero = true,
            "typed" => {}
            _ => match word.strip_prefix("args=") {
                Some(args) => {
                    options.args =
                        ["page.d"].into_iter().chain(args.split(',')).map(String::from).collect()
                }
                None => match word.strip_prefix("amin=") {
                    Some(least) => options.amin = abi::stability::Attributes::from_text(least),
                    None => panic!("{name}: unknown word {word}"),
                },
            },
        }
    }
    (source, options)
}

fn run(name: &str, info: &str, text: &str) -> Case {
    let libraries = common::libraries();
    let (source, options) = asked(name, info, text, libraries);
    let compiled = d::compile(&source, &world(), &options);
    let wanted: Vec<(usize, &str, &str)> = notes(text, "error:")
        .map(|(line, note)| {
            let (tag, rest) = note.strip_prefix('[').and_then(|n| n.split_once(']')).expect(name);
            (line, tag, rest.trim().trim_matches('"'))
        })
        .collect();
    let found: Vec<(usize, &str, &str)> =
        compiled.diagnostics.iter().map(|d| (d.line, d.tag.name(), d.message.as_str())).collect();
    let fits = |w: &(usize, &str, &str), f: &(usize, &str, &str)| {
        w.0 == f.0 && w.1 == f.1 && f.2.contains(w.2)
    };
    let missing: Vec<_> = wanted.iter().filter(|w| !found.iter().any(|f| fits(w, f))).collect();
    let extra: Vec<_> = found.iter().filter(|f| !wanted.iter().any(|w| fits(w, f))).collect();
    assert!(
        missing.is_empty() && extra.is_empty(),
        "{name}\n{text}\nmissing {missing:#?}\nnot expected {extra:#?}"
    );
    for (line, note) in notes(text, "note:") {
        let part = note.trim_matches('"');
        let said = |d: &d::Diagnostic| d.line == line && d.message.contains(part);
        assert!(compiled.notes.iter().any(said), "{name}: {part}: {:?}", compiled.notes);
    }
    let silent = notes(text, "note:").next().is_none();
    assert!(!silent || compiled.notes.is_empty(), "{name}: {:?}", compiled.notes);
    let mut case = Case {
        data: String::new(),
        dif: String::new(),
        message: String::new(),
        tokens: d::show::tokens(&source, &options),
        tree: d::show::tree(&source, &options, &world()),
        typed: d::show::typed(&source, &options, &world()),
        program: String::new(),
        dof: String::new(),
    };
    if let Some(d) = compiled.diagnostics.first() {
        let drawn = d::diag::render::render(d, &source, true);
        case.message = format!("{}\n\n{drawn}\n", d.headline(&source, true));
    }
    let Some(program) = compiled.program else { return case };
    let traced: Vec<_> = program
        .statements
        .iter()
        .filter_map(|s| match &s.kind {
            StatementKind::Trace(v) => Some(*v),
            _ => None,
        })
        .collect();
    for (line, ty) in notes(text, "type:") {
        // Take the last trace() of the line.
        let so_far: Vec<&str> = text.lines().take(line).collect();
        let nth = so_far.join("\n").matches("trace(").count();
        let ty = Type::from_table(ty).expect(name);
        assert_eq!(
            traced.get(nth - 1),
            Some(&d::ValueType::of_type(&ty, 256)),
            "{name} line {line}: {ty}"
        );
    }
    case.dif = disassembled(name, &program);
    case.program = d::show::program(&program);
    let bytes = d::dof::write(&program, &[]);
    case.dof = sections(&bytes);
    let mut host = if info.contains(" typed") { Host::typed() } else { Host::new() };
    for datum in fire(&bytes, &mut host) {
        writeln!(case.data, "{}", show(&datum)).expect(name);
    }
    case
}

/// Returns the instructions of all objects.
fn disassembled(name: &str, program: &d::Program) -> String {
    let mut text = String::new();
    for o in program.objects() {
        if !text.is_empty() {
            text.push('\n');
        }
        for (i, word) in o.text.iter().enumerate() {
            let mut insn = String::new();
            dif::disasm::write_insn(o, *word, &mut insn).expect(name);
            let insn = insn.replace("\t\t!", "  !");
            writeln!(text, "{i:02} {word:08x} {}", insn.trim_end()).expect(name);
        }
    }
    text
}

/// Returns the section table of a DOF.
fn sections(bytes: &[u8]) -> String {
    use abi::dof::{Header, SectionHeader, SectionKind};
    use zerocopy::FromBytes;
    let (head, rest) = Header::read_from_prefix(bytes).expect("header");
    let mut out = format!("header: version {}, {} bytes in all\n", head.version, head.file_size);
    for (i, row) in
        rest.chunks_exact(size_of::<SectionHeader>()).take(head.section_count as usize).enumerate()
    {
        let s = SectionHeader::read_from_bytes(row).expect("section");
        let kind = SectionKind::from_number(s.kind).expect("kind");
        writeln!(out, "{i}: {kind:?}, {} bytes at {}", s.size, s.offset).expect("text");
    }
    out
}

/// Returns comments `/* word rest */` with their lines.
fn notes<'t>(text: &'t str, word: &'static str) -> impl Iterator<Item = (usize, &'t str)> {
    text.lines().enumerate().flat_map(move |(i, line)| {
        let comments = line.split("/*").skip(1).filter_map(|c| c.split("*/").next());
        comments.filter_map(move |c| Some((i + 1, c.trim().strip_prefix(word)?.trim())))
    })
}

fn show(d: &Datum) -> String {
    match d {
        Datum::Int(v) => v.to_string(),
        Datum::Str(s) => format!("{s:?}"),
        Datum::Bytes(b) => format!("{b:02x?}"),
        Datum::Fault(f) => format!("fault {f:?}"),
        Datum::Agg(kind, key, v) => {
            let key: Vec<String> = key.iter().map(show).collect();
            let value = if *kind == ActionKind::Count { String::new() } else { v.to_string() };
            format!("@[{}] {}({value})", key.join(", "), kind.name())
        }
    }
}

/// Runs a page; returns it as it is and as it should be, with the number of programs.
fn page(path: &Path) -> (String, String, usize) {
    let old = std::fs::read_to_string(path).expect("page");
    let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let mut new = String::new();
    let mut case: Option<Case> = None;
    let mut count = 0;
    let mut lines = old.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        new.push_str(line);
        new.push('\n');
        let Some(info) = line.strip_prefix("```").filter(|i| !i.is_empty()) else { continue };
        let body: String = lines
            .by_ref()
            .map(|(_, l)| l)
            .take_while(|l| *l != "```")
            .map(|l| format!("{l}\n"))
            .collect();
        match (info.split(' ').next().unwrap_or(""), &case) {
            ("d", _) => {
                case = Some(run(&format!("{name}:{}", at + 1), info, &body));
                count += 1;
                new.push_str(&body);
            }
            ("data", Some(c)) => new.push_str(&c.data),
            ("dif", Some(c)) => new.push_str(&c.dif),
            ("tokens", Some(c)) => new.push_str(&c.tokens),
            ("tree", Some(c)) => new.push_str(&c.tree),
            ("typed", Some(c)) => new.push_str(&c.typed),
            ("program", Some(c)) => new.push_str(&c.program),
            ("dof", Some(c)) => new.push_str(&c.dof),
            ("message", Some(c)) => new.push_str(&c.message),
            _ => new.push_str(&body),
        }
        new.push_str("```\n");
    }
    (old, new, count)
}

fn pages(folder: &str, least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> =
        std::fs::read_dir(root).expect(folder).map(|e| e.expect(folder).path()).collect();
    paths.sort();
    let mut count = 0;
    for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "md")) {
        let (old, new, n) = page(path);
        count += n;
        if std::env::var_os("BLESS").is_some() && old != new {
            std::fs::write(path, &new).expect("bless");
        } else {
            assert_eq!(old, new, "{} (BLESS=1 rewrites)", path.display());
        }
    }
    assert!(count >= least, "{folder}: {count} programs");
}

#[test]
fn manual() {
    pages("mdtest", 55);
}

/// The reference has a section for each name, in order, with an example that compiles.
#[test]
fn reference() {
    pages("../../docs/reference", 120);
    // arg0 stands for all ten.
    let is_like_arg0 =
        |name: &str| name != "arg0" && name.len() == 4 && name.starts_with("arg") && name != "args";
    let subrs = abi::dif::Subr::ALL.iter().map(|s| s.name());
    let builtins = abi::dif::Builtin::ALL.iter().map(|b| b.name()).filter(|b| !is_like_arg0(b));
    let kinds = || (1..0x800).filter_map(ActionKind::from_number);
    let aggregating = kinds().filter(|k| k.is_aggregating()).map(ActionKind::name);
    let actions = kinds().filter(|k| !k.is_aggregating()).map(ActionKind::name);
    // The command does these; in the module they are one kind of action.
    let done_by_command =
        ["clear", "denormalize", "ftruncate", "normalize", "print", "printm", "setopt", "trunc"];
    let actions = actions.filter(|a| !a.is_empty()).chain(done_by_command);
    for (page, names) in [
        ("functions", subrs.collect::<BTreeSet<_>>()),
        ("variables", builtins.collect()),
        ("aggregations", aggregating.collect()),
        ("actions", actions.collect()),
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference");
        let text = std::fs::read_to_string(folder.join(format!("{page}.md"))).expect(page);
        let sections: Vec<&str> = text.split("\n## ").skip(1).collect();
        let titles: Vec<&str> = sections.iter().filter_map(|s| s.lines().next()).collect();
        assert_eq!(titles, names.into_iter().collect::<Vec<_>>(), "{page}");
        let bare: Vec<_> = sections.iter().filter(|s| !s.contains("\n```d")).collect();
        assert!(bare.is_empty(), "{page}: no example: {bare:?}");
    }
}

#[test]
fn tours() {
    pages("stages", 1);
}

#[test]
fn tags() {
    pages("tags", 2 * d::Tag::ALL.len() - 4);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tags");
    for tag in d::Tag::ALL {
        let path = folder.join(format!("{}.md", tag.name()));
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|_| panic!("{} has no page", tag.name()));
        assert!(text.contains(&format!("error: [{}]", tag.name())), "{}: no example", tag.name());
        assert!(
            text.starts_with(&format!("# {}: {}\n", tag.name(), tag.meaning())),
            "{}",
            tag.name()
        );
    }
}

/// Every tag of DTrace is given or listed with a reason, and no tag is our invention.
#[test]
fn no_tag_is_forgotten() {
    let known: BTreeSet<&str> = include_str!("tags.txt").lines().collect();
    assert_eq!(known.len(), 219);
    let given: BTreeSet<&str> = d::Tag::ALL.iter().map(|t| t.name()).collect();
    let others: BTreeSet<&str> = d::diag::tag::NOT_GIVEN.iter().map(|t| t.0).collect();
    let both: Vec<_> = given.intersection(&others).collect();
    assert!(both.is_empty(), "given, so strike them from NOT_GIVEN: {both:?}");
    assert_eq!(given.union(&others).copied().collect::<BTreeSet<_>>(), known);
}
