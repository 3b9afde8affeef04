// SPDX-License-Identifier: GPL-2.0
//! Answers the machine's questions in probe context.
//!
//! D's own memory has addresses that no kernel or process can have (see `dif::addr`). The regions
//! of the framework contain the variables by reference and the strings of builtin variables. Every
//! other address goes to the fault-safe loads of `kapi`.

use crate::args::Packed;
use crate::budget::{Budget, SLICE};
use crate::ecb::Ecb;
use crate::unwind;
use crate::vtime;
use abi::dif::{Builtin, Subr};
use abi::fault::FaultKind;
use abi::status::killed;
use buffers::elements::Value;
use buffers::speculation::Unavailable;
use core::cell::Cell;
use core::sync::atomic::Ordering::Relaxed;
use dif::env::{MAX_PATH, PATH_STEPS};
use dif::{addr, Env, Key, Raised, Scope, Space, Var};
use nosleep::task::{self, locks, Dir};
use nosleep::{nofault, stack, ProbeCtx};
use plan::step::{Whose, MAX_FRAMES};

/// Regions of the framework.
pub(crate) const GLOBALS: u8 = 0x10;
pub(crate) const ELEMENTS: u8 = 0x11;
pub(crate) const LOCALS: u8 = 0x12;
const STRINGS: u8 = 0x13;
/// Structs and arrays that a thread never set; see `held.rs`.
pub(crate) const UNSET: u8 = 0x14;

/// The room for one builtin string in its region.
const STRING_STRIDE: u64 = 512;
/// The places in it: the parts of the probe's name, then execname.
const EXECNAME: u64 = 4;
const ZONENAME: u64 = 5;
const EXECARGS: u64 = 6;
const CWD: u64 = 7;
const ROOT: u64 = 8;

/// One firing. Data that only some clauses read is determined once, when the first clause reads it.
pub(crate) struct Firing<'a> {
    pub(crate) ctx: &'a ProbeCtx,
    pub(crate) args: Packed<'a>,
    /// 0: not known yet.
    now: Cell<u64>,
    /// 0: not known yet.
    thread: Cell<u64>,
    /// The name of the thread by which a key is remembered; see [`learn`](crate::shortcut).
    comm: Cell<Option<[u64; 2]>>,
    /// Whether a clause of the current consumer has ended the tracing, so that its other clauses do
    /// not run.
    pub(crate) is_over: Cell<bool>,
}

impl<'a> Firing<'a> {
    #[inline]
    pub(crate) fn new(ctx: &'a ProbeCtx, args: Packed<'a>) -> Self {
        Self {
            ctx,
            args,
            now: Cell::new(0),
            thread: Cell::new(0),
            comm: Cell::new(None),
            is_over: Cell::new(false),
        }
    }

    /// Returns its time, which is the same for all clauses.
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        if self.now.get() == 0 {
            self.now.set(nosleep::time::monotonic_ns());
        }
        self.now.get()
    }

    /// Returns the thread of control.
    #[inline]
    pub(crate) fn thread(&self) -> u64 {
        if self.thread.get() == 0 {
            self.thread.set(task::thread_key());
        }
        self.thread.get()
    }

    /// From now on, the thread has this name in keys.
    pub(crate) fn call(&self, name: [u64; 2]) {
        self.comm.set(Some(name));
    }

    /// Returns the name of the thread for a key.
    pub(crate) fn comm(&self) -> [u64; 2] {
        self.comm.get().unwrap_or_else(task::comm_words)
    }

    /// Returns the same firing with other arguments.
    pub(crate) fn with<'b>(&'b self, args: Packed<'b>) -> Firing<'b> {
        Firing {
            ctx: self.ctx,
            args,
            now: self.now.clone(),
            thread: self.thread.clone(),
            comm: self.comm.clone(),
            is_over: Cell::new(false),
        }
    }
}

/// One firing of one ECB.
pub(crate) struct ProbeEnv<'a> {
    pub(crate) firing: &'a Firing<'a>,
    pub(crate) ecb: &'a Ecb,
    pub(crate) locals: &'a mut [u64],
    pub(crate) random: &'a mut u64,
    pub(crate) budget: &'a mut Budget,
}

fn bad_addr(addr: u64) -> Raised {
    Raised { kind: FaultKind::BadAddr, addr }
}

