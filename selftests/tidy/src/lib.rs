// SPDX-License-Identifier: GPL-2.0
//! Tests of style and structure, which spare reviewers the search.
#![forbid(unsafe_code)]
#![cfg(test)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock, PoisonError};

mod helpers;
mod structure;

/// The crate roots that may contain unsafe code; all others must forbid it.
const UNSAFE_ROOTS: &[&str] = &[
    "rust/kapi/src/lib.rs",
    "rust/kalloc/src/lib.rs",
    // It denies unsafe code, except in sys.rs.
    "userspace-ctl/consumer/src/lib.rs",
];

/// Other places where unsafe code may be: sys.rs, and code that is built into drivers.
const UNSAFE_FILES: &[&str] = &[
    "rust/kapi/",
    "rust/kalloc/",
    "userspace-ctl/consumer/src/sys.rs",
    "sdt/rust/",
    "selftests/drivers/",
];

/// Headers that programs of any licence include.
const FOR_ALL: &[&str] = &["userspace-ctl/include/sys/sdt.h"];

const LONG: usize = 900;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns the text of a file of the checkout.
fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// Returns everything in the tree by its path from the top: files, and folders with a final slash.
/// It searches only once.
fn tree() -> &'static [String] {
    static TREE: OnceLock<Vec<String>> = OnceLock::new();
    TREE.get_or_init(|| {
        let mut found = Vec::new();
        let mut todo = vec![String::new()];
        while let Some(dir) = todo.pop() {
            for entry in fs::read_dir(top().join(&dir)).unwrap() {
                let entry = entry.unwrap();
                let name = format!("{dir}{}", entry.file_name().to_string_lossy());
                if !entry.file_type().unwrap().is_dir() {
                    found.push(name);
                } else if ![".git", "build", "target"].contains(&name.as_str()) {
                    found.push(format!("{name}/"));
                    todo.push(format!("{name}/"));
                }
            }
        }
        found.sort();
        found
    })
}

/// Returns all our files with this ending, by their path from the top, with contents. It reads them
/// only once.
fn files(ending: &str) -> Vec<(String, String)> {
    static READ: Mutex<BTreeMap<String, Vec<(String, String)>>> = Mutex::new(BTreeMap::new());
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    let found = read.entry(ending.into()).or_insert_with(|| {
        let ours = tree().iter().filter(|name| name.ends_with(ending) && is_ours(name));
        let plain = ours.filter(|name| !top().join(name).is_symlink());
        let text = |name: &String| fs::read_to_string(top().join(name)).unwrap_or_default();
        plain.map(|name| (name.clone(), text(name))).collect()
    });
    assert!(!found.is_empty(), "no {ending} files found");
    found.clone()
}

/// Tells whether a file is neither foreign nor generated.
fn is_ours(name: &str) -> bool {
    let hidden = |part: &str| part.starts_with('.') && part != ".ci";
    let foreign = |part: &str| hidden(part) || ["target", "corpus"].contains(&part);
    let (folder, last) = name.rsplit_once('/').unwrap_or(("", name));
    !name.starts_with("rust/vendor/") && !folder.split('/').any(foreign) && !hidden(last)
}

/// Fails with all complaints at once, if there are any.
fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn every_source_opens_with_its_licence_and_idea() {
    let mut bad = Vec::new();
    for (name, text) in files(".rs") {
        let mut lines = text.lines();
        if lines.next() != Some("// SPDX-License-Identifier: GPL-2.0") {
            bad.push(format!("{name}: the first line is not the licence"));
        }
        // The root of a test or a build script may begin with attributes.
        if !lines.take(3).any(|l| l.starts_with("//!")) {
            bad.push(format!("{name}: no //! behind the licence that says what the file is"));
        }
    }
    for ending in [".c", ".h", ".S", ".sh"] {
        for (name, text) in files(ending) {
            let licence = if FOR_ALL.contains(&name.as_str()) { "CC0-1.0" } else { "GPL-2.0" };
            let line = format!("SPDX-License-Identifier: {licence}");
            if !text.lines().take(2).any(|l| l.contains(&line)) {
                bad.push(format!("{name}: no {licence} in the first two lines"));
            }
        }
    }
    none(bad);
}

