// SPDX-License-Identifier: GPL-2.0
//! The structure that ARCHITECTURE.md promises: permitted imports, no cycles, no missing paths.

use super::{files, none, read, top, tree};
use std::collections::{BTreeMap, BTreeSet};

type Edges = BTreeMap<String, BTreeSet<String>>;

/// Returns the permitted imports of each crate, as pairs, from the table of ARCHITECTURE.md.
fn promised() -> Edges {
    let text = read("ARCHITECTURE.md");
    let section =
        text.split("## Which crate may import which").nth(1).expect("the section is there");
    let table = section.split("```").nth(1).expect("the table is there");
    let mut edges = Edges::new();
    for chain in table.split(['\n', ';']) {
        let chain = chain.trim_start_matches("kernel side").trim_start_matches("user side");
        let links: Vec<Vec<&str>> = chain
            .split("<-")
            .map(|l| l.split(['{', '}', ',', ' ']).filter(|n| !n.is_empty()).collect())
            .collect();
        for pair in links.windows(2) {
            for importer in &pair[1] {
                let of = edges.entry((*importer).into()).or_default();
                of.extend(pair[0].iter().map(|n| String::from(*n)));
            }
        }
    }
    assert!(edges.len() > 10, "the table of ARCHITECTURE.md was not understood: {edges:?}");
    edges
}

/// Returns the crates that a crate may import, directly or through others.
fn closure(edges: &Edges, of: &str) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let mut todo = vec![of.to_owned()];
    while let Some(name) = todo.pop() {
        for next in edges.get(&name).into_iter().flatten() {
            if all.insert(next.clone()) {
                todo.push(next.clone());
            }
        }
    }
    all
}

/// A crate with its name, folder and imports.
struct Listed {
    name: String,
    folder: String,
    imports: Vec<String>,
    from: &'static str,
}

/// Returns our crates that Kbuild lists.
fn kbuild() -> Vec<Listed> {
    let mut all = Vec::new();
    for line in read("Kbuild").lines() {
        if let Some(call) = line.strip_prefix("$(call rust-lib,") {
            let mut parts = call.trim_end_matches(')').split(',');
            let (name, root) = (parts.next().unwrap(), parts.next().unwrap());
            let folder = root.trim_start_matches("$(src)/").trim_end_matches("/src/lib.rs");
            let imports = parts.next().unwrap().split_whitespace().map(String::from).collect();
            all.push(Listed { name: name.into(), folder: folder.into(), imports, from: "Kbuild" });
        } else if let Some((_, list)) = line.split_once("module/main.o := $(call rust-imports,") {
            let imports = list.trim_end_matches(')').split_whitespace().map(String::from).collect();
            all.push(Listed {
                name: "module".into(),
                folder: "module".into(),
                imports,
                from: "Kbuild",
            });
        }
    }
    assert!(all.len() > 10, "Kbuild was not understood");
    all
}

/// Returns the crates of the Cargo workspace, with their dependencies except those for tests.
fn cargo() -> Vec<Listed> {
    let mut all = Vec::new();
    for (path, text) in files("Cargo.toml") {
        if !text.contains("[package]") {
            continue;
        }
        let mut section = "";
        let (mut name, mut imports) = (String::new(), Vec::new());
        for line in text.lines().map(str::trim) {
            if line.starts_with('[') {
                section = line;
            } else if let Some((key, value)) = line.split_once('=') {
                let key = key.trim().trim_end_matches(".workspace");
                match section {
                    "[package]" if key == "name" => name = value.trim().trim_matches('"').into(),
                    "[dependencies]" => imports.push(key.into()),
                    _ => {}
                }
            }
        }
        let folder: String = path.trim_end_matches("/Cargo.toml").into();
        if !top().join(&folder).join("src").is_dir() {
            continue;
        }
        all.push(Listed { name, folder, imports, from: "Cargo.toml" });
    }
    all
}

/// Returns the sources of a crate without comments; for the module itself, only its own files.
fn sources(folder: &str) -> Vec<(String, String)> {
    let src = if folder == "module" { folder.to_owned() } else { format!("{folder}/src") };
    let inside = |name: &str| {
        let rest = name.strip_prefix(&src).and_then(|r| r.strip_prefix('/'));
        rest.is_some_and(|r| folder != "module" || !r.contains('/'))
    };
    let bare = |text: String| {
        let lines = text.lines().map(|l| l.split("//").next().unwrap_or_default());
        lines.collect::<Vec<_>>().join("\n")
    };
    let all = files(".rs").into_iter().filter(|(name, _)| inside(name));
    all.map(|(name, text)| (name[src.len() + 1..].to_owned(), bare(text))).collect()
}

/// Tells whether the text contains `name::` at the beginning of a path.
fn names(text: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let rest = &text[at + name.len()..];
        !before.is_some_and(|c| is_word(c) || c == ':')
            && (rest.starts_with("::") || rest.starts_with(" as ") || rest.starts_with(';'))
    })
}

#[test]
fn imports_are_those_of_the_architecture() {
    let promised = promised();
    let mut bad = Vec::new();
    let ours: BTreeSet<String> = kbuild().iter().chain(&cargo()).map(|c| c.name.clone()).collect();
    let mut there = Edges::new();
    for c in kbuild().iter().chain(&cargo()) {
        let own = if c.name == "dtrace" { "cli" } else { &c.name };
        let may = closure(&promised, own);
        for import in c.imports.iter().filter(|i| ours.contains(*i)) {
            there.entry(own.into()).or_default().insert(import.clone());
            if promised.contains_key(own) && !may.contains(import) {
                bad.push(format!(
                    "{}: {own} imports {import}; ARCHITECTURE.md does not say so",
                    c.from
                ));
            }
        }
    }
    for (own, imports) in &promised {
        for import in imports.iter().filter(|i| ours.contains(*i)) {
            if !there.get(own).is_some_and(|t| t.contains(import)) {
                bad.push(format!("ARCHITECTURE.md: {own} may import {import}, and does not"));
            }
        }
    }
    none(bad);
}

