// SPDX-License-Identifier: GPL-2.0
//! The D libraries: the built-in ones, and those in directories of `-L`.
//!
//! They use the types that the running kernel describes, so one version of each serves all kernels.

use crate::error::{reason, Error};
use d::library::{Libraries, Library};

macro_rules! built_in {
    ($($file:literal),* $(,)?) => {
        &[$(($file, include_str!(concat!("../../lib/", $file)))),*]
    };
}

/// The libraries that every program may use.
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

/// Declares a build setting of the kernel that its types do not contain: the number of jiffies in a
/// second. Its coarse clocks advance by one jiffy at a time.
fn kernel() -> String {
    let tick = crate::sys::tick_ns();
    format!("inline uint32_t __hz = {};\n", 1_000_000_000 / tick.max(1))
}

/// Returns all libraries: those of the directories first, then the built-in ones if
/// `with_built_in`.
pub fn all(directories: &[String], with_built_in: bool) -> Result<Libraries, Error> {
    let mut list = Vec::new();
    for directory in directories {
        let fail = |path: &str, e: std::io::Error| {
            Error::new(format!("failed to read D libraries of {path}"), reason(&e))
        };
        let mut paths = named::list(directory).map_err(|e| fail(directory, e))?;
        paths.retain(|path| path.extension().is_some_and(|e| e == "d"));
        paths.sort();
        for path in paths {
            let shown = path.display().to_string();
            let bytes = named::read(&path).map_err(|e| fail(&shown, e))?;
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
