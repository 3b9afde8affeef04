// SPDX-License-Identifier: GPL-2.0
//! A machine for tests of probe context: the interface of `lib.rs`, without a kernel.
//!
//! A test describes the [`Machine`] of its thread, and fires probes with [`ProbeCtx::on`]. The
//! kernel's memory is the `memory` of this description; every other address faults. There are no
//! processes besides the current thread, and no stacks.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

pub use mem::{Arc, KBox, KVVec, KVec};

/// A test's description of the machine.
#[derive(Debug, Clone)]
pub struct Machine {
    /// The monotonic time in ns. Each reading adds one.
    pub now: u64,
    /// The id of the process.
    pub pid: i32,
    /// The id of the thread.
    pub tid: i32,
    /// The thread's name, with NULs behind it.
    pub comm: [u8; 16],
    /// The names that the next readings find instead, because others change it.
    pub renamed: VecDeque<[u8; 16]>,
    /// Bytes of the kernel's memory, by address.
    pub memory: BTreeMap<u64, u8>,
    /// Destructive actions are allowed.
    pub destructive: bool,
    /// The signals that were sent.
    pub signals: Vec<i32>,
}

impl Default for Machine {
    fn default() -> Self {
        let mut comm = [0; 16];
        comm[..4].copy_from_slice(b"test");
        Self {
            now: 1_000_000,
            pid: 100,
            tid: 101,
            comm,
            renamed: VecDeque::new(),
            memory: BTreeMap::new(),
            destructive: false,
            signals: Vec::new(),
        }
    }
}

thread_local! {
    static HERE: RefCell<Machine> = RefCell::new(Machine::default());
}

/// Reads or changes the machine of this thread.
pub fn machine<R>(f: impl FnOnce(&mut Machine) -> R) -> R {
    HERE.with_borrow_mut(f)
}

/// Evidence of probe context.
pub struct ProbeCtx {
    cpu: usize,
}

impl ProbeCtx {
    /// Calls `f` in probe context of a CPU.
    pub fn on<R>(cpu: usize, f: impl FnOnce(&ProbeCtx) -> R) -> R {
        f(&Self { cpu })
    }

    /// Returns the CPU.
    pub fn cpu(&self) -> usize {
        self.cpu
    }
}

/// One `T` for each CPU.
pub struct PerCpu<T>(Vec<T>);

impl<T> PerCpu<T> {
    /// Creates the values for this number of CPUs.
    pub fn of(cpus: usize, init: impl FnMut(usize) -> T) -> Self {
        Self((0..cpus).map(init).collect())
    }

    /// Returns the value of the CPU of `ctx`.
    pub fn get<'c>(&'c self, ctx: &'c ProbeCtx) -> &'c T {
        &self.0[ctx.cpu()]
    }
}

/// A value that probes read. A value is never freed once it was published.
pub struct Published<T: 'static>(Mutex<Option<&'static T>>);

impl<T> Published<T> {
    /// Creates an empty one.
    pub const fn empty() -> Self {
        Self(Mutex::new(None))
    }

    /// Publishes a value.
    pub fn set(&self, value: T) {
        let mut place = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *place = Some(Box::leak(Box::new(value)));
    }

    /// Returns the present value.
    pub fn load<'c>(&'c self, _: &'c ProbeCtx) -> Option<&'c T> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Default for Published<T> {
    fn default() -> Self {
        Self::empty()
    }
}

/// Counts how often the consumer was woken.
#[derive(Default)]
pub struct Waker(AtomicU64);

impl Waker {
    /// Wakes the consumer.
    pub fn wake(&self) {
        self.0.fetch_add(1, Relaxed);
    }