#[test]
fn every_import_is_used() {
    let mut bad = Vec::new();
    for c in kbuild().iter().chain(&cargo()) {
        let text = sources(&c.folder);
        for import in &c.imports {
            let word = import.replace('-', "_");
            // Macros of the kernel's prelude and of zerocopy expand to paths into these two.
            if ["pin_init", "zerocopy_derive"].contains(&&*word) {
                continue;
            }
            if !text.iter().any(|(_, t)| names(t, &word)) {
                bad.push(format!("{}: {} lists {import} and does not use it", c.from, c.name));
            }
        }
    }
    none(bad);
}

/// Returns the imports between the files of a crate; a folder counts as one file.
fn graph(folder: &str) -> Edges {
    let mut text: BTreeMap<String, String> = BTreeMap::new();
    for (name, content) in sources(folder) {
        let file = name.split('/').next().unwrap().trim_end_matches(".rs").to_owned();
        let content = content.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        // A link in a comment is no import.
        let is_code = |l: &&str| !l.trim_start().starts_with("//");
        let content: String = content.lines().filter(is_code).flat_map(|l| [l, "\n"]).collect();
        if file != "lib" && file != "main" {
            text.entry(file).or_default().push_str(&content);
        }
    }
    let mut edges = Edges::new();
    for (file, content) in &text {
        let of = edges.entry(file.clone()).or_default();
        for (at, _) in content.match_indices("crate::") {
            let rest = &content[at + "crate::".len()..];
            let list = match rest.strip_prefix('{') {
                Some(group) => heads(group),
                None => heads(rest).into_iter().take(1).collect(),
            };
            of.extend(list.into_iter().filter(|n| n != file && text.contains_key(n)));
        }
    }
    edges
}

/// Returns the first word of each member of a list of imports, up to its closing bracket.
fn heads(text: &str) -> Vec<String> {
    let (mut depth, mut all, mut word, mut open) = (0, Vec::new(), String::new(), true);
    for c in text.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ';' => break,
            ',' if depth == 0 => {
                all.push(std::mem::take(&mut word));
                open = true;
            }
            c if depth == 0 && open && (c.is_alphanumeric() || c == '_') => word.push(c),
            c if c.is_whitespace() && word.is_empty() => {}
            _ => open = false,
        }
    }
    all.push(word);
    all
}

/// Returns the groups of more than two files that all reach each other.
fn circles(edges: &Edges) -> BTreeSet<Vec<String>> {
    let reach: BTreeMap<&String, BTreeSet<String>> =
        edges.keys().map(|file| (file, closure(edges, file))).collect();
    let mut found = BTreeSet::new();
    for (file, from_here) in &reach {
        let back = |other: &&String| reach.get(other).is_some_and(|r| r.contains(*file));
        let circle: Vec<String> = from_here.iter().filter(back).cloned().collect();
        if circle.len() > 2 {
            found.insert(circle);
        }
    }
    found
}

#[test]
fn files_import_in_no_circle() {
    let mut bad = Vec::new();
    let folders: BTreeSet<String> = kbuild().into_iter().chain(cargo()).map(|c| c.folder).collect();
    for folder in folders {
        for files in circles(&graph(&folder)) {
            bad.push(format!("{folder}/src: {} import each other in a circle", files.join(", ")));
        }
    }
    none(bad);
}

/// Returns the paths in a document: words in backquotes that look like one.
fn paths(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
            continue;
        }
        if in_block {
            continue;
        }
        for word in line.split('`').skip(1).step_by(2) {
            let plain = |c: char| c.is_ascii_alphanumeric() || "_./{},-".contains(c);
            let first = word.split('/').next().unwrap_or_default();
            // Words like AREA/NAME are placeholders.
            let stands_for = first.chars().all(|c| c.is_ascii_uppercase());
            if word.contains('/') && word.chars().all(plain) && !stands_for && !first.is_empty() {
                all.extend(alternatives(word));
            }
        }
    }
    all
}

/// Expands alternatives: `a/{b,c}` is two paths.
fn alternatives(word: &str) -> Vec<String> {
    let Some((head, (list, tail))) =
        word.split_once('{').and_then(|(h, rest)| Some((h, rest.split_once('}')?)))
    else {
        return vec![word.to_owned()];
    };
    list.split(',').flat_map(|one| alternatives(&format!("{head}{one}{tail}"))).collect()
}

#[test]
fn every_path_in_a_document_is_there() {
    let mut bad = Vec::new();
    let all: Vec<String> =
        tree().iter().map(|name| format!("/{}", name.trim_end_matches('/'))).collect();
    let (mut n, is_there) = (0, |path: &str| {
        let path = path.trim_end_matches('/').trim_start_matches("../");
        let tail = format!("/{path}");
        let stem = format!("/{path}.rs");
        all.iter().any(|p| p.ends_with(&tail) || p.ends_with(&stem))
    });
    for (name, text) in files(".md") {
        // The change log may name files that are gone.
        if name == "CHANGELOG.md" {
            continue;
        }
        for path in paths(&text) {
            n += 1;
            // A build makes some files later; `<sys/sdt.h>` is the header's installed path.
            let made = ["build/", "target/", "sys/"].iter().any(|p| path.starts_with(p));
            if !made && !is_there(&path) {
                bad.push(format!("{name}: there is no {path}"));
            }
        }
    }
    assert!(n > 100, "only {n} paths found: documents were not understood");
    none(bad);
}
