// SPDX-License-Identifier: GPL-2.0
//! Compiles the programs of `mdtest/corpus/`: each is accepted, or refused as every DTrace refuses
//! it.
//!
//! A file holds many programs. Each begins with a line `%% ok` or `%% D_TAG`, which gives the first
//! complaint, because that is the one that the command prints. After it, the line may have the line
//! number of the complaint, `-Z`, `-e`, `defaultargs`, `args=7,foo`, and `data=` with the data that
//! the probes record.

mod common;

use common::{fire, libraries, world, Datum, Host};
use d::{Options, Source, Tag};
use std::collections::BTreeMap;
use std::path::Path;

struct Program<'t> {
    head: &'t str,
    wanted: &'t str,
    text: &'t str,
}

/// Returns the programs of one file.
fn programs(file: &str) -> impl Iterator<Item = Program<'_>> {
    file.split("%% ").skip(1).map(|block| {
        let (head, text) = block.split_once('\n').expect("a program behind its head");
        let wanted = head.split_whitespace().next().expect("what is wanted");
        Program { head, wanted, text }
    })
}

fn data(records: &[Datum]) -> String {
    let show = |d: &Datum| match d {
        Datum::Int(v) => v.to_string(),
        Datum::Str(s) => s.clone(),
        Datum::Agg(_, _, v) => format!("@{v}"),
        other => format!("{other:?}"),
    };
    records.iter().map(show).collect::<Vec<_>>().join(",")
}

/// Compiles one program; the error tells how the result differs.
fn check(p: &Program<'_>) -> Result<(), String> {
    let mut options = Options { libraries: libraries(), ..Options::default() };
    let (mut line, mut records) = (None, None);
    for word in p.head.split_whitespace().skip(1) {
        match word.split_once('=') {
            Some(("args", list)) => {
                options.args =
                    ["page.d"].into_iter().chain(list.split(',')).map(String::from).collect();
            }
            Some(("data", wanted)) => records = Some(wanted),
            _ if word == "-Z" => options.allow_zero = true,
            _ if word == "-e" => options.is_dry = true,
            _ if word == "defaultargs" => options.default_args = true,
            _ => line = Some(word.parse::<usize>().map_err(|_| format!("unknown word {word}"))?),
        }
    }
    let compiled = d::compile(&Source::script("page.d", p.text), &world(), &options);
    let first = compiled.diagnostics.first();
    let found = first.map_or("ok", |d| d.tag.name());
    if found != p.wanted || line.is_some_and(|line| first.map(|d| d.line) != Some(line)) {
        let all = compiled.diagnostics.iter();
        let all: Vec<_> =
            all.map(|d| format!("{} line {}: {}", d.tag.name(), d.line, d.message)).collect();
        return Err(format!("found {found}: {all:#?}"));
    }
    let (Some(program), Some(wanted)) = (compiled.program, records) else { return Ok(()) };
    let left = data(&fire(&d::dof::write(&program, &[]), &mut Host::new()));
    (left == wanted).then_some(()).ok_or_else(|| format!("left {left}"))
}

/// Counts the programs of a page of the manual, by the tags of their complaints.
fn of_page(text: &str, count: &mut BTreeMap<String, usize>) {
    for block in text.split("```d").skip(1) {
        let block = block.split("```").next().unwrap_or("");
        for note in block.split("error: [").skip(1) {
            let tag = note.split(']').next().unwrap_or("");
            *count.entry(tag.to_string()).or_default() += 1;
        }
    }
}

fn files(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let entries = std::fs::read_dir(folder).expect("folder").map(|e| e.expect("entry").path());
    let mut paths: Vec<_> = entries.filter(|p| p.is_file()).collect();
    paths.sort();
    paths.iter().map(|p| std::fs::read_to_string(p).expect("file")).collect()
}

#[test]
fn every_program_is_taken_or_refused_as_it_should_be() {
    let files = files("mdtest/corpus");
    let all: Vec<_> = files.iter().flat_map(|f| programs(f)).collect();
    let wrong: Vec<String> = all
        .iter()
        .filter_map(|p| check(p).err().map(|why| format!("%% {}\n{}{why}\n", p.head, p.text)))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    let taken = all.iter().filter(|p| p.wanted == "ok").count();
    println!("{} programs: {taken} accepted, {} refused", all.len(), all.len() - taken);
    assert!(all.len() >= 400, "{} programs", all.len());
}

/// Tags that need more than a text: a process, or more variables or registers than a person would
/// write down. `tags/` has one program for each, and the tests of `consumer` have more.
const ELSEWHERE: &[&str] = &[
    "D_PROC_BADPID",
    "D_PROC_GRAB",
    "D_PROC_DYN",
    "D_PROC_NAME",
    "D_PROC_OFF",
    "D_PROC_ALIGN",
    "D_PROC_CREATEFAIL",
    "D_PROC_NODEV",
    "D_ARGS_MULTI",
    "D_ID_OFLOW",
    "D_NOREG",
];

#[test]
fn every_tag_has_three_programs() {
    let mut count = BTreeMap::new();
    for page in files("mdtest").iter().chain(&files("tags")) {
        of_page(page, &mut count);
    }
    for file in &files("mdtest/corpus") {
        for p in programs(file) {
            *count.entry(p.wanted.to_string()).or_default() += 1;
        }
    }
    let of = |tag: &Tag| count.get(tag.name()).copied().unwrap_or(0);
    let few = Tag::ALL.iter().filter(|tag| of(tag) < 3 && !ELSEWHERE.contains(&tag.name()));
    let few: Vec<String> = few.map(|tag| format!("{}: {}", tag.name(), of(tag))).collect();
    assert!(few.is_empty(), "{few:#?}");
}
