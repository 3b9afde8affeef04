// SPDX-License-Identifier: GPL-2.0
//! Kernel modules: which are loaded, installed or built into the kernel, and which installed module
//! has a function.

use super::ko;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The time limit of all searches in files together.
const PATIENCE: Duration = Duration::from_secs(1);

/// The modules of a machine.
#[derive(Debug)]
pub struct Modules {
    loaded: BTreeSet<String>,
    builtin: BTreeSet<String>,
    installed: Vec<Installed>,
    /// `lib/modules/RELEASE`.
    folder: PathBuf,
    patience: Cell<Duration>,
}

/// An installed module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installed {
    /// The kernel's name for it, with `_`.
    pub name: String,
    path: PathBuf,
}

/// The result of a search in files.
#[derive(Debug, PartialEq, Eq)]
pub enum Search {
    /// This module has the function.
    Found(String),
    /// No searched module has it.
    Nowhere,
    /// The time was over after this many modules, of that many.
    Ended(usize, usize),
}

/// Returns the module of a path: nf_tables for `kernel/fs/nf-tables.ko.xz`.
fn name_of(path: &str) -> Option<String> {
    let file = path.rsplit('/').next()?;
    Some(canonical(file.split_once(".ko")?.0))
}

/// Returns the kernel's name of a module: files may be written with -, the kernel uses _.
pub fn canonical(name: &str) -> String {
    name.replace('-', "_")
}

impl Modules {
    /// Reads `proc/modules` and the lists of `lib/modules` below a root.
    pub fn read(root: &Path) -> Self {
        let text = |path: PathBuf| std::fs::read_to_string(path).unwrap_or_default();
        let release = text(root.join("proc/sys/kernel/osrelease"));
        let folder = root.join("lib/modules").join(release.trim());
        let loaded = text(root.join("proc/modules"));
        let builtin = text(folder.join("modules.builtin"));
        let dependencies = text(folder.join("modules.dep"));
        let first = |line: &str| line.split_whitespace().next().map(str::to_string);
        let installed = dependencies.lines().filter_map(|line| {
            let path = line.split_once(':')?.0;
            Some(Installed { name: name_of(path)?, path: folder.join(path) })
        });
        Self {
            loaded: loaded.lines().filter_map(first).collect(),
            builtin: builtin.lines().filter_map(name_of).collect(),
            installed: installed.collect(),
            folder,
            patience: Cell::new(PATIENCE),
        }
    }

    /// Tells whether a module is loaded; `name` is the kernel's name for it.
    pub fn is_loaded(&self, name: &str) -> bool {
        self.loaded.contains(name)
    }

    /// Tells whether a module is part of the kernel itself.
    pub fn is_builtin(&self, name: &str) -> bool {
        self.builtin.contains(name)
    }

    /// Tells whether a module is installed, loaded or not.
    pub fn is_installed(&self, name: &str) -> bool {
        self.installed.iter().any(|m| m.name == name)
    }

    /// Returns the names of all modules, loaded or not.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let installed = self.installed.iter().map(|m| m.name.as_str());
        self.loaded.iter().map(String::as_str).chain(installed)
    }

    fn not_loaded(&self) -> impl Iterator<Item = &Installed> {
        self.installed.iter().filter(|m| !self.loaded.contains(&m.name))
    }

    /// Returns the module that exports this function but is not loaded.
    pub fn exports(&self, function: &str) -> Option<String> {
        let text = std::fs::read_to_string(self.folder.join("modules.symbols")).ok()?;
        let wanted = format!("alias symbol:{function} ");
        let module = canonical(text.lines().find_map(|l| l.strip_prefix(&wanted))?.trim());
        (!self.is_loaded(&module)).then_some(module)
    }

    /// Returns the modules that are not loaded and whose name begins the function's name, longest
    /// first.
    pub fn suggested_by(&self, function: &str) -> Vec<&Installed> {
        let function = function.trim_start_matches('_');
        let is_prefix = |m: &&Installed| {
            let rest = function.strip_prefix(m.name.as_str());
            m.name.len() > 1 && rest.is_some_and(|r| r.starts_with('_'))
        };
        let mut found: Vec<_> = self.not_loaded().filter(is_prefix).collect();
        found.sort_by_key(|m| std::cmp::Reverse(m.name.len()));
        found
    }

    /// Searches the symbol tables of installed modules that are not loaded, likely ones first.
    /// `is_wide` searches all of them; otherwise only those whose name and the function's begin
    /// alike.
    pub fn search(&self, function: &str, is_wide: bool) -> Search {
        let start = Instant::now();
        let end = start + self.patience.get();
        let word = function.trim_start_matches('_').as_bytes();
        let likeness =
            |m: &Installed| word.iter().zip(m.name.as_bytes()).take_while(|(a, b)| a == b).count();
        let mut order: Vec<(usize, u64, &Installed)> = self
            .not_loaded()
            .map(|m| (likeness(m), m))
            .filter(|(like, _)| is_wide || *like >= 3)
            .map(|(like, m)| {
                let size = std::fs::metadata(&m.path).map_or(u64::MAX, |d| d.len());
                (usize::MAX - like, size, m)
            })
            .collect();
        order.sort_by_key(|o| (o.0, o.1));
        let mut answer = Search::Nowhere;
        for (searched, (_, _, module)) in order.iter().enumerate() {
            match ko::defines(&module.path, function, end) {
                Ok(true) => {
                    answer = Search::Found(module.name.clone());
                    break;
                }
                // A file that cannot be read cannot be loaded either.
                Ok(false) => {}
                Err(ko::TimeIsOver) => {
                    answer = Search::Ended(searched, order.len());
                    break;
                }
            }
        }
        self.patience.set(self.patience.get().saturating_sub(start.elapsed()));
        answer
    }
}
