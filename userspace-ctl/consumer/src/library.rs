// SPDX-License-Identifier: GPL-2.0
//! The D libraries: those that are part of the command, and those in directories of `-L`.
//!
//! They are written against the kernel's types as the running kernel tells them, so there is one of
//! each for all kernels.

use crate::error::{reason, Error};
use d::library::{Libraries, Library};

macro_rules! built_in {
    ($($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!("../../lib/", $file)))),*]
    };
}

/// What every program may use.
const BUILT_IN: &[(&str, &str)] = built_in![
    "counters.d",
    "errno.d",
    "io.d",
    "lockstat.d",
    "net.d",
    "procfs.d",
    "sched.d",
    "signal.d",
    "unistd.d",
];

/// What the kernel was built with and does not tell in its types: how many jiffies a second has. Its coarse clocks
/// advance by one of them.
fn kernel() -> String {
    let tick = crate::sys::tick_ns();
    format!("inline uint32_t __hz = {};\n", 1_000_000_000 / tick.max(1))
}

/// All libraries; what a directory has comes before what is built in, if that is wanted.
pub fn all(directories: &[String], with_built_in: bool) -> Result<Libraries, Error> {
    let mut list = Vec::new();
    for directory in directories {
        let fail = |path: &str, e: std::io::Error| {
            Error::new(format!("failed to read D libraries of {path}"), reason(&e))
        };
        let entries = std::fs::read_dir(directory).map_err(|e| fail(directory, e))?;
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|e| e == "d"));
        paths.sort();
        for path in paths {
            let shown = path.display().to_string();
            let bytes = std::fs::read(&path).map_err(|e| fail(&shown, e))?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            list.push(Library { name: shown.into(), text: text.into() });
        }
    }
    let own =
        BUILT_IN.iter().map(|(name, text)| Library { name: (*name).into(), text: (*text).into() });
    list.extend(own.filter(|_| with_built_in));
    if with_built_in {
        list.push(Library { name: "kernel.d".into(), text: kernel().into() });
    }
    Ok(Libraries::new(list))
}