#[test]
fn unsafe_has_an_address() {
    let mut bad = Vec::new();
    for (name, text) in files(".rs") {
        let is_root = name.ends_with("src/lib.rs")
            || name.ends_with("src/main.rs")
            || name == "module/main.rs";
        if is_root
            && !UNSAFE_ROOTS.contains(&name.as_str())
            && !text.contains("#![forbid(unsafe_code)]")
        {
            bad.push(format!("{name}: a crate root without #![forbid(unsafe_code)]"));
        }
        if UNSAFE_FILES.iter().any(|f| name.starts_with(f)) {
            continue;
        }
        for (n, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern"]
                .iter()
                .any(|u| code.contains(u))
                && !code.contains('"')
            {
                bad.push(format!("{name}:{}: unsafe outside of its address", n + 1));
            }
        }
    }
    none(bad);
}

#[test]
fn files_are_of_a_size_one_reads() {
    let long = |(name, text): (String, String)| {
        let n = text.lines().count();
        (n > LONG).then(|| format!("{name}: {n} lines, at most {LONG}"))
    };
    none(files(".rs").into_iter().filter_map(long).collect());
}

#[test]
fn nothing_is_left_open() {
    let mut bad = Vec::new();
    for (name, text) in files(".rs") {
        if name.starts_with("selftests/tidy/") {
            continue;
        }
        for (n, line) in text.lines().enumerate() {
            for word in ["todo!(", "unimplemented!(", "FIXME", "XXX", "dbg!("] {
                if line.contains(word) {
                    bad.push(format!("{name}:{}: {word}", n + 1));
                }
            }
        }
    }
    none(bad);
}

#[test]
fn every_page_has_one_title() {
    let mut bad = Vec::new();
    for (name, text) in files(".md") {
        let mut in_block = false;
        let mut titles = 0;
        for line in text.lines() {
            in_block ^= line.trim_start().starts_with("```");
            titles += usize::from(!in_block && line.starts_with("# "));
        }
        if titles != 1 {
            bad.push(format!("{name}: {titles} titles"));
        }
    }
    none(bad);
}

fn script(path: &str) {
    let out = Command::new(top().join(path)).current_dir(top()).output().unwrap();
    assert!(
        out.status.success(),
        "{path}:\n{}{}",
        String::from_utf8_lossy(&out.stdout),
        String::from_utf8_lossy(&out.stderr)
    );
}

#[test]
fn the_ledger_of_unsafe_is_true() {
    script("rust/kapi/ledger");
}

/// The fuzz targets are a workspace of their own, which nothing else builds: without this test, a
/// changed dependency would show when somebody wants to fuzz.
#[test]
fn fuzz_targets_are_locked_to_our_crates() {
    let lock = read("dif/fuzz/Cargo.lock");
    for (name, manifest) in [("abi", "rust/abi/Cargo.toml"), ("dif", "dif/Cargo.toml")] {
        let package =
            lock.split("[[package]]").find(|p| p.contains(&format!("\nname = \"{name}\"\n")));
        let package = package.unwrap_or_else(|| panic!("dif/fuzz/Cargo.lock has no {name}"));
        let list = package.split("dependencies = [").nth(1).unwrap_or_default();
        let locked: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        let manifest = read(manifest);
        let section = manifest.split("[dependencies]\n").nth(1).unwrap_or_default();
        let section = section.split("\n[").next().unwrap_or_default();
        let mut needed: Vec<&str> = section
            .lines()
            .filter_map(|l| l.split(['.', ' ']).next())
            .filter(|n| !n.is_empty())
            .collect();
        needed.sort_unstable();
        assert!(!needed.is_empty(), "{name} needs no crate?");
        assert_eq!(locked, needed, "{name}: run `cargo update --workspace` in dif/fuzz");
    }
}

#[test]
fn vendored_sources_are_as_published() {
    script("rust/vendor/verify");
}
