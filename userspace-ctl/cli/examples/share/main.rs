// SPDX-License-Identifier: GPL-2.0
//! Writes the files that are installed beside the command into a folder: shell completions, from
//! the command's own description of its options, and manual pages, from the Markdown of `docs/` and
//! of the providers, and from the headers of the ready tools.
//!
//! `cargo run -p dtrace --example share -- FOLDER`, in the checkout.

#[allow(dead_code, reason = "only the description of the options is used")]
#[path = "../../src/args.rs"]
mod args;
mod roff;

use clap_complete::{generate_to, Shell};
use std::path::Path;

/// Page, section, title, source.
const PAGES: &[(&str, &str, &str, &str)] = &[
    ("dtrace", "8", "dynamic tracing for Linux", "docs/dtrace.md"),
    ("dtrace_options", "5", "options of dtrace and of D programs", "docs/options.md"),
    ("dtrace_d", "7", "the D language in brief", "docs/d-in-brief.md"),
    ("dtrace_tools", "7", "the ready tools of dtrace", "docs/tools.md"),
    ("dtrace_pictures", "7", "pages and pictures of recorded streams", "docs/pictures.md"),
    ("dtrace_json", "5", "output of dtrace for programs", "docs/json.md"),
    ("dtrace_fbt", "4", "DTrace provider of kernel functions", "fbt/README.md"),
    (
        "dtrace_pid",
        "4",
        "DTrace provider of programs' functions and instructions",
        "fasttrap/README.md",
    ),
    ("dtrace_profile", "4", "DTrace provider of timed probes", "profile/README.md"),
    ("dtrace_sdt", "4", "DTrace provider of drivers' own probes", "sdt/README.md"),
    (
        "dtrace_stable",
        "4",
        "DTrace providers of processes, threads, disks, the network, and tracepoints",
        "stable/README.md",
    ),
    ("dtrace_syscall", "4", "DTrace provider of system calls", "syscall/README.md"),
    ("dtrace_usdt", "4", "DTrace providers of programs' own probes", "docs/usdt.md"),
];

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "share".into());
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        generate_to(shell, &mut args::command(), "dtrace", folder)?;
    }
    let mut pages: Vec<(String, &str, String, String)> = Vec::new();
    for (name, section, title, source) in PAGES {
        let text = std::fs::read_to_string(source)?;
        pages.push((name.to_string(), section, title.to_string(), text));
    }
    for (name, text) in toolbox::SCRIPTS {
        let tool = toolbox::header::parse(text).map_err(std::io::Error::other)?;
        pages.push((name.to_string(), "8", tool.title.clone(), tool.markdown()));
    }
    let others: Vec<String> = PAGES.iter().map(|p| format!("{}({})", p.0, p.1)).collect();
    for (name, section, title, text) in &pages {
        let page = roff::Page { name, section, title, others: &others };
        let text = page.roff(text);
        std::fs::write(folder.join(format!("{name}.{section}")), text)?;
    }
    Ok(())
}
