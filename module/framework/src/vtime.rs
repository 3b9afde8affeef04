// SPDX-License-Identifier: GPL-2.0
//! Starts and ends the account behind `vtimestamp`; see [`fire::vtime`].

use crate::{Error, Result};
use core::sync::atomic::AtomicU64;
use fire::vtime::{on_switch, Clock, Turn, CLOCK};
use fire::words::Words;
use kapi::publish::Replace;
use kapi::{mem, percpu, threads};
use kernel::error::code;

/// Makes the table of threads. It is for all consumers, so none of them is charged.
fn table() -> Result<Words> {
    let size = Clock::words(threads::most());
    let mut words = mem::exact(size)?;
    while words.push_within_capacity(AtomicU64::new(0)).is_ok() {}
    Ok(Words::new(words))
}

/// Starts the account.
///
/// # Context
/// *process*; the account must not exist yet.
pub(crate) fn start() -> Result {
    let turns = percpu::new(|_| Ok(Turn::default()))?;
    let clock = Clock::new(turns, table()?);
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
