// SPDX-License-Identifier: GPL-2.0
//! `--doctor`: tells whether this machine can trace, and what is missing.

use crate::args::Args;
use crate::mode;
use crate::settings::Settings;
use crate::Stop;
use consumer::print::json::Line;
use consumer::Failure;
use doctor::{Check, Machine, State};
use std::io::Write;

/// Prints the results; returns 1 if a check fails.
pub fn run(args: &Args, settings: Settings) -> Result<i32, Stop> {
    let checks = doctor::examine(&Machine::here(env!("CARGO_PKG_VERSION")));
    if settings.is_json() {
        let lines: Vec<Line<'_>> = checks.iter().map(line).collect();
        mode::tell(args, &settings, &lines)?;
    } else {
        let mut out = std::io::stdout();
        match out.write_all(doctor::text(&checks).as_bytes()).map_err(Failure::from) {
            // Without a reader, the status still tells the result.
            Err(Failure::OutputClosed) => {}
            written => written?,
        }
    }
    Ok(i32::from(doctor::verdict(&checks) == State::Fail))
}

fn line(check: &Check) -> Line<'_> {
    Line::Check {
        subject: check.subject,
        state: check.state.word(),
        found: &check.found,
        remedy: check.remedy.as_deref(),
    }
}
