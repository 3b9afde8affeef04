// SPDX-License-Identifier: GPL-2.0
//! Starts and ends the account behind `vtimestamp`; see [`fire::vtime`].

use crate::{Error, Result};
use fire::vtime::{on_switch, Clock, Turn, CLOCK};
use fire::words::Words;
use kapi::publish::Replace;
use kapi::{mem, percpu, threads};
use kernel::error::code;

/// Starts the account.
///
/// # Context
/// *process*; the account must not exist yet.
pub(crate) fn start() -> Result {
    let turns = percpu::new(|_| Ok(Turn::default()))?;
    let clock = Clock::new(turns, Words::new(mem::zeroed_atomics(Clock::WORDS)?));
    drop(CLOCK.swap(Some(mem::boxed(clock)?)));
    threads::watch_switches(on_switch).map_err(|e| {
        drop(CLOCK.swap(None));
        match e {
            code::ENODEV => Error::NoSuch("tracepoint as sched_switch, which vtimestamp needs"),
            e => e.into(),
        }
    })
}

/// Ends the account.
///
/// # Context
/// *process*.
pub(crate) fn stop() {
    threads::unwatch_switches();
    drop(CLOCK.swap(None));
}
