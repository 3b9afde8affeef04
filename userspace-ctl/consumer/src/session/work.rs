// SPDX-License-Identifier: GPL-2.0
//! The time of tracing: waits, and does what is due.

use super::Session;
use crate::error::Failure;
use crate::kernel::Kernel;
use crate::wait::{Event, Waiter};
use abi::option::OptionId;

/// The longest silence towards the kernel, in ns, whatever the rates are. The kernel takes a
/// consumer for dead after half a minute of silence.
const SIGN_OF_LIFE: u64 = 5_000_000_000;

/// Tells whether a buffer has become half full since the last question.
fn is_pressing(kernel: &mut dyn Kernel) -> bool {
    kernel.status().is_ok_and(|s| s.pressing != 0)
}

impl Session<'_> {
    /// Consumes until the program, a signal or the end of the targets stops it.
    pub(super) fn work(&mut self, waiter: &mut dyn Waiter) -> Result<(), Failure> {
        let mut due = self.rates().map(|r| waiter.now().saturating_add(r));
        while !self.is_ending()? {
            let now = waiter.now();
            // A program may have changed the rates.
            for (at, rate) in due.iter_mut().zip(self.rates()) {
                *at = now.saturating_add(rate).min(*at);
            }
            let next = due.into_iter().min().unwrap_or(now);
            let mut is_rung = false;
            let has_more = self.objects.learn_some(self.kernel);
            let most = if has_more { 0 } else { SIGN_OF_LIFE };
            match waiter.wait(next.saturating_sub(now).min(most), self.bell.as_ref()) {
                Event::Timeout => {}
                // The bell rings again for anything that happens after this answer.
                Event::Rung => is_rung = is_pressing(self.kernel),
                Event::Interrupt => break,
                Event::TargetsGone(epitaphs) => {
                    // The target's last records are printed before the news of its end.
                    self.round(false)?;
                    if !self.is_quiet() {
                        epitaphs.iter().try_for_each(|t| self.outputs.say(t))?;
                    }
                    break;
                }
            }
            let now = waiter.now();
            let [switch, aggregate, status, snapshot] = [0, 1, 2, 3].map(|i| due[i] <= now);
            if switch || is_rung {
                self.round(false)?;
            }
            if aggregate {
                self.snap_aggregations()?;
            }
            if status {
                self.look_at_status()?;
                self.look_at_processes()?;
            }
            if snapshot {
                self.show_aggregations(now)?;
            }
            for (at, rate) in due.iter_mut().zip(self.rates()) {
                if *at <= now {
                    *at = now.saturating_add(rate);
                }
            }
        }
        Ok(())
    }

    /// Returns four intervals in ns: between looks at the buffers, at the aggregations and at the
    /// status, and between snapshots in the stream.
    pub(super) fn rates(&self) -> [u64; 4] {
        let rate = |id| self.options.get(id).max(1_000_000);
        let [switch, aggregate, status] =
            [OptionId::Switchrate, OptionId::Aggrate, OptionId::Statusrate].map(rate);
        let snapshot = self.snaprate.map_or(u64::MAX, |r| r.max(1_000_000));
        let mut rates = [switch, aggregate, status, snapshot];
        if self.needs.speculations {
            // When we read the status, the kernel frees speculations that have ended.
            rates[2] = rates[2].min(rate(OptionId::Cleanrate));
        }
        rates
    }

    /// Tells whether the program has called exit() or the tracing is over otherwise. The question
    /// is cheap, so the session sees exit() without waiting for a round.
    pub(super) fn is_ending(&mut self) -> Result<bool, Failure> {
        if self.exit.is_some() {
            return Ok(true);
        }
        let now = self.ask_status()?;
        if now.strangers != 0 {
            self.look_at_strangers();
        }
        self.look_at_mapped(&now)?;
        let is_over = now.exiting != 0 || now.filled != 0;
        if now.killed != 0 {
            self.tell_status(now)?;
        }
        Ok(is_over)
    }

    pub(super) fn is_quiet(&self) -> bool {
        self.options.get(OptionId::Quiet) == 1
    }
}
