// SPDX-License-Identifier: GPL-2.0
//! `dtrace --doctor`: tells whether this machine can trace, and what to do about each missing
//! thing.
//!
//! It reads files below a root and asks compilers for their versions, so that tests can examine
//! made-up machines. It needs no module and no privilege; it reports what it may not read.
#![forbid(unsafe_code)]
#![warn(clippy::too_many_lines)]
// They panic if the stream is closed or its disk is full.
#![cfg_attr(not(test), deny(clippy::print_stderr, clippy::print_stdout))]
#![deny(missing_docs)]
#![deny(clippy::unwrap_used, clippy::expect_used)]

mod access;
mod kernel;
mod load;
mod machine;
mod module;
mod toolchain;

pub use machine::Machine;
pub use module::{mismatch, RELOAD};

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Nothing to do.
    Ok,
    /// Tracing works, but not all of it, or not for long.
    Warn,
    /// Tracing does not work before this is repaired.
    Fail,
}

impl State {
    /// Returns the word that is printed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// The findings on one subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// The subject; the word stays the same in every version, for scripts.
    pub subject: &'static str,
    /// The result.
    pub state: State,
    /// The version, file or setting that the check found.
    pub found: String,
    /// What to do, unless the state is ok.
    pub remedy: Option<String>,
}

impl Check {
    fn ok(subject: &'static str, found: impl Into<String>) -> Self {
        Self { subject, state: State::Ok, found: found.into(), remedy: None }
    }

    fn warn(subject: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: State::Warn, remedy: Some(remedy.into()), ..Self::ok(subject, found) }
    }

    fn fail(subject: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { state: State::Fail, remedy: Some(remedy.into()), ..Self::ok(subject, found) }
    }
}

/// Makes all checks, the most basic ones first.
pub fn examine(machine: &Machine) -> Vec<Check> {
    let module = module::Found::of(machine);
    let mut checks = kernel::checks(machine, &module);
    checks.extend(module.checks(machine));
    checks.extend(access::checks(machine, &module));
    checks.extend(toolchain::checks(machine, &module));
    checks.extend(load::checks(machine));
    checks
}

/// Returns the reason why this kernel cannot be traced or will refuse the module, and what to do about it; `None` if no
/// reason is known.
pub fn refusal(machine: &Machine) -> Option<(String, String)> {
    let checks = kernel::checks(machine, &module::Found::of(machine));
    let worst = checks.into_iter().find(|c| c.state == State::Fail)?;
    Some((format!("{} {}", worst.subject, worst.found), worst.remedy?))
}

/// Returns the worst state.
pub fn verdict(checks: &[Check]) -> State {
    let has = |state| checks.iter().any(|c| c.state == state);
    match (has(State::Fail), has(State::Warn)) {
        (true, _) => State::Fail,
        (_, true) => State::Warn,
        _ => State::Ok,
    }
}

/// Returns the checks as lines of text, and a sentence that sums them up.
pub fn text(checks: &[Check]) -> String {
    let mut out = String::new();
    for Check { subject, state, found, remedy } in checks {
        out += &format!("{:<4}  {subject:<14} {found}\n", state.word());
        if let Some(remedy) = remedy {
            out += &format!("{:22}=> {remedy}\n", "");
        }
    }
    out += match verdict(checks) {
        State::Ok => "This machine can trace.\n",
        State::Warn => "This machine can trace, within the limits above.\n",
        State::Fail => "This machine cannot trace yet: see the lines that begin with fail.\n",
    };
    out
}
