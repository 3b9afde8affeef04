// SPDX-License-Identifier: GPL-2.0
//! The rows of `lockstat`: for each kind of lock, the events in which threads acquire it, wait for
//! it and release it.

use crate::event::{Each, Field, Value, When};
use crate::row::{begins, ends, row, rows_of, Row, Source};
use Source::{Entry, Return, Tracepoint};
use Value::{Elapsed, Errno, Kept, Marked, Number, Of, Raw};

/// The locks for which threads may sleep, on this kernel.
pub(crate) const SLEEPING: &[Row] = match cfg!(CONFIG_PREEMPT_RT) {
    true => RT,
    false => USUAL,
};

rows_of!(lockstat);

/// The arguments of `CONTENDED` are the lock, and flags for its kind and the kind of wait. Those of
/// `GOT` are the lock, and an errno if the thread has given up.
pub(crate) const CONTENDED: Source = Tracepoint("contention_begin");
const GOT: Source = Tracepoint("contention_end");
/// The flags, `LCB_F_*`: the thread spins, reads, or writes; the lock has a part for each CPU, or is
/// a mutex.
const SPINS: u64 = 1;
const READER: u64 = 2;
const WRITER: u64 = 4;
const OF_CPUS: u64 = 16;
const MUTEX: u64 = 32;
/// An `rt_mutex`.
const PRIORITY: u64 = 8;
const GOT_IT: &[When] = &[When::Equals(1, 0)];
/// A thread waits for a mutex: it spins, or it sleeps.
const MUTEX_SPINS: &[When] = &[When::Bits(1, MUTEX | SPINS, MUTEX | SPINS)];
const MUTEX_SLEEPS: &[When] = &[When::Bits(1, MUTEX | SPINS, MUTEX)];
/// A thread waits for a semaphore of readers and writers. Here it always sleeps.
const READER_SLEEPS: &[When] = &[When::Bits(1, SPINS | READER | OF_CPUS, READER)];
const WRITER_SLEEPS: &[When] = &[When::Bits(1, SPINS | WRITER | OF_CPUS, WRITER)];
/// The lock is free, so the thread acquires it at once.
const FREE_MUTEX: &[When] = &[When::BitsOf(Field::MutexOwner, 0, u64::MAX, 0)];
const FREE_SPIN: &[When] = &[When::BitsOf(Field::SpinlockWord, 0, u64::MAX, 0)];
/// The bits that keep a reader out: a writer has the lock, a thread waits, a writer is next, there
/// are too many readers.
const FREE_READ: &[When] = &[When::BitsOf(Field::RwsemCount, 0, (1 << 63) | 7, 0)];
const FREE_WRITE: &[When] = &[When::BitsOf(Field::RwsemCount, 0, u64::MAX, 0)];
/// The bits that keep a reader out of an `rwlock_t`: `_QW_WMASK`.
const FREE_READ_SPIN: &[When] = &[When::BitsOf(Field::RwlockWord, 0, 0x1ff, 0)];
const FREE_WRITE_SPIN: &[When] = &[When::BitsOf(Field::RwlockWord, 0, u64::MAX, 0)];
const LOCK: &[Value] = &[Raw(0)];
const KEPT: &[Value] = &[Kept];
const WAITED: &[Value] = &[Kept, Elapsed];
/// `RW_WRITER` and `RW_READER`.
const AS_WRITER: Value = Number(0);
const AS_READER: Value = Number(1);
const LOCK_WRITE: &[Value] = &[Raw(0), AS_WRITER];
const LOCK_READ: &[Value] = &[Raw(0), AS_READER];
const KEPT_WRITE: &[Value] = &[Kept, AS_WRITER];
const KEPT_READ: &[Value] = &[Kept, AS_READER];
const WAITED_WRITE: &[Value] = &[Kept, Elapsed, AS_WRITER];
const WAITED_READ: &[Value] = &[Kept, Elapsed, AS_READER];
/// The mark of a reader; a semaphore's count does not use this bit.
const READER_BIT: u32 = 4;
/// The arguments of `rw-block`: the lock, the time, writer or reader, and from the lock's count
/// when the wait began: whether a writer has it, and the number of readers.
const SLEPT: &[Value] =
    &[Kept, Elapsed, Marked(READER_BIT, 1), Marked(0, 1), Marked(8, (1 << 55) - 1)];