pub(crate) fn ill_op() -> Raised {
    Raised { kind: FaultKind::IllOp, addr: 0 }
}

/// The number of registers of a process.
const NREGISTERS: u32 = 21;
/// The most that a frame of the kernel's stack costs, in the machine's units.
const FRAME: u32 = 12;
/// The most that a frame of a process costs: its mapping, its row, two words of memory that may be
/// absent.
const FRAME_OF_PROGRAM: u32 = 64;
/// The cost of the start of a walk, which includes our own frames.
const WALK: u32 = 192;
/// The costs of reading D memory that other CPUs write, and an unset variable.
const READ: u32 = 6;
const READ_UNSET: u32 = 24;
/// The cost of finding the arguments of the program.
const ARGUMENTS: u32 = 64;
/// The cost of checking all ancestors of a process, with a cache line or two for each.
const ANCESTORS: u32 = 4096;

impl ProbeEnv<'_> {
    /// Ends the tracing, because the clause costs too much.
    #[cold]
    #[inline(never)]
    fn ended(&self) -> Raised {
        self.ecb.shared.kill(killed::UNRESPONSIVE);
        self.firing.is_over.set(true);
        ill_op()
    }

    /// Spends a slice after waiting for another CPU. Units do not measure the wait, so the clock
    /// must be read.
    pub(crate) fn spend_slice(&mut self) {
        let _ = self.spend(SLICE);
    }

    /// Pays for a walk over this many frames.
    fn spend_frames(&mut self, frames: u32, whose: Whose) -> Result<(), Raised> {
        let price = if whose == Whose::Kernel { FRAME } else { FRAME_OF_PROGRAM };
        self.spend(WALK.saturating_add(frames.saturating_mul(price)))
    }

    /// Writes a stack to its place and returns its size in bytes. The bytes after it are unchanged.
    pub(crate) fn stack(&mut self, whose: Whose, room: &mut [u8]) -> Result<usize, Raised> {
        // CAST: at most MAX_RECORD bytes.
        self.spend_frames((room.len() >> 3) as u32, whose)?;
        let (ctx, start) = (self.firing.ctx, self.ecb.start);
        if whose == Whose::Kernel {
            return Ok(stack::kernel(ctx, start, room).wrapping_mul(8));
        }
        let Some((pid, frames)) = room.split_first_chunk_mut() else { return Ok(0) };
        *pid = process();
        let n = self.walk(frames.len() >> 3, frames);
        Ok(n.wrapping_add(1).wrapping_mul(8))
    }

    /// Walks the stack of the process; see [`unwind::walk`].
    fn walk(&self, most: usize, into: &mut [u8]) -> usize {
        let shared = &*self.ecb.shared;
        let wake = || shared.wake();
        unwind::walk(self.firing.ctx, self.ecb.start, &shared.unwind, &wake, most, into)
    }

    /// Calls [`Self::builtin_string`] and pays for it; some strings are determined anew each time.
    fn pay_for_string(&mut self, offset: u64, into: &mut [u8]) -> Result<bool, Raised> {
        match offset / STRING_STRIDE {
            CWD | ROOT => self.spend(PATH_STEPS)?,
            EXECARGS => self.spend(ARGUMENTS)?,
            _ => self.spend(READ)?,
        }
        Ok(self.builtin_string(offset, into))
    }

    /// Copies the bytes of a builtin string, from an offset in its region.
    fn builtin_string(&self, offset: u64, into: &mut [u8]) -> bool {
        let mut comm = [0; 16];
        let text = match offset / STRING_STRIDE {
            EXECARGS => return exec_args(offset % STRING_STRIDE, into),
            CWD => return dir(Dir::Current, offset % STRING_STRIDE, into),
            ROOT => return dir(Dir::Root, offset % STRING_STRIDE, into),
            // Linux has no zones.
            ZONENAME => b"global",
            EXECNAME => {
                task::comm(&mut comm);
                abi::probe::until_nul(&comm)
            }
            n => self.ecb.probe.part(n as usize),
        };
        put(text, offset % STRING_STRIDE, into)
    }
}

