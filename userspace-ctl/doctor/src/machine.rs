// SPDX-License-Identifier: GPL-2.0
//! The machine to examine: files below a root, and programs there.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A machine, or a folder that looks like one.
#[derive(Debug, Clone)]
pub struct Machine {
    root: PathBuf,
    /// The version of the running command.
    pub command: String,
    /// The architecture: `x86_64`.
    pub architecture: String,
}

impl Machine {
    /// Returns this machine.
    pub fn here(command: &str) -> Self {
        Self::at("/", command)
    }

    /// Returns a machine whose files are in a folder.
    pub fn at(root: impl Into<PathBuf>, command: &str) -> Self {
        let architecture = std::env::consts::ARCH.into();
        Self { root: root.into(), command: command.into(), architecture }
    }

    pub(crate) fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.root.join(path)
    }

    pub(crate) fn has(&self, path: impl AsRef<Path>) -> bool {
        self.path(path).exists()
    }

    /// Returns a file's text without surrounding blanks; `None` if the file is missing or
    /// unreadable.
    pub(crate) fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let bytes = std::fs::read(self.path(path)).ok()?;
        Some(String::from_utf8_lossy(&bytes).trim().to_string())
    }

    /// Returns the machine's name.
    pub fn host(&self) -> String {
        self.text("proc/sys/kernel/hostname").unwrap_or_default()
    }

    /// Returns the release of the running kernel.
    pub fn release(&self) -> String {
        self.text("proc/sys/kernel/osrelease").unwrap_or_default()
    }

    /// Returns the number of CPUs that are online; 0 if unknown.
    pub fn cpus(&self) -> u64 {
        count(&self.text("sys/devices/system/cpu/online").unwrap_or_default())
    }

    /// Returns the first line that a program of the distribution prints for `--version`. DKMS uses
    /// these programs, not those in a user's home.
    pub(crate) fn version_of(&self, program: &str) -> Option<String> {
        self.first_line(&format!("usr/bin/{program}"), &["--version"])
    }

    /// Returns the name of the key that signed a module, which is empty for an unsigned one; `None`
    /// if modinfo is missing or cannot read the file.
    pub(crate) fn signer(&self, module: &Path) -> Option<String> {
        let module = module.to_str()?;
        let mut places = ["usr/sbin/modinfo", "sbin/modinfo"].into_iter();
        places.find_map(|modinfo| self.first_line(modinfo, &["-F", "signer", module]))
    }

    /// Returns the first line that a program prints, without surrounding blanks; `None` if it is
    /// missing or fails.
    fn first_line(&self, program: &str, args: &[&str]) -> Option<String> {
        let output = Command::new(self.path(program)).args(args).output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        output.status.success().then(|| text.lines().next().unwrap_or_default().trim().to_string())
    }
}

/// Counts the CPUs in a list such as `0-3,7`.
fn count(list: &str) -> u64 {
    let one = |range: &str| {
        let mut ends = range.split('-').map(|n| n.trim().parse::<u64>().ok());
        match (ends.next().flatten(), ends.next().flatten()) {
            (Some(first), Some(last)) => last.saturating_sub(first).saturating_add(1),
            (Some(_), None) => 1,
            _ => 0,
        }
    };
    list.split(',').map(one).sum()
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn lists_of_cpus() {
        assert_eq!([count("0"), count("0-3,7"), count("0-255"), count("")], [1, 5, 256, 0]);
    }
}
