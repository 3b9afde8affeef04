// SPDX-License-Identifier: GPL-2.0
//! The ready tools: D scripts in `tools-d/`, each with a header that gives its purpose, its
//! options, its cost and an example. Usage, `--tools` and the manual pages come from that header
//! alone.
#![forbid(unsafe_code)]
#![warn(clippy::too_many_lines)]
// They panic if the stream is closed or its disk is full.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]
#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod header;
pub mod page;
pub mod words;

pub use header::Tool;
pub use words::{Asked, Run};

/// All scripts of the command: name and text, sorted by name.
pub const SCRIPTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/list.rs"));

/// Returns the script of that name.
pub fn script(name: &str) -> Option<&'static str> {
    SCRIPTS.iter().find(|(n, _)| *n == name).map(|(_, text)| *text)
}

/// Lists all tools, one on each line.
pub fn list() -> String {
    let line = |(name, text): &(&str, &str)| {
        let title = header::parse(text).map_or_else(|why| why, |tool| tool.title);
        format!("{name:<15} {title}\n")
    };
    SCRIPTS.iter().map(line).collect()
}