/// Under PREEMPT_RT a count has 32 bits: bit 30 for a writer, below it the readers (`rwbase_rt.h`).
const RT_READER_BIT: u32 = 32;
const RT_SLEPT: &[Value] =
    &[Kept, Elapsed, Marked(RT_READER_BIT, 1), Marked(30, 1), Marked(0, (1 << 30) - 1)];
/// A thread waits for an `rt_mutex`. Under PREEMPT_RT that may be the part of a lock of readers and
/// writers for which writers wait. A reader waits for that part, too, within its own wait, which is
/// marked, as is that of a writer for the readers (`rwbase_rt.c`).
pub(crate) const RT_SLEEPS: &[When] =
    &[When::Bits(1, PRIORITY | READER | WRITER, PRIORITY), When::NotWithin(0, RT_PART)];
pub(crate) const RT_READS: &[When] = &[When::Bits(1, PRIORITY | READER, PRIORITY | READER)];
/// The place of the `rt_mutex` in a lock of readers and writers (`field.c` checks it).
const RT_PART: u64 = 8;
/// The mark of a reader's wait, for probes that tell of an `rt_mutex`.
const RT_READ: u64 = 1;
const RT_GOT: &[When] = &[When::Equals(1, 0), When::Mark(RT_READ, 0)];
#[cfg(CONFIG_PREEMPT_RT)]
pub(crate) const RT_WRITES: &[When] = &[When::Bits(1, PRIORITY | WRITER, PRIORITY | WRITER)];
/// What a function that acquires a lock has returned: 0, or an errno; or whether it has the lock.
const GOT_IN_TIME: &[When] = &[When::Equals(0, 0)];
const GIVEN_UP: &[When] = &[When::Negative(0)];
const GOT_AT_ONCE: &[When] = &[When::Positive(0)];
/// The functions that wait for spinlocks: without and with the help of a hypervisor.
const SLOW_SPIN: &str = "native_queued_spin_lock_slowpath";
const SLOW_SPIN_PV: &str = "__pv_queued_spin_lock_slowpath";
const SLOW_READ_SPIN: &str = "queued_read_lock_slowpath";
const SLOW_WRITE_SPIN: &str = "queued_write_lock_slowpath";
const SLOW_READ: &str = "rwsem_down_read_slowpath";
const SLOW_WRITE: &str = "rwsem_down_write_slowpath";

/// The event that begins the wait for a mutex, if it counts for this probe.
const fn contended(probe: &'static str, source: Source, when: &'static [When], mark: Value) -> Row {
    Row { provider: "lockstat", probe, source, when, each: Each::Begins(0, mark), values: &[] }
}

/// The event that ends the wait: the thread has the lock or has given up.
const fn got(probe: &'static str, when: &'static [When], values: &'static [Value]) -> Row {
    Row { provider: "lockstat", probe, source: GOT, when, each: Each::Ends(Some(0)), values }
}

/// The event that begins a reader's wait, for a probe that tells of an `rt_mutex`.
pub(crate) const fn reader_waits(provider: &'static str, probe: &'static str) -> Row {
    let each = Each::Begins(0, Number(RT_READ));
    Row { provider, probe, source: CONTENDED, when: RT_READS, each, values: &[] }
}

/// The event that ends it, for a probe that does not tell of ends.
#[cfg(CONFIG_PREEMPT_RT)]
pub(crate) const fn reader_waited(
    provider: &'static str,
    probe: &'static str,
    values: &'static [Value],
) -> Row {
    let when = &[When::Mark(RT_READ, 0)];
    Row { provider, probe, source: GOT, when, each: Each::Ends(Some(0)), values }
}

