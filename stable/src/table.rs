// SPDX-License-Identifier: GPL-2.0
//! What the stable providers' probes are on this kernel: which event each is, when that counts, and
//! what it passes. The only place where that is said; what types the arguments have says the library of D
//! that declares the provider (`userspace-ctl/lib`).
//!
//! A probe may have several rows: any of their events fires it. Rows of a probe are neighbours.

use crate::event::{Each, Field, Value, When};
use Source::{Entry, Return, Tracepoint};
use Value::{
    AttrPri, Bit, CpuOf, Current, Dentry, Errno, ExitReason, FaultCode, Int, NicePri, Of, Raw,
};

/// Where an event comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A tracepoint of this name.
    Tracepoint(&'static str),
    /// A function is entered; the compiler may have added to its name.
    Entry(&'static str),
    /// A function returns.
    Return(&'static str),
}

impl Source {
    /// What the kernel calls it.
    pub fn name(self) -> &'static str {
        match self {
            Tracepoint(name) | Entry(name) | Return(name) => name,
        }
    }
}

/// An event that fires a probe.
#[derive(Debug)]
pub struct Row {
    /// The first part of the probe's name.
    pub provider: &'static str,
    /// The last part.
    pub probe: &'static str,
    /// The event.
    pub source: Source,
    /// Conditions.
    pub when: &'static [When],
    /// How often.
    pub each: Each,
    /// `arg0` and so on.
    pub values: &'static [Value],
}

/// The providers, in the order of their rows.
pub const PROVIDERS: &[&str] = &["proc", "sched", "io"];

const fn row(
    provider: &'static str,
    probe: &'static str,
    source: Source,
    when: &'static [When],
    values: &'static [Value],
) -> Row {
    Row { provider, probe, source, when, each: Each::One, values }
}

const fn proc(
    probe: &'static str,
    source: Source,
    when: &'static [When],
    values: &'static [Value],
) -> Row {
    row("proc", probe, source, when, values)
}

const fn sched(
    probe: &'static str,
    source: Source,
    when: &'static [When],
    values: &'static [Value],
) -> Row {
    row("sched", probe, source, when, values)
}

const fn io(probe: &'static str, source: Source, when: &'static [When]) -> Row {
    row("io", probe, source, when, &[Raw(0), Dentry(0)])
}

/// `TRACE_SIGNAL_IGNORED` and `TRACE_SIGNAL_OVERFLOW_FAIL`, in [`SIGNAL`]'s last argument.
const IGNORED: i32 = 1;
const FAILED: i32 = 3;
/// A signal's number, its `siginfo`, the task, whether all of its process, what came of it.
const SIGNAL: Source = Tracepoint("signal_generate");
/// Whether it is preempted, who goes, who comes, what who goes waits in.
const SWITCH: Source = Tracepoint("sched_switch");
/// In the name of who comes: whether it was another one before.
const SWITCHED: Source = Tracepoint("sched_exit_tp");
/// The parent, the child.
const FORK: Source = Tracepoint("sched_process_fork");
/// Who, whether it is the last one of its process.
const EXIT: Source = Tracepoint("sched_process_exit");

/// All of them.
pub const ROWS: &[Row] = &[
    proc("create", FORK, &[When::Leader(1)], &[Raw(1)]),
    proc("exec", Entry("alloc_bprm"), &[], &[Of(Field::FilenameName, 1)]),
    proc("exec-failure", Return("do_execveat_common"), &[When::Negative(0)], &[Errno(0)]),
    proc("exec-success", Tracepoint("sched_process_exec"), &[], &[]),
    proc("exit", EXIT, &[When::Is(1)], &[ExitReason(0)]),
    proc("fault", SIGNAL, &[When::Fault(2, 0, 1)], &[FaultCode(0, 1), Raw(1)]),
    proc("lwp-create", FORK, &[], &[Raw(1), Raw(1)]),
    proc("lwp-exit", EXIT, &[], &[]),
    proc("lwp-start", SWITCHED, &[When::Is(0), When::FirstRun], &[]),
    proc("signal-clear", Return("do_sigtimedwait"), &[When::Positive(0)], &[Int(0)]),
    proc("signal-discard", SIGNAL, &[When::Equals(4, IGNORED)], &[Raw(2), Raw(2), Int(0)]),
    proc(
        "signal-handle",
        Tracepoint("signal_deliver"),
        &[When::Handled(2)],
        &[Int(0), Raw(1), Of(Field::SigactionHandler, 2)],
    ),
    proc("signal-send", SIGNAL, &[When::NoneOf(4, &[IGNORED, FAILED])], &[Raw(2), Raw(2), Int(0)]),
    proc("start", SWITCHED, &[When::Is(0), When::FirstRun, When::CurrentLeads], &[]),
    sched(
        "change-pri",
        Entry("set_user_nice"),
        &[When::OtherNice(0, 1)],
        &[Raw(0), Raw(0), NicePri(1)],
    ),
    sched("change-pri", Entry("__sched_setscheduler"), &[], &[Raw(0), Raw(0), AttrPri(1)]),
    sched("dequeue", Entry("dequeue_task"), &[], &[Raw(1), Raw(1), CpuOf(1), Bit(2, 0)]),
    // ENQUEUE_HEAD
    sched("enqueue", Entry("enqueue_task"), &[], &[Raw(1), Raw(1), CpuOf(1), Bit(2, 16)]),
    sched("off-cpu", SWITCH, &[], &[Raw(2), Raw(2)]),
    sched("on-cpu", SWITCHED, &[When::Is(0)], &[]),
    sched("preempt", SWITCH, &[When::Preempted(0, 3)], &[]),
    sched("remain-cpu", SWITCHED, &[When::IsNot(0)], &[]),
    sched("sleep", SWITCH, &[When::Sleeps(0, 3)], &[]),
    sched(
        "surrender",
        Tracepoint("sched_set_need_resched_tp"),
        &[When::OtherCpu(1)],
        &[Raw(0), Raw(0)],
    ),
    sched("tick", Entry("sched_tick"), &[], &[Current, Current]),
    sched("wakeup", Tracepoint("sched_waking"), &[], &[Raw(0), Raw(0)]),
    Row {
        provider: "io",
        probe: "done",
        source: Tracepoint("block_rq_complete"),
        when: &[],
        each: Each::Bio(0, 2),
        // Of each bio in the place of 0.
        values: &[Raw(0), Dentry(0)],
    },
    row(
        "io",
        "done",
        Tracepoint("block_bio_complete"),
        &[When::Submitted(1)],
        &[Raw(1), Dentry(1)],
    ),
    io("start", Tracepoint("block_getrq"), &[When::There(0)]),
    io("start", Tracepoint("block_bio_backmerge"), &[]),
    io("start", Tracepoint("block_bio_frontmerge"), &[]),
    io("start", Tracepoint("block_bio_queue"), &[When::Submitted(0)]),
];

/// Where the rows of a provider's next probe end, from row `at` on.
pub fn end_of(at: usize) -> usize {
    let same = |a: &Row, b: &Row| a.provider == b.provider && a.probe == b.probe;
    let Some(first) = ROWS.get(at) else { return ROWS.len() };
    let more = ROWS.get(at..).unwrap_or_default().iter().take_while(|r| same(r, first)).count();
    at.wrapping_add(more)
}