    /// Returns how often it was woken.
    pub fn times(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// Destructive actions.
pub mod act {
    use super::{machine, ProbeCtx};

    /// The signal that stops a process.
    pub const STOP: i32 = 19;

    /// Notes a signal.
    pub fn signal(_: &ProbeCtx, signal: i32) -> bool {
        machine(|m| m.signals.push(signal));
        true
    }

    /// Spends time.
    pub fn chill(_: &ProbeCtx, ns: u64) -> bool {
        machine(|m| m.now = m.now.saturating_add(ns));
        true
    }

    /// Stops the test.
    pub fn panic(_: &ProbeCtx, probe: [&[u8]; 4], _: &[u8; 16], _: i32) -> ! {
        panic!("panic() at {:?}", probe.map(String::from_utf8_lossy))
    }
}

/// Tells whether CPUs run threads.
pub mod alive {
    use super::ProbeCtx;

    /// Returns the time when this CPU last ran a thread: now.
    pub fn answered(_: &ProbeCtx) -> u64 {
        super::time::monotonic_ns()
    }
}

/// Loads that may fault.
pub mod nofault {
    use super::machine;

    /// The address that faulted.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct BadAddr(pub u64);

    /// Reads kernel memory.
    pub fn read_kernel(addr: u64, into: &mut [u8]) -> Result<(), BadAddr> {
        machine(|m| {
            for (at, to) in (addr..).zip(into) {
                *to = *m.memory.get(&at).ok_or(BadAddr(at))?;
            }
            Ok(())
        })
    }

    /// Reads a number of 1, 2, 4 or 8 bytes.
    pub fn read_kernel_number(addr: u64, size: u8) -> Result<u64, BadAddr> {
        let mut bytes = [0; 8];
        read_kernel(addr, &mut bytes[..usize::from(size)])?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Reads a string up to its NUL, and returns its length.
    pub fn read_kernel_str(addr: u64, into: &mut [u8]) -> Result<usize, BadAddr> {
        for (n, at) in (0..into.len()).zip(addr..) {
            read_kernel(at, &mut into[n..=n])?;
            if into[n] == 0 {
                return Ok(n);
            }
        }
        Ok(into.len())
    }

    /// There is no process, so this always faults.
    pub fn read_user(addr: u64, _: &mut [u8]) -> Result<(), BadAddr> {
        Err(BadAddr(addr))
    }

    /// There is no process, so this always faults.
    pub fn read_user_str(addr: u64, _: &mut [u8]) -> Result<usize, BadAddr> {
        Err(BadAddr(addr))
    }

    /// There is no process, so this always faults.
    pub fn write_user(addr: u64, _: &[u8]) -> Result<(), BadAddr> {
        Err(BadAddr(addr))
    }
}

/// Stacks: all are empty.
pub mod stack {
    use super::ProbeCtx;

    /// The place where a kernel stack begins.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Start {
        /// At the probe, without this number of frames.
        Here(u8),
        /// At the interrupted place.
        Interrupt,
        /// At the place where the kernel serves a probe of a program.
        Program {
            /// There is no frame yet.
            entered: bool,
        },
    }

    impl Start {
        /// Tells whether there is no frame yet.
        pub fn entered(self) -> bool {
            matches!(self, Self::Program { entered: true })
        }
    }

    /// The place from which a process entered the kernel.
    #[allow(missing_docs, reason = "see kapi::stack::Came")]
    pub struct Came {
        pub ip: u64,
        pub sp: u64,
        pub bp: u64,
        pub wide: bool,
        pub called: bool,
    }

    /// Mapped code.
    #[allow(missing_docs, reason = "see kapi::stack::Mapping")]
    pub struct Mapping {
        pub start: u64,
        pub end: u64,
        pub offset: u64,
        pub inode: u64,
        pub modified_s: i64,
        pub modified_ns: i64,
        pub device: u32,
        pub is_object: bool,
    }

    /// Finds no frame.
    pub fn kernel(_: &ProbeCtx, _: Start, _: &mut [u8]) -> usize {
        0
    }

    /// Finds no frame.
    pub fn kernel_depth(_: &ProbeCtx, _: Start, _: u32) -> usize {
        0
    }

    /// Finds no register.
    pub fn register(_: &ProbeCtx, _: Start, _: u32) -> Option<u64> {
        None
    }

    /// Finds no process.
    pub fn came(_: &ProbeCtx) -> Option<Came> {
        None
    }

    /// Finds no process.
    pub fn came_with(_: &ProbeCtx, _: u8) -> Option<u64> {
        None
    }

    /// Finds no mapping.
    pub fn mapping(_: &ProbeCtx, _: u64) -> Option<Mapping> {
        None
    }
}

/// Arguments of system calls.
pub mod syscall {
    /// The way into the kernel.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Abi {
        /// The way of 64-bit processes.
        X64,
        /// The way of 32-bit processes.
        Ia32,
    }

    impl Abi {
        /// Reads six words of the kernel's memory; a missing word is zero.
        pub fn args(self, regs: u64) -> [u64; 6] {
            let mut args = [0; 6];
            for (arg, at) in args.iter_mut().zip((regs..).step_by(8)) {
                *arg = super::nofault::read_kernel_number(at, 8).unwrap_or(0);
            }
            args
        }
    }
}

/// The current thread.
#[allow(missing_docs, reason = "see kapi::task")]
pub mod task {
    use super::machine;
    use std::ops::Range;