const USUAL: &[Row] = &[
    lockstat("adaptive-acquire", Entry("mutex_lock"), FREE_MUTEX, LOCK),
    lockstat("adaptive-acquire", Entry("mutex_lock_interruptible"), FREE_MUTEX, LOCK),
    lockstat("adaptive-acquire", Entry("mutex_lock_killable"), FREE_MUTEX, LOCK),
    lockstat("adaptive-acquire", Entry("mutex_trylock"), FREE_MUTEX, LOCK),
    lockstat("adaptive-acquire", Entry("ww_mutex_lock"), FREE_MUTEX, LOCK),
    lockstat("adaptive-acquire", Entry("ww_mutex_lock_interruptible"), FREE_MUTEX, LOCK),
    contended("adaptive-acquire", CONTENDED, &[When::Bits(1, MUTEX, MUTEX)], Number(0)),
    got("adaptive-acquire", GOT_IT, KEPT),
    contended("adaptive-acquire-error", CONTENDED, &[When::Bits(1, MUTEX, MUTEX)], Number(0)),
    got("adaptive-acquire-error", &[When::NoneOf(1, &[0])], &[Kept, Errno(1)]),
    contended("adaptive-block", CONTENDED, MUTEX_SLEEPS, Number(0)),
    got("adaptive-block", GOT_IT, WAITED),
    lockstat("adaptive-release", Entry("mutex_unlock"), &[], LOCK),
    // A thread that sleeps may have spun before; it counts as sleeping.
    contended("adaptive-spin", CONTENDED, MUTEX_SPINS, Number(0)),
    contended("adaptive-spin", CONTENDED, MUTEX_SLEEPS, Number(1)),
    got("adaptive-spin", &[When::Equals(1, 0), When::Mark(1, 0)], WAITED),
    lockstat("rw-acquire", Entry("down_read"), FREE_READ, LOCK_READ),
    lockstat("rw-acquire", Entry("down_read_interruptible"), FREE_READ, LOCK_READ),
    lockstat("rw-acquire", Entry("down_read_killable"), FREE_READ, LOCK_READ),
    lockstat("rw-acquire", Entry("down_read_trylock"), FREE_READ, LOCK_READ),
    lockstat("rw-acquire", Entry("down_write"), FREE_WRITE, LOCK_WRITE),
    lockstat("rw-acquire", Entry("down_write_killable"), FREE_WRITE, LOCK_WRITE),
    lockstat("rw-acquire", Entry("down_write_trylock"), FREE_WRITE, LOCK_WRITE),
    lockstat("rw-acquire", Entry("_raw_read_lock"), FREE_READ_SPIN, LOCK_READ),
    lockstat("rw-acquire", Entry("_raw_read_lock_bh"), FREE_READ_SPIN, LOCK_READ),
    lockstat("rw-acquire", Entry("_raw_read_lock_irq"), FREE_READ_SPIN, LOCK_READ),
    lockstat("rw-acquire", Entry("_raw_read_lock_irqsave"), FREE_READ_SPIN, LOCK_READ),
    lockstat("rw-acquire", Entry("_raw_read_trylock"), FREE_READ_SPIN, LOCK_READ),
    lockstat("rw-acquire", Entry("_raw_write_lock"), FREE_WRITE_SPIN, LOCK_WRITE),
    lockstat("rw-acquire", Entry("_raw_write_lock_bh"), FREE_WRITE_SPIN, LOCK_WRITE),
    lockstat("rw-acquire", Entry("_raw_write_lock_irq"), FREE_WRITE_SPIN, LOCK_WRITE),
    lockstat("rw-acquire", Entry("_raw_write_lock_irqsave"), FREE_WRITE_SPIN, LOCK_WRITE),
    lockstat("rw-acquire", Entry("_raw_write_trylock"), FREE_WRITE_SPIN, LOCK_WRITE),
    begins("lockstat", "rw-acquire", Entry(SLOW_READ), 0),
    ends("lockstat", "rw-acquire", Return(SLOW_READ), &[When::NotError(0)], KEPT_READ),
    begins("lockstat", "rw-acquire", Entry(SLOW_WRITE), 0),
    ends("lockstat", "rw-acquire", Return(SLOW_WRITE), &[When::NotError(0)], KEPT_WRITE),
    begins("lockstat", "rw-acquire", Entry(SLOW_READ_SPIN), 0),
    ends("lockstat", "rw-acquire", Return(SLOW_READ_SPIN), &[], KEPT_READ),
    begins("lockstat", "rw-acquire", Entry(SLOW_WRITE_SPIN), 0),
    ends("lockstat", "rw-acquire", Return(SLOW_WRITE_SPIN), &[], KEPT_WRITE),
    // The first event marks the semaphore's count, the second marks the kind of waiter.
    contended("rw-block", CONTENDED, READER_SLEEPS, Of(Field::RwsemCount, 0)),
    contended("rw-block", CONTENDED, READER_SLEEPS, Number(1 << READER_BIT)),
    contended("rw-block", CONTENDED, WRITER_SLEEPS, Of(Field::RwsemCount, 0)),
    got("rw-block", GOT_IT, SLEPT),
    lockstat("rw-downgrade", Entry("downgrade_write"), &[], LOCK),
    lockstat("rw-release", Entry("up_read"), &[], LOCK_READ),
    lockstat("rw-release", Entry("up_write"), &[], LOCK_WRITE),
    lockstat("rw-release", Entry("_raw_read_unlock"), &[], LOCK_READ),
    lockstat("rw-release", Entry("_raw_read_unlock_bh"), &[], LOCK_READ),
    lockstat("rw-release", Entry("_raw_read_unlock_irq"), &[], LOCK_READ),
    lockstat("rw-release", Entry("_raw_read_unlock_irqrestore"), &[], LOCK_READ),
    lockstat("rw-release", Entry("_raw_write_unlock"), &[], LOCK_WRITE),
    lockstat("rw-release", Entry("_raw_write_unlock_bh"), &[], LOCK_WRITE),
    lockstat("rw-release", Entry("_raw_write_unlock_irq"), &[], LOCK_WRITE),
    lockstat("rw-release", Entry("_raw_write_unlock_irqrestore"), &[], LOCK_WRITE),
    begins("lockstat", "rw-spin", Entry(SLOW_READ_SPIN), 0),
    ends("lockstat", "rw-spin", Return(SLOW_READ_SPIN), &[], WAITED_READ),
    begins("lockstat", "rw-spin", Entry(SLOW_WRITE_SPIN), 0),
    ends("lockstat", "rw-spin", Return(SLOW_WRITE_SPIN), &[], WAITED_WRITE),
];