impl Env for ProbeEnv<'_> {
    #[inline(always)]
    fn spend(&mut self, cost: u32) -> Result<(), Raised> {
        if self.budget.spend(cost) {
            return Ok(());
        }
        Err(self.ended())
    }

    fn builtin(&mut self, builtin: Builtin, index: u64) -> Result<u64, Raised> {
        let string = |n: u64| addr::make(STRINGS, n.wrapping_mul(STRING_STRIDE));
        Ok(match builtin {
            Builtin::Args => self.firing.args.get(index),
            Builtin::Arg0 => self.firing.args.get(0),
            Builtin::Arg1 => self.firing.args.get(1),
            Builtin::Arg2 => self.firing.args.get(2),
            Builtin::Arg3 => self.firing.args.get(3),
            Builtin::Arg4 => self.firing.args.get(4),
            Builtin::Arg5 => self.firing.args.get(5),
            Builtin::Arg6 => self.firing.args.get(6),
            Builtin::Arg7 => self.firing.args.get(7),
            Builtin::Arg8 => self.firing.args.get(8),
            Builtin::Arg9 => self.firing.args.get(9),
            Builtin::Timestamp => self.firing.now(),
            Builtin::Walltimestamp => nosleep::time::wall_ns(),
            Builtin::Epid => self.ecb.epid.0.into(),
            Builtin::Id => self.ecb.probe.id().0.into(),
            Builtin::Probeprov => string(0),
            Builtin::Probemod => string(1),
            Builtin::Probefunc => string(2),
            Builtin::Probename => string(3),
            Builtin::Execname => string(EXECNAME),
            // CAST: sign or zero extension as the D type says.
            Builtin::Pid => task::pid() as u64,
            Builtin::Tid => task::tid() as u64,
            Builtin::Ppid => task::ppid() as u64,
            Builtin::Uid => task::uid().into(),
            Builtin::Gid => task::gid().into(),
            Builtin::Cpu => self.firing.ctx.cpu() as u64,
            Builtin::Errno => self.firing.args.errno(),
            Builtin::Curthread => task::curthread(),
            Builtin::Stackdepth => {
                self.spend_frames(MAX_FRAMES, Whose::Kernel)?;
                stack::kernel_depth(self.firing.ctx, self.ecb.start, MAX_FRAMES) as u64
            }
            Builtin::Ustackdepth => {
                self.spend_frames(MAX_FRAMES, Whose::Process)?;
                self.walk(MAX_FRAMES as usize, &mut []) as u64
            }
            Builtin::Caller => {
                self.spend_frames(1, Whose::Kernel)?;
                let mut frame = [0; 8];
                stack::kernel(self.firing.ctx, self.ecb.start, &mut frame);
                u64::from_le_bytes(frame)
            }
            Builtin::Ucaller => {
                self.spend_frames(2, Whose::Process)?;
                // The first frame is the process's own place.
                let mut frames = [0; 16];
                self.walk(2, &mut frames);
                frames.last_chunk().map_or(0, |f| u64::from_le_bytes(*f))
            }
            Builtin::Ipl => task::level(),
            Builtin::Zonename => string(ZONENAME),
            Builtin::Threadname => string(EXECNAME),
            Builtin::Execargs => string(EXECARGS),
            Builtin::Euid => task::euid().into(),
            Builtin::Egid => task::egid().into(),
            Builtin::Nspid => task::ns_pid() as u64,
            Builtin::Nstid => task::ns_tid() as u64,
            Builtin::Curcgroup => task::cgroup(),
            Builtin::Vtimestamp => {
                let now = vtime::now(self.firing.ctx, self.firing.now());
                now.ok_or(Raised { kind: FaultKind::NoScratch, addr: 0 })?
            }
            Builtin::Cwd => string(CWD),
            Builtin::Root => string(ROOT),
            Builtin::Uregs => {
                self.spend(READ)?;
                let n = u32::try_from(index).ok().filter(|n| *n < NREGISTERS).ok_or(ill_op())?;
                task::register(n).ok_or(bad_addr(0))?
            }
            Builtin::Regs => {
                let n = u32::try_from(index).ok().filter(|n| *n < NREGISTERS).ok_or(ill_op())?;
                self.spend_frames(1, Whose::Kernel)?;
                let (ctx, start) = (self.firing.ctx, self.ecb.start);
                let known = match self.ecb.probe.special {
                    None => stack::register(ctx, start, n).or(self.firing.args.register(n)),
                    Some(_) => None,
                };
                known.ok_or(bad_addr(0))?
            }
            Builtin::Vmregs => return Err(ill_op()),
        })
    }

    #[inline]
    fn load_var(&mut self, var: &Var) -> Result<u64, Raised> {
        if var.ty.is_by_ref() {
            return self.by_ref(var);
        }
        // The value is as stored; the compiler has extended its sign.
        match var.scope {
            Scope::Global => {
                let word = self.ecb.shared.globals.word(self.slot(var)?.at);
                word.map(|w| w.load(Relaxed)).ok_or(ill_op())
            }
            Scope::Local => self.local(self.slot(var)?.at).copied(),
            Scope::Thread => Ok(self.threads(var)),
        }
    }

    #[inline]
    fn store_var(&mut self, var: &Var, value: u64) -> Result<(), Raised> {
        match var.scope {
            Scope::Global => {
                let word = self.ecb.shared.globals.word(self.slot(var)?.at);
                word.map(|w| w.store(value, Relaxed)).ok_or(ill_op())
            }
            Scope::Local => self.local(self.slot(var)?.at).map(|word| *word = value),
            Scope::Thread => {
                self.set_threads(var, value);
                Ok(())
            }
        }
    }

    fn ref_var_for_store(&mut self, var: &Var) -> Result<Option<u64>, Raised> {
        // For a thread's variable, the machine calls `store_ref`.
        self.marked(var).map(Some)
    }

    fn load_tuple(&mut self, var: &Var, keys: &[Key<'_>]) -> Result<u64, Raised> {
        Ok(match var.ty.is_by_ref() {
            true => self.element_address(var, keys),
            false => self.element(var, keys),
        })
    }

    fn store_tuple(&mut self, var: &Var, keys: &[Key<'_>], value: u64) -> Result<(), Raised> {
        self.set_element(var, keys, Value::Word(value));
        Ok(())
    }

    fn store_ref(&mut self, var: &Var, keys: &[Key<'_>], bytes: &[u8]) -> Result<(), Raised> {
        self.set_element(var, keys, Value::Bytes(bytes));
        Ok(())
    }

    #[inline(always)]
    fn kernel_number(&mut self, addr: u64, size: u8) -> Result<u64, Raised> {
        nofault::read_kernel_number(addr, size).map_err(|_| bad_addr(addr))
    }

    fn load(&mut self, space: Space, addr: u64, into: &mut [u8]) -> Result<(), Raised> {
        let is_unset = addr::split(addr).is_some_and(|(region, _)| region == UNSET);
        let cost = if is_unset { READ_UNSET } else { READ };
        self.spend(cost.saturating_add(of_bytes(into.len())))?;
        if space == Space::User {
            return nofault::read_user(addr, into).map_err(|_| bad_addr(addr));
        }
        let Some((region, offset)) = addr::split(addr) else {
            return match space {
                Space::Kernel => nofault::read_kernel(addr, into).map_err(|_| bad_addr(addr)),
                _ => Err(Raised { kind: FaultKind::KPriv, addr }),
            };
        };
        // CAST: offsets have 48 bits.
        let at = offset as usize;
        let inside = match region {
            GLOBALS => self.ecb.shared.globals.read(at, into),
            ELEMENTS => self.read_element(offset, into),
            UNSET => self.read_unset(offset, into),
            LOCALS => read_words(self.locals, at, into),
            STRINGS => self.pay_for_string(offset, into)?,
            _ => false,
        };
        if inside {
            Ok(())
        } else {
            Err(bad_addr(addr))
        }
    }

    fn copyout(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Raised> {
        // Destructive actions may have been forbidden since this program began.
        if !task::destructive() {
            return Err(ill_op());
        }
        nofault::write_user(addr, bytes).map_err(|_| bad_addr(addr))
    }

    /// Reads memory that is not D's own by cache lines, because every load pays for its checks.
    fn load_str(&mut self, space: Space, addr: u64, into: &mut [u8]) -> Result<usize, Raised> {
        let read = match (addr::split(addr), space) {
            (None, Space::Kernel) => nofault::read_kernel_str(addr, into),
            (None, Space::User) => nofault::read_user_str(addr, into),
            (Some((STRINGS, offset)), _) => {
                // The rest of its place after the text is zero.
                let left = STRING_STRIDE.wrapping_sub(offset % STRING_STRIDE);
                let n = into.len().min(left as usize);
                let into = into.get_mut(..n).unwrap_or_default();
                return match self.pay_for_string(offset, into)? {
                    true => Ok(abi::probe::until_nul(into).len()),
                    false => Err(bad_addr(addr)),
                };
            }
            // Read at once, so that all of it is from the same time. After its end there are zeros.
            (Some((ELEMENTS, offset)), Space::Kernel | Space::Restricted) => {
                return match self.read_element(offset, into) {
                    true => Ok(abi::probe::until_nul(into).len()),
                    false => Err(bad_addr(addr)),
                };
            }
            (Some((GLOBALS, offset)), Space::Kernel | Space::Restricted) => {
                // CAST: offsets have 48 bits.
                let read = self.ecb.shared.globals.read_str(offset as usize, into);
                return read.ok_or(bad_addr(addr));
            }
            (Some((LOCALS, offset)), Space::Kernel | Space::Restricted) => {
                // CAST: offsets have 48 bits.
                return read_text(self.locals, offset as usize, into).ok_or(bad_addr(addr));
            }
            (Some((UNSET, offset)), Space::Kernel | Space::Restricted) => {
                self.spend(READ_UNSET)?;
                return self.read_unset_text(offset, into).ok_or(bad_addr(addr));
            }
            _ => return Err(bad_addr(addr)),
        };
        read.map_err(|at| bad_addr(at.0))
    }

    fn store(&mut self, addr: u64, bytes: &[u8]) -> Result<(), Raised> {
        let (region, offset) = addr::split(addr).ok_or(bad_addr(addr))?;
        // CAST: offsets have 48 bits.
        let at = offset as usize;
        let inside = match region {
            GLOBALS => self.ecb.shared.globals.write(at, bytes),
            ELEMENTS => self.write_element(offset, bytes),
            UNSET => self.write_unset(offset, bytes)?,
            LOCALS => write_words(self.locals, at, bytes),
            _ => false,
        };
        if inside {
            Ok(())
        } else {
            Err(bad_addr(addr))
        }
    }

    fn random(&mut self) -> u64 {
        // xorshift64*: good enough for rand(), and no lock.
        let mut x = *self.random | 1;
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        *self.random = x;
        x.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn speculation(&mut self) -> Result<u64, Raised> {
        let shared = &self.ecb.shared;
        // This may check the states of all of them. CAST: there are at most 65536.
        self.spend((shared.speculations.len() >> 3) as u32)?;
        Ok(match shared.speculations.start() {
            Ok(id) => id.into(),
            Err(why) => {
                let counter = match why {
                    Unavailable::Busy => &shared.counters.specdrops_busy,
                    Unavailable::InUse => &shared.counters.specdrops_unavail,
                };
                counter.fetch_add(1, Relaxed);
                0
            }
        })
    }

    fn path<'r>(
        &mut self,
        at: u64,
        of_mount: bool,
        room: &'r mut [u8; MAX_PATH],
    ) -> Result<&'r [u8], Raised> {
        self.spend(PATH_STEPS)?;
        task::path_of(at, of_mount, room).ok_or(bad_addr(at))
    }

    fn subr(&mut self, subr: Subr, args: &[u64]) -> Result<u64, Raised> {
        let &at = args.first().ok_or(ill_op())?;
        let mut word = |at: u64| {
            let mut bytes = [0; 8];
            self.load(Space::Kernel, at, &mut bytes)?;
            Ok::<u64, Raised>(u64::from_le_bytes(bytes))
        };
        // The lowest bits of an owner are flags about waiters.
        let owner = |word: u64| word & !7;
        Ok(match subr {
            Subr::MutexOwner => owner(word(locks::mutex_owner(at))?),
            Subr::MutexOwned => (owner(word(locks::mutex_owner(at))?) == task::curthread()).into(),
            // All of Linux' mutexes sleep.
            Subr::MutexTypeAdaptive => word(locks::mutex_owner(at)).map(|_| 1)?,
            Subr::MutexTypeSpin => word(locks::mutex_owner(at)).map(|_| 0)?,
            Subr::RwReadHeld => locks::has_readers(word(locks::rwsem_count(at))?).into(),
            Subr::RwWriteHeld => locks::has_writer(word(locks::rwsem_count(at))?).into(),
            Subr::RwIswriter => {
                let held = locks::has_writer(word(locks::rwsem_count(at))?);
                let by = owner(word(locks::rwsem_owner(at))?);
                (held && by == task::curthread()).into()
            }
            // CAST: an int.
            Subr::Getf => task::file(at as u32),
            _ => return Err(ill_op()),
        })
    }

    fn progenyof(&mut self, pid: u64) -> Result<bool, Raised> {
        self.spend(ANCESTORS)?;
        let Ok(pid) = i32::try_from(pid) else { return Ok(false) };
        // With more ancestors than a probe has time for, neither answer would be true.
        task::is_progeny_of(pid).ok_or(ill_op())
    }
}

/// Returns the process id as stored before an address of the process.
pub(crate) fn process() -> [u8; 8] {
    // CAST: pids are not negative.
    (task::pid() as u64).to_le_bytes()
}

/// Copies a part of the program's arguments, separated by spaces; nothing if they are not in
/// memory.
fn exec_args(at: u64, into: &mut [u8]) -> bool {
    if at.saturating_add(into.len() as u64) > STRING_STRIDE {
        return false;
    }
    into.fill(0);
    let Some(args) = task::args() else { return true };
    // The last one ends with a NUL as well.
    let len = args.end.wrapping_sub(args.start).saturating_sub(1).min(STRING_STRIDE - 1);
    // CAST: below STRING_STRIDE.
    let n = (len.saturating_sub(at) as usize).min(into.len());
    let Some(some) = into.get_mut(..n) else { return true };
    match nofault::read_user(args.start.wrapping_add(at), some) {
        Ok(()) => some.iter_mut().filter(|b| **b == 0).for_each(|b| *b = b' '),
        Err(_) => some.fill(0),
    }
    true
}

/// Copies a part of a directory's name.
#[inline(never)]
fn dir(which: Dir, at: u64, into: &mut [u8]) -> bool {
    put(task::path(which, &mut [0; 256]), at, into)
}

/// Copies bytes of a text from offset `at`, followed by NULs up to the end of its place. Returns
/// false if they are not inside.
fn put(text: &[u8], at: u64, into: &mut [u8]) -> bool {
    if at.saturating_add(into.len() as u64) > STRING_STRIDE {
        return false;
    }
    let tail = text.get(at as usize..).unwrap_or_default();
    let n = tail.len().min(into.len());
    if let (Some((head, rest)), Some(tail)) = (into.split_at_mut_checked(n), tail.get(..n)) {
        head.copy_from_slice(tail);
        rest.fill(0);
    }
    true
}

/// Copies a string, as far as it fits, and returns its length. `None`: the memory ends before the
/// NUL.
fn read_text(words: &[u64], at: usize, into: &mut [u8]) -> Option<usize> {
    use zerocopy::IntoBytes;
    let from = words.as_bytes().get(at..)?;
    let n = from.len().min(into.len());
    let text = abi::probe::until_nul(from.get(..n)?);
    if text.len() == n && n < into.len() {
        return None;
    }
    into.get_mut(..text.len())?.copy_from_slice(text);
    Some(text.len())
}

/// Returns the cost of reading this many bytes, in addition to [`READ`].
pub(crate) fn of_bytes(bytes: usize) -> u32 {
    u32::try_from(bytes >> 5).unwrap_or(u32::MAX)
}

fn read_words(words: &[u64], at: usize, into: &mut [u8]) -> bool {
    use zerocopy::IntoBytes;
    let Some(end) = at.checked_add(into.len()) else { return false };
    match words.as_bytes().get(at..end) {
        Some(bytes) => {
            into.copy_from_slice(bytes);
            true
        }
        None => false,
    }
}

fn write_words(words: &mut [u64], at: usize, from: &[u8]) -> bool {
    use zerocopy::IntoBytes;
    let Some(end) = at.checked_add(from.len()) else { return false };
    match words.as_mut_bytes().get_mut(at..end) {
        Some(bytes) => {
            bytes.copy_from_slice(from);
            true
        }
        None => false,
    }
}