    pub const COMM_LEN: usize = 16;

    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Dir {
        Current,
        Root,
    }

    pub fn pid() -> i32 {
        machine(|m| m.pid)
    }

    pub fn tid() -> i32 {
        machine(|m| m.tid)
    }

    pub fn comm(into: &mut [u8; COMM_LEN]) {
        *into = machine(|m| m.renamed.pop_front().unwrap_or(m.comm));
    }

    pub fn comm_words() -> [u64; 2] {
        let mut comm = [0; COMM_LEN];
        self::comm(&mut comm);
        let word = |at: usize| comm[at..at + 8].iter().rev().fold(0, |w, b| w << 8 | u64::from(*b));
        [word(0), word(8)]
    }

    pub fn destructive() -> bool {
        machine(|m| m.destructive)
    }

    /// Returns the key under which the thread's variables are found.
    pub fn thread_key() -> u64 {
        (tid() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 << 63
    }

    pub fn own_key() -> u64 {
        thread_key()
    }

    pub fn curthread() -> u64 {
        thread_key()
    }

    pub fn ppid() -> i32 {
        1
    }

    pub fn ns_pid() -> i32 {
        pid()
    }

    pub fn ns_tid() -> i32 {
        tid()
    }

    pub fn uid() -> u32 {
        0
    }

    pub fn gid() -> u32 {
        0
    }

    pub fn euid() -> u32 {
        0
    }

    pub fn egid() -> u32 {
        0
    }

    pub fn cgroup() -> u64 {
        1
    }

    pub fn level() -> u64 {
        0
    }

    pub fn memory() -> u64 {
        0
    }

    pub fn runtime() -> u64 {
        0
    }

    pub fn file(_: u32) -> u64 {
        0
    }

    pub fn args() -> Option<Range<u64>> {
        None
    }

    pub fn register(_: u32) -> Option<u64> {
        None
    }

    pub fn is_progeny_of(of: i32) -> Option<bool> {
        Some(of == pid() || of == ppid())
    }

    pub fn path(_: Dir, _: &mut [u8; 256]) -> &[u8] {
        b"/"
    }

    pub fn path_of(_: u64, _: bool, _: &mut [u8; 256]) -> Option<&[u8]> {
        None
    }

    /// The state of locks, by their address.
    pub mod locks {
        pub fn mutex_owner(mutex: u64) -> u64 {
            mutex
        }

        pub fn rwsem_count(rwsem: u64) -> u64 {
            rwsem
        }

        pub fn rwsem_owner(rwsem: u64) -> u64 {
            rwsem
        }

        pub fn has_readers(_: u64) -> bool {
            false
        }

        pub fn has_writer(_: u64) -> bool {
            false
        }
    }
}

/// Threads that end or get a CPU.
#[allow(missing_docs, reason = "see kapi::threads")]
pub mod threads {
    pub struct Ended(pub [u64; 4]);

    impl Ended {
        pub fn keys(&self) -> [u64; 4] {
            self.0
        }
    }

    pub struct Switch {
        pub task: u64,
        pub key: u64,
        pub runtime: u64,
    }

    impl Switch {
        pub fn task(&self) -> u64 {
            self.task
        }

        pub fn key(&self) -> u64 {
            self.key
        }

        pub fn runtime(&self) -> u64 {
            self.runtime
        }
    }
}

/// Clocks.
pub mod time {
    /// Returns the machine's time, which advances with each reading.
    pub fn monotonic_ns() -> u64 {
        super::machine(|m| {
            m.now += 1;
            m.now
        })
    }

    /// Returns the same time as [`monotonic_ns`].
    pub fn wall_ns() -> u64 {
        monotonic_ns()
    }
}
