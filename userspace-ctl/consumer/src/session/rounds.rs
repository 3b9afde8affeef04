// SPDX-License-Identifier: GPL-2.0
//! A round: take what the kernel has and print it.

use super::Session;
use crate::consume::{Record, Release, Timeline};
use crate::error::{Error, Failure};
use crate::print::fault;
use crate::print::form::{Aggregated, Form};
use crate::print::json::{self, Line};
use crate::print::report::Progress;
use crate::print::{Out, AT_ONCE};
use crate::{datum, enable, status};
use abi::ids::Epid;
use abi::option::{policy, OptionId};
use abi::status::Status;

/// After this many printed records we check whether buffers are filling up.
const AT_A_TIME: usize = 1024;
/// The most bytes of records that wait for printing. Beyond it the kernel's buffers are left to
/// fill up.
const MOST_HELD: usize = 256 << 20;

impl Session<'_> {
    /// Takes and prints the records that exist now.
    pub(super) fn round(&mut self, is_last: bool) -> Result<(), Failure> {
        if !is_last && !self.is_switching() {
            return Ok(());
        }
        let is_temporal = self.options.get(OptionId::Temporal) == 1;
        let release = match (is_temporal, is_last) {
            (false, _) => Release::Unordered,
            (true, false) => Release::Temporal,
            (true, true) => Release::Last,
        };
        let drops = self.timeline.round(self.kernel, &mut self.enabled, &self.cpus, release)?;
        self.take_symbols();
        self.outputs.lost(&drops)?;
        if is_last || self.needs.printed_aggregations {
            self.snap_aggregations()?;
        }
        let mut timeline = std::mem::take(&mut self.timeline);
        let printed = self.print_due(&mut timeline, is_last);
        self.timeline = timeline;
        printed?;
        if !is_last {
            self.forget(self.timeline.taken_until());
        }
        self.outputs.flush()
    }

    /// Prints the records that a round releases.
    pub(super) fn print_due(
        &mut self,
        timeline: &mut Timeline,
        is_last: bool,
    ) -> Result<(), Failure> {
        let mut text = std::mem::take(&mut self.text);
        let mut n = 0;
        while let Some(record) = timeline.next(self.kernel, &mut self.enabled)? {
            self.print(&mut text, &record)?;
            if text.len() > AT_ONCE {
                self.outputs.emit(&text)?;
                text.clear();
            }
            n += 1;
            if n % AT_A_TIME == 0 && !is_last {
                self.take_more(timeline)?;
            }
        }
        self.outputs.emit(&text)?;
        text.clear();
        self.text = text;
        Ok(())
    }

    /// Does urgent work while we are printing: empties buffers that have filled up, and reads the
    /// mappings of waiting processes.
    pub(super) fn take_more(&mut self, timeline: &mut Timeline) -> Result<(), Failure> {
        let now = self.ask_status()?;
        self.look_at_mapped(&now)?;
        if now.pressing != 0 && timeline.held() < MOST_HELD {
            let (drops, _) = timeline.take(self.kernel, &self.cpus)?;
            self.take_symbols();
            self.outputs.lost(&drops)?;
        }
        Ok(())
    }

    pub(super) fn print(&mut self, text: &mut Vec<u8>, record: &Record<'_>) -> Result<(), Failure> {
        if record.enabled.uarg == enable::INTERNAL {
            // Text from before the fault comes before the fault's message.
            self.outputs.emit(text)?;
            text.clear();
            self.outputs.flush()?;
            return self.fault(record);
        }
        let mut progress = Progress::default();
        while progress.next.is_some() {
            let Self { outputs, reporter, programs, store, symbols, .. } = self;
            let form = outputs.form;
            outputs.write_long(text, symbols, |out| {
                form.record(reporter, out, record, programs, store, &mut progress);
            })?;
            // Nearly all records have none, and this runs for each of them.
            if !progress.effects.is_empty() {
                self.outputs.emit(text)?;
                text.clear();
                progress.effects.drain(..).try_for_each(|effect| self.effect(effect))?;
            }
        }
        self.exit = progress.exit.or(self.exit);
        Ok(())
    }

    pub(super) fn fault(&mut self, record: &Record<'_>) -> Result<(), Failure> {
        let word = |i: usize| {
            let rec = record.enabled.recs.get(i)?;
            datum::signed(datum::bytes(record.bytes, rec)?)
        };
        let [epid, action, offset, kind, address] = [0, 1, 2, 3, 4].map(|i| word(i).unwrap_or(0));
        let fault = fault::Fault {
            epid: epid as u32,
            action: action as u32,
            offset,
            kind: kind as u32,
            address: address as u64,
        };
        let enabled = self.enabled.get(self.kernel, Epid(fault.epid)).ok();
        let probe = enabled.as_ref().map_or(json::Probe::new(0, [""; 4]), |e| (&**e).into());
        let name = enabled.as_ref().map_or_else(String::new, |e| e.parts.join(":"));
        let text = fault::message(&fault, probe.id, &name);
        let line = Line::Fault {
            probe,
            epid: fault.epid,
            action: fault.action,
            offset: (offset >= 0).then_some(offset),
            fault: &fault.what(),
            address: fault.address(),
            text,
        };
        self.outputs.news(&line)
    }

    /// Forgets removed probes once every record older than `until` has been printed, because the
    /// kernel reuses their EPIDs.
    pub(super) fn forget(&mut self, until: u64) {
        // After an error the kernel still has the EPIDs and reports them later.
        while let Ok(freed) = self.kernel.done(until) {
            if freed.is_empty() {
                break;
            }
            self.enabled.forget(&freed);
        }
    }

    /// Tells whether buffers are taken while tracing goes on.
    pub(super) fn is_switching(&self) -> bool {
        self.options.get(OptionId::Bufpolicy) == policy::SWITCH
    }

    pub(super) fn snap_aggregations(&mut self) -> Result<(), Failure> {
        if !self.needs.aggregations {
            return Ok(());
        }
        self.take_symbols();
        let drops = self.store.snap(self.kernel, &self.cpus)?;
        self.outputs.lost(&drops)
    }

    /// Writes the current state of all aggregations into the stream.
    pub(super) fn show_aggregations(&mut self, timestamp: u64) -> Result<(), Failure> {
        let form = self.outputs.form;
        if !form.has_snapshots() {
            return Ok(());
        }
        self.snap_aggregations()?;
        self.show(|form, out, all| form.snapshot(out, timestamp, all))
    }

    /// Writes aggregations.
    fn show(
        &mut self,
        f: impl FnOnce(&dyn Form, &mut Out<'_>, Aggregated<'_>),
    ) -> Result<(), Failure> {
        let Self { programs, store, reporter, outputs, symbols, .. } = self;
        let form = outputs.form;
        let mut text = Vec::new();
        let all = Aggregated { programs, store, reporter };
        outputs.write_long(&mut text, symbols, |out| f(form, out, all))?;
        outputs.emit(&text)?;
        outputs.flush()
    }

    pub(super) fn ask_status(&mut self) -> Result<Status, Failure> {
        Ok(self.kernel.status().map_err(|r| r.doing("failed to get the status"))?)
    }

    /// Reports what was dropped since the last look.
    pub(super) fn look_at_status(&mut self) -> Result<(), Failure> {
        let now = self.ask_status()?;
        if !self.is_switching() {
            // We hold no records, so the kernel alone decides what it still needs.
            self.forget(u64::MAX);
        }
        self.tell_status(now)
    }

    pub(super) fn tell_status(&mut self, now: Status) -> Result<(), Failure> {
        let before = std::mem::replace(&mut self.status, now);
        self.outputs.lost(&status::differences(&before, &now))?;
        if let Some(cause) = status::end(&now) {
            return Err(Error::new("processing aborted", cause).into());
        }
        Ok(())
    }

    /// Stops tracing: END fires, the remaining records are printed, then the aggregations. Returns
    /// the exit status. Without a reader of the output, END's system() and freopen() still happen.
    pub(super) fn finish(&mut self) -> Result<i32, Failure> {
        self.outputs.is_ending = true;
        // The kernel forgets the processes that did not wait, when tracing stops.
        let now = self.ask_status()?;
        self.look_at_mapped(&now)?;
        let cpu = self.kernel.stop().map_err(|r| r.doing("failed to stop tracing"))?;
        // Without temporal order, the CPU that ran END comes last.
        self.cpus.sort_by_key(|&c| c == cpu);
        self.round(true)?;
        self.look_at_status()?;
        self.tell_processes()?;
        self.show(|form, out, all| form.rest(out, all))?;
        self.tell_lost_names()?;
        match self.outputs.was_closed {
            true => Err(Failure::OutputClosed),
            false => Ok(self.exit.unwrap_or(0)),
        }
    }
}