/// Under PREEMPT_RT, all locks but the raw spinning ones sleep, and each is made of an `rt_mutex`. A
/// thread that waits for one is reported alike whatever the lock is, so a lock counts as acquired
/// when the function that acquires it returns. If there is a wait, that function may end by a jump
/// to the one that waits; then the first of both returns counts. A spinlock is a mutex then.
const RT: &[Row] = &[
    begins("lockstat", "adaptive-acquire", Entry("mutex_lock"), 0),
    ends("lockstat", "adaptive-acquire", Return("mutex_lock"), &[], KEPT),
    begins("lockstat", "adaptive-acquire", Entry("rt_spin_lock"), 0),
    ends("lockstat", "adaptive-acquire", Return("rt_spin_lock"), &[], KEPT),
    begins("lockstat", "adaptive-acquire", Entry("mutex_lock_interruptible"), 0),
    ends("lockstat", "adaptive-acquire", Return("mutex_lock_interruptible"), GOT_IN_TIME, KEPT),
    begins("lockstat", "adaptive-acquire", Entry("mutex_lock_killable"), 0),
    ends("lockstat", "adaptive-acquire", Return("mutex_lock_killable"), GOT_IN_TIME, KEPT),
    begins("lockstat", "adaptive-acquire", Entry("ww_mutex_lock"), 0),
    ends("lockstat", "adaptive-acquire", Return("ww_mutex_lock"), GOT_IN_TIME, KEPT),
    begins("lockstat", "adaptive-acquire", Entry("ww_mutex_lock_interruptible"), 0),
    ends("lockstat", "adaptive-acquire", Return("ww_mutex_lock_interruptible"), GOT_IN_TIME, KEPT),
    begins("lockstat", "adaptive-acquire", Entry("mutex_trylock"), 0),
    ends("lockstat", "adaptive-acquire", Return("mutex_trylock"), GOT_AT_ONCE, KEPT),
    begins("lockstat", "adaptive-acquire", Entry("rt_spin_trylock"), 0),
    ends("lockstat", "adaptive-acquire", Return("rt_spin_trylock"), GOT_AT_ONCE, KEPT),
    begins("lockstat", "adaptive-acquire", Entry("rt_spin_trylock_bh"), 0),
    ends("lockstat", "adaptive-acquire", Return("rt_spin_trylock_bh"), GOT_AT_ONCE, KEPT),
    ends("lockstat", "adaptive-acquire", Return("rt_mutex_slowlock"), GOT_IN_TIME, KEPT),
    ends("lockstat", "adaptive-acquire", Return("rt_mutex_slowtrylock"), GOT_AT_ONCE, KEPT),
    // This one has no return: it ends by a jump to the function that clears the thread's mark.
    begins("lockstat", "adaptive-acquire", Entry("mutex_lock_io"), 0),
    ends("lockstat", "adaptive-acquire", Entry("io_schedule_finish"), &[], KEPT),
    begins("lockstat", "adaptive-acquire-error", Entry("mutex_lock_interruptible"), 0),
    ends(
        "lockstat",
        "adaptive-acquire-error",
        Return("mutex_lock_interruptible"),
        GIVEN_UP,
        &[Kept, Errno(0)],
    ),
    begins("lockstat", "adaptive-acquire-error", Entry("mutex_lock_killable"), 0),
    ends(
        "lockstat",
        "adaptive-acquire-error",
        Return("mutex_lock_killable"),
        GIVEN_UP,
        &[Kept, Errno(0)],
    ),
    begins("lockstat", "adaptive-acquire-error", Entry("ww_mutex_lock"), 0),
    ends(
        "lockstat",
        "adaptive-acquire-error",
        Return("ww_mutex_lock"),
        GIVEN_UP,
        &[Kept, Errno(0)],
    ),
    begins("lockstat", "adaptive-acquire-error", Entry("ww_mutex_lock_interruptible"), 0),
    ends(
        "lockstat",
        "adaptive-acquire-error",
        Return("ww_mutex_lock_interruptible"),
        GIVEN_UP,
        &[Kept, Errno(0)],
    ),
    ends(
        "lockstat",
        "adaptive-acquire-error",
        Return("rt_mutex_slowlock"),
        GIVEN_UP,
        &[Kept, Errno(0)],
    ),
    reader_waits("lockstat", "adaptive-block"),
    contended("adaptive-block", CONTENDED, RT_SLEEPS, Number(0)),
    got("adaptive-block", RT_GOT, WAITED),
    lockstat("adaptive-release", Entry("mutex_unlock"), &[], LOCK),
    lockstat("adaptive-release", Entry("ww_mutex_unlock"), &[], LOCK),
    lockstat("adaptive-release", Entry("rt_spin_unlock"), &[], LOCK),
    begins("lockstat", "rw-acquire", Entry("down_read"), 0),
    ends("lockstat", "rw-acquire", Return("down_read"), &[], KEPT_READ),
    begins("lockstat", "rw-acquire", Entry("rt_read_lock"), 0),
    ends("lockstat", "rw-acquire", Return("rt_read_lock"), &[], KEPT_READ),
    begins("lockstat", "rw-acquire", Entry("down_read_interruptible"), 0),
    ends("lockstat", "rw-acquire", Return("down_read_interruptible"), GOT_IN_TIME, KEPT_READ),
    begins("lockstat", "rw-acquire", Entry("down_read_killable"), 0),
    ends("lockstat", "rw-acquire", Return("down_read_killable"), GOT_IN_TIME, KEPT_READ),
    begins("lockstat", "rw-acquire", Entry("down_read_trylock"), 0),
    ends("lockstat", "rw-acquire", Return("down_read_trylock"), GOT_AT_ONCE, KEPT_READ),
    begins("lockstat", "rw-acquire", Entry("rt_read_trylock"), 0),
    ends("lockstat", "rw-acquire", Return("rt_read_trylock"), GOT_AT_ONCE, KEPT_READ),
    begins("lockstat", "rw-acquire", Entry("down_write"), 0),
    ends("lockstat", "rw-acquire", Return("down_write"), &[], KEPT_WRITE),
    begins("lockstat", "rw-acquire", Entry("rt_write_lock"), 0),
    ends("lockstat", "rw-acquire", Return("rt_write_lock"), &[], KEPT_WRITE),
    begins("lockstat", "rw-acquire", Entry("down_write_killable"), 0),
    ends("lockstat", "rw-acquire", Return("down_write_killable"), GOT_IN_TIME, KEPT_WRITE),
    begins("lockstat", "rw-acquire", Entry("down_write_trylock"), 0),
    ends("lockstat", "rw-acquire", Return("down_write_trylock"), GOT_AT_ONCE, KEPT_WRITE),
    begins("lockstat", "rw-acquire", Entry("rt_write_trylock"), 0),
    ends("lockstat", "rw-acquire", Return("rt_write_trylock"), GOT_AT_ONCE, KEPT_WRITE),
    ends("lockstat", "rw-acquire", Return("__rwbase_read_lock"), GOT_IN_TIME, KEPT_READ),
    ends("lockstat", "rw-acquire", Return("rwbase_write_lock"), GOT_IN_TIME, KEPT_WRITE),
    contended("rw-block", CONTENDED, READER_SLEEPS, Of(Field::RwsemCount, 0)),
    contended("rw-block", CONTENDED, READER_SLEEPS, Number(1 << RT_READER_BIT)),
    contended("rw-block", CONTENDED, WRITER_SLEEPS, Of(Field::RwsemCount, 0)),
    got("rw-block", GOT_IT, RT_SLEPT),
    lockstat("rw-downgrade", Entry("downgrade_write"), &[], LOCK),
    lockstat("rw-release", Entry("up_read"), &[], LOCK_READ),
    lockstat("rw-release", Entry("rt_read_unlock"), &[], LOCK_READ),
    lockstat("rw-release", Entry("up_write"), &[], LOCK_WRITE),
    lockstat("rw-release", Entry("rt_write_unlock"), &[], LOCK_WRITE),
];

