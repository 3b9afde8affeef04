// SPDX-License-Identifier: GPL-2.0
//! The requirements for building the module for the running kernel: headers and Rust metadata, or
//! the sources to make these from.

use crate::kernel::{config, option_text};
use crate::module::Found;
use crate::{Check, Machine, State};

/// The folder of the kernel trees that dtrace-rs-dkms prepares.
const TREES: &str = "var/lib/dtrace-rs/kernels";

pub(crate) fn checks(machine: &Machine, module: &Found) -> Vec<Check> {
    let release = machine.release();
    let mut checks = vec![headers(machine, &release)];
    let metadata = metadata(machine, &release);
    let is_there = metadata.state == State::Ok;
    checks.push(metadata);
    checks.extend(compiler(machine, "rustc", "RUSTC_VERSION_TEXT"));
    checks.extend(compiler(machine, "bindgen", "BINDGEN_VERSION_TEXT").filter(|_| !is_there));
    // An existing module needs no build now: missing tools matter only for the next kernel.
    if module.is_loaded || module.file.is_some() {
        for check in checks.iter_mut().filter(|c| c.state == State::Fail) {
            check.state = State::Warn;
            check.found += " (needed to build the module again)";
        }
    }
    checks
}

fn headers(machine: &Machine, release: &str) -> Check {
    let subject = "headers";
    match machine.has(format!("lib/modules/{release}/build/Makefile")) {
        true => Check::ok(subject, format!("/lib/modules/{release}/build")),
        false => Check::fail(
            subject,
            format!("not installed for {release}"),
            format!("apt install linux-headers-{release}"),
        ),
    }
}

fn metadata(machine: &Machine, release: &str) -> Check {
    let subject = "rust metadata";
    let of = |tree: &str| machine.has(format!("{tree}/rust/libkernel.rmeta"));
    let trees = [format!("lib/modules/{release}/build"), format!("{TREES}/{release}")];
    if let Some(tree) = trees.iter().find(|t| of(t)) {
        return Check::ok(subject, format!("/{tree}/rust"));
    }
    let mut numbers = release.split(['.', '-', '+']);
    let version =
        format!("{}.{}", numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default());
    let source = format!("usr/src/linux-source-{version}.tar.xz");
    match machine.has(&source) {
        true => Check::ok(subject, format!("not there yet; DKMS makes it from /{source}")),
        false => Check::fail(
            subject,
            "missing, and so is the kernel's source that it is made from",
            format!("apt install linux-source-{version}"),
        ),
    }
}

/// Compares a compiler with the one that built the kernel.
fn compiler(machine: &Machine, program: &'static str, option: &str) -> Option<Check> {
    let config = config(machine).unwrap_or_default();
    let wanted = option_text(&config, option).filter(|w| !w.is_empty());
    let Some(found) = machine.version_of(program) else {
        return Some(Check::fail(program, "not installed", format!("apt install {program}")));
    };
    Some(match wanted {
        // The names of Rust symbols depend on the compiler's exact version.
        Some(wanted) if program == "rustc" && wanted != found => Check::fail(
            program,
            format!("'{found}', but the kernel was built by '{wanted}'"),
            "install the distribution's rustc of that version: symbols of other versions do not fit",
        ),
        Some(wanted) if wanted != found => {
            Check::warn(program, format!("'{found}', the kernel was built with '{wanted}'"), "if building fails, install that version")
        }
        Some(_) => Check::ok(program, format!("{found}, as the kernel")),
        None => Check::ok(program, found),
    })
}
