// SPDX-License-Identifier: GPL-2.0
//! The module: installed, loaded, and of the same version as the command.

use crate::{Check, Machine};
use std::path::Path;

/// The state of the module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// It is loaded.
    pub(crate) is_loaded: bool,
    /// Its file for the running kernel, relative to `/lib/modules/RELEASE`; `None` if not
    /// installed.
    pub(crate) file: Option<String>,
}

/// Returns a sentence about a loaded module whose version differs from the command's; `None` if
/// they match or no module is loaded.
pub fn mismatch(root: &Path, command: &str) -> Option<String> {
    let loaded = root.join("sys/module/dtrace");
    if !loaded.exists() {
        return None;
    }
    let version = std::fs::read_to_string(loaded.join("version"));
    let version = version.as_deref().map_or("unknown", str::trim);
    (version != command)
        .then(|| format!("the loaded module is of version {version}, this command of {command}"))
}

/// What to do about a mismatch.
pub const RELOAD: &str = "end all consumers, then load the module that belongs to this command: modprobe -r dtrace; modprobe dtrace";

impl Found {
    pub(crate) fn of(machine: &Machine) -> Self {
        let list = format!("lib/modules/{}/modules.dep", machine.release());
        let list = machine.text(list).unwrap_or_default();
        let mut paths = list.lines().filter_map(|line| line.split(':').next());
        let ours =
            |path: &&str| path.rsplit('/').next().is_some_and(|f| f.starts_with("dtrace.ko"));
        let file = paths.find(ours).map(str::to_string);
        Self { is_loaded: machine.has("sys/module/dtrace"), file }
    }

    pub(crate) fn checks(&self, machine: &Machine) -> Vec<Check> {
        let mut checks = vec![self.installed(machine)];
        if self.is_loaded {
            checks.push(match mismatch(&machine.path(""), &machine.command) {
                None => {
                    Check::ok("version", format!("module and command are both {}", machine.command))
                }
                Some(sentence) => Check::fail("version", sentence, RELOAD),
            });
        }
        checks
    }

    fn installed(&self, machine: &Machine) -> Check {
        let subject = "module";
        let release = machine.release();
        match (&self.file, self.is_loaded) {
            (Some(file), true) => Check::ok(subject, format!("loaded; installed as {file}")),
            (None, true) => Check::warn(
                subject,
                "loaded, but not installed: it is gone after the next boot",
                "install dtrace-rs-dkms, or `make install KERNEL=native`",
            ),
            (Some(file), false) => Check::fail(
                subject,
                format!("not loaded; installed as {file}"),
                "modprobe dtrace; at each boot: echo dtrace > /etc/modules-load.d/dtrace.conf",
            ),
            (None, false) if machine.has("var/lib/dkms/dtrace-rs") => Check::fail(
                subject,
                format!("not built for {release}"),
                format!("dkms autoinstall -k {release}; the lines about building say what is missing for it"),
            ),
            (None, false) => Check::fail(
                subject,
                format!("not installed for {release}"),
                format!("apt install dtrace-rs-dkms (or the prebuilt dtrace-rs-module-{})", release.replace('_', "-")),
            ),
        }
    }
}
