// SPDX-License-Identifier: GPL-2.0
//! The names of providers in processes, and the processes that they mean.

use abi::probe::{is_glob, ProbeDesc};
use libproc::process;
use std::path::Path;

/// The provider of probes at functions and instructions.
pub(super) const PID: &str = "pid";
/// Returns the number in `pid123`; an error if it should be a number but is not valid.
pub(super) fn pid_of(provider: &str) -> Option<Result<u32, ()>> {
    let digits = provider.strip_prefix(PID)?;
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().ok().filter(|n| *n > 0).ok_or(()))
}

/// Tells whether a glob names a provider; `*` only means existing providers.
pub(super) fn is_named(provider: &str) -> bool {
    provider.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
}

/// Returns the processes whose own providers a description may mean: `python1234` means one
/// process, `python*` any.
pub(super) fn those_with(provider: &str) -> Vec<u32> {
    if is_glob(provider.as_bytes()) {
        return if is_named(provider) { process::all() } else { Vec::new() };
    }
    let pids = split(provider).map(|(_, pid)| pid);
    pids.filter(|pid| Path::new(&format!("/proc/{pid}/maps")).exists()).collect()
}

/// Splits a provider into name and process number: `qemu2123` is `qemu` and 2123, or `qemu2` and
/// 123, and so on.
pub(super) fn split(provider: &str) -> impl Iterator<Item = (&str, u32)> {
    let name = provider.trim_end_matches(|c: char| c.is_ascii_digit());
    let starts = (name.len()..provider.len()).filter(|at| *at > 0);
    starts.filter_map(|at| {
        let (name, digits) = provider.split_at(at);
        Some((name, digits.parse().ok()?))
    })
}

/// Returns a pattern for all probes of a process.
pub fn of_process(pid: u32) -> Option<ProbeDesc> {
    ProbeDesc::new(format!("*[!0-9]{pid}").as_bytes(), b"", b"", b"")
}

/// Tells whether a name is short for a library: `libc` for `libc.so.6`.
pub(super) fn is_short(module: &str) -> bool {
    module.starts_with("lib") && !module.contains('.')
}

/// Returns a pattern that matches only the probes of an object, whose name they have without odd
/// characters.
pub(super) fn literal(name: &str) -> String {
    let special = |c: char| matches!(c, '*' | '?' | '[' | '\\');
    plaintext::clean(name)
        .chars()
        .flat_map(|c| special(c).then_some('\\').into_iter().chain([c]))
        .collect()
}
