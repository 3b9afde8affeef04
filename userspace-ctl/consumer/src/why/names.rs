// SPDX-License-Identifier: GPL-2.0
//! The names of all functions, to find similar ones: from BTF, which is one read of memory, or from
//! /proc/kallsyms if the kernel has no BTF.

use super::KERNEL;
use crate::symbol::own_name;
use btf::Btf;
use std::path::Path;
use std::sync::Arc;

/// Names in one piece of memory, with their modules.
#[derive(Debug, Default)]
pub struct Names {
    text: String,
    /// The end of each name; it begins where the previous one ends.
    ends: Vec<usize>,
    /// Modules, each with the number of its first name.
    modules: Vec<(usize, String)>,
}

impl Names {
    /// Reads `sys/kernel/btf` below a root.
    pub fn read(root: &Path) -> Self {
        let mut names = Self::default();
        let folder = root.join("sys/kernel/btf");
        let read = |name: &str| std::fs::read(folder.join(name)).ok();
        let base = read(KERNEL).and_then(|bytes| Btf::read(bytes).ok()).map(Arc::new);
        if let Some(base) = base {
            names.add(KERNEL, base.functions());
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let module = entry.file_name().to_string_lossy().into_owned();
                let split = read(&module).filter(|_| module != KERNEL);
                let split = split.and_then(|bytes| Btf::read_split(bytes, base.clone()).ok());
                if let Some(split) = split {
                    names.add(&module, split.functions());
                }
            }
        }
        if names.ends.is_empty() {
            let symbols = std::fs::read(root.join("proc/kallsyms")).unwrap_or_default();
            names.kallsyms(&String::from_utf8_lossy(&symbols));
        }
        names
    }

    fn push(&mut self, name: &str) {
        if !name.is_empty() {
            self.text.push_str(name);
            self.ends.push(self.text.len());
        }
    }

    /// Returns all names.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().map(move |&end| {
            let name = self.text.get(start..end).unwrap_or("");
            start = end;
            name
        })
    }

    /// Returns the first module that has exactly this name.
    pub fn module_of(&self, name: &str) -> Option<&str> {
        let at = self.iter().position(|n| n == name)?;
        let module = self.modules.iter().rev().find(|(first, _)| *first <= at);
        module.map(|(_, module)| module.as_str())
    }

    fn add<'a>(&mut self, module: &str, functions: impl Iterator<Item = &'a str>) {
        self.modules.push((self.ends.len(), module.into()));
        functions.for_each(|name| self.push(name));
    }

    fn kallsyms(&mut self, text: &str) {
        self.modules.push((0, KERNEL.into()));
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let (kind, name) = (words.nth(1), words.next());
            if let (Some("t" | "T" | "w" | "W"), Some(name)) = (kind, name) {
                let module = words.next().map_or(KERNEL, |m| m.trim_matches(['[', ']']));
                if self.modules.last().is_none_or(|(_, last)| last != module) {
                    self.modules.push((self.ends.len(), module.into()));
                }
                self.push(&name[..own_name(name.as_bytes()).len()]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_a_kernel_and_a_module() {
        let root = std::env::temp_dir().join(format!("dtrace-names-{}", std::process::id()));
        let folder = root.join("sys/kernel/btf");
        std::fs::create_dir_all(&folder).unwrap();
        let put = |name: &str, bytes: &[u8]| std::fs::write(folder.join(name), bytes).unwrap();
        let mut base = btf::builder::Builder::new();
        base.function("vfs_read", btf::VOID, &[]);
        base.function("vfs_write", btf::VOID, &[]);
        let mut split = base.split();
        split.function("ext4_readpage", btf::VOID, &[]);
        put("vmlinux", &base.finish());
        put("ext4", &split.finish());
        put("damaged", b"no BTF");
        let names = Names::read(&root);
        assert_eq!(names.iter().collect::<Vec<_>>(), ["vfs_read", "vfs_write", "ext4_readpage"]);
        assert_eq!(names.module_of("ext4_readpage"), Some("ext4"));
        assert_eq!(names.module_of("vfs_write"), Some("vmlinux"));
        assert_eq!(names.module_of("vfs"), None);
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn symbols_where_there_is_no_btf() {
        let mut names = Names::default();
        names.kallsyms("0 T vfs_read\n0 d data\n0 t helper\n0 t x_read\t[x]\n");
        assert_eq!(names.iter().collect::<Vec<_>>(), ["vfs_read", "helper", "x_read"]);
        assert_eq!(names.module_of("x_read"), Some("x"));
    }
}