/// The locks for which threads spin.
pub(crate) const SPINNING: &[Row] = &[
    lockstat("spin-acquire", Entry("_raw_spin_lock"), FREE_SPIN, LOCK),
    lockstat("spin-acquire", Entry("_raw_spin_lock_bh"), FREE_SPIN, LOCK),
    lockstat("spin-acquire", Entry("_raw_spin_lock_irq"), FREE_SPIN, LOCK),
    lockstat("spin-acquire", Entry("_raw_spin_lock_irqsave"), FREE_SPIN, LOCK),
    lockstat("spin-acquire", Entry("_raw_spin_trylock"), FREE_SPIN, LOCK),
    lockstat("spin-acquire", Entry("_raw_spin_trylock_bh"), FREE_SPIN, LOCK),
    begins("lockstat", "spin-acquire", Entry(SLOW_SPIN), 0),
    ends("lockstat", "spin-acquire", Return(SLOW_SPIN), &[], KEPT),
    begins("lockstat", "spin-acquire", Entry(SLOW_SPIN_PV), 0),
    ends("lockstat", "spin-acquire", Return(SLOW_SPIN_PV), &[], KEPT),
    lockstat("spin-release", Entry("_raw_spin_unlock"), &[], LOCK),
    lockstat("spin-release", Entry("_raw_spin_unlock_bh"), &[], LOCK),
    lockstat("spin-release", Entry("_raw_spin_unlock_irq"), &[], LOCK),
    lockstat("spin-release", Entry("_raw_spin_unlock_irqrestore"), &[], LOCK),
    begins("lockstat", "spin-spin", Entry(SLOW_SPIN), 0),
    ends("lockstat", "spin-spin", Return(SLOW_SPIN), &[], WAITED),
    begins("lockstat", "spin-spin", Entry(SLOW_SPIN_PV), 0),
    ends("lockstat", "spin-spin", Return(SLOW_SPIN_PV), &[], WAITED),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Returns the number of arguments of each probe.
    fn probes(rows: &[Row]) -> HashMap<&'static str, usize> {
        let mut found = HashMap::new();
        for rows in rows.chunk_by(|a, b| a.probe == b.probe) {
            let fires = rows.iter().filter(|r| !matches!(r.each, Each::Begins(..)));
            let values: Vec<usize> = fires.map(|r| r.values.len()).collect();
            assert!(values.iter().all(|n| *n == values[0]), "{}", rows[0].probe);
            assert!(found.insert(rows[0].probe, values[0]).is_none(), "{} twice", rows[0].probe);
        }
        found
    }

    #[test]
    fn under_preempt_rt_the_probes_are_the_same() {
        let (mut usual, rt) = (probes(USUAL), probes(RT));
        // No thread spins for a lock that sleeps, and no event tells of a thread that does.
        assert!(usual.remove("adaptive-spin").is_some() && usual.remove("rw-spin").is_some());
        assert_eq!(usual, rt);
    }
}
