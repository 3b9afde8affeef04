// SPDX-License-Identifier: GPL-2.0
//! Programs: access to their memory from outside, and their events.
//!
//! A [`Space`] is the memory of a process, whichever threads use it. Writes to its text change its
//! own copy, not files or other processes. It may lose its last thread at any time: then nothing
//! can be read or changed in it.
//!
//! [`watch`] sets [`Handlers`] that are called when a process reaches a breakpoint, gets a signal,
//! is copied by fork, or ends.

use crate::context::{self, ProbeCtx};
use crate::once::Once;
use crate::sites;
use crate::sys;
pub use crate::sys::{Poke, Thread};
use core::ptr::NonNull;
use kernel::bindings;
use kernel::error::to_result;
use kernel::ffi::c_void;
use kernel::prelude::*;

/// Why text of a process cannot be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Ground {
    /// Nothing is mapped there.
    Unmapped = 1,
    /// It is not executable, or not memory that can be copied.
    NotText = 2,
    /// It is memory that other processes share.
    Shared = 3,
    /// There was no memory for a copy of it.
    NoMemory = 4,
    /// The space has no thread any more.
    Gone = 5,
    /// Other bytes are there than expected.
    Differs = 6,
    /// It is not present, and only a program can make it present (FUSE, userfaultfd); or the
    /// process keeps its memory map locked.
    Away = 7,
}

impl Ground {
    fn of(n: u8) -> Option<Self> {
        const ALL: [Ground; 7] = [
            Ground::Unmapped,
            Ground::NotText,
            Ground::Shared,
            Ground::NoMemory,
            Ground::Gone,
            Ground::Differs,
            Ground::Away,
        ];
        ALL.into_iter().find(|g| *g as u8 == n)
    }
}

impl Poke {
    /// Changes `old` to `new`, in the text whose number [`Space::ground`] returned. A byte that is
    /// neither is left alone.
    pub fn new(addr: u64, text: u64, old: u8, new: u8) -> Self {
        Self { addr, text, old, new, why: 0 }
    }

    /// Returns the result.
    pub fn result(&self) -> core::result::Result<(), Ground> {
        match self.why {
            0 => Ok(()),
            n => Err(Ground::of(n).unwrap_or(Ground::Gone)),
        }
    }
}

/// How often pages that have disappeared again are loaded.
const TRIES: usize = 8;

/// How many bytes are changed while other threads wait for the process's memory map.
const CHUNK: usize = 256;

/// The memory of a process.
///
/// # Invariants
///
/// The pointer is an `mm_struct`, and this value owns one reference (`mmgrab`).
pub struct Space(NonNull<c_void>);

// SAFETY: an `mm_struct` belongs to no thread, and the helpers take its locks.
unsafe impl Send for Space {}
// SAFETY: as above.
unsafe impl Sync for Space {}

/// A process.
pub struct Found {
    /// Its memory.
    pub space: Space,
    /// It has 64-bit addresses.
    pub is_wide: bool,
    /// It has a shadow stack; see [`has_shadow_stack`].
    pub has_shadow_stack: bool,
}

impl Drop for Space {
    fn drop(&mut self) {
        // SAFETY: this value owns a reference to `self.0` by the invariant, and does not use it
        // again.
        unsafe { sys::kapi_space_drop(self.0.as_ptr()) };
    }
}

impl Space {
    /// Finds the process with this id in the caller's namespace. `ESRCH`: there is no such process,
    /// or it has no memory because it is a kernel thread or is ending.
    ///
    /// # Context
    ///
    /// *process*
    pub fn of(pid: u32) -> Result<Found> {
        let mut found = sys::Found::default();
        let pid = i32::try_from(pid).map_err(|_| ESRCH)?;
        let mm = NonNull::new(sys::kapi_space_of(pid, &mut found)).ok_or(ESRCH)?;
        // INVARIANT: `kapi_space_of` returns an `mm_struct` with a reference.
        let space = Self(mm);
        Ok(Found { space, is_wide: found.wide, has_shadow_stack: found.shadow_stack })
    }

    /// Returns the memory of the current process. `None`: it has none any more.
    ///
    /// # Context
    ///
    /// *process*
    pub fn current() -> Option<Self> {
        // INVARIANT: `kapi_space_current` returns an `mm_struct` with a reference.
        NonNull::new(sys::kapi_space_current()).map(Self)
    }

    /// Returns a number that no other space has as long as this value exists.
    pub fn key(&self) -> u64 {
        self.0.as_ptr() as u64
    }

    /// Tells whether a thread still uses it.
    pub fn is_alive(&self) -> bool {
        // SAFETY: `self.0` is an `mm_struct` by the invariant.
        unsafe { sys::kapi_space_alive(self.0.as_ptr()) }
    }

    /// Loads a page that other functions cannot wait for (see [`Ground::Away`]); they load other
    /// pages themselves. This takes as long as the process likes. `EINTR`: the calling thread was
    /// killed meanwhile.
    ///
    /// # Context
    ///
    /// *process*, may sleep; the caller holds no lock that others wait for
    pub fn touch(&self, addr: u64) -> Result {
        // SAFETY: `self.0` is an `mm_struct` by the invariant.
        to_result(unsafe { sys::kapi_space_touch(self.0.as_ptr(), addr) })
    }

    /// Reads into `into`. Returns the number of bytes, and the reason if it is less than `into`
    /// has.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn read(&self, addr: u64, into: &mut [u8]) -> (usize, Option<Ground>) {
        let mut why = 0;
        // SAFETY: `self.0` is an `mm_struct` by the invariant; `into` has room for `into.len()`
        // bytes.
        let n = unsafe {
            sys::kapi_space_read(self.0.as_ptr(), addr, into.as_mut_ptr(), into.len(), &mut why)
        };
        (n, Ground::of(why))
    }

    /// Tells whether the text at an address can be changed. Returns a number that changes when
    /// another part of a file, or another file, is mapped there.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn ground(&self, addr: u64) -> core::result::Result<u64, Ground> {
        let mut text = 0;
        // SAFETY: `self.0` is an `mm_struct` by the invariant.
        let why = unsafe { sys::kapi_space_ground(self.0.as_ptr(), addr, &mut text) };
        Ground::of(why).map_or(Ok(text), Err)
    }

    /// Changes bytes of text. It is faster if the addresses ascend.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn poke(&self, pokes: &mut [Poke]) {
        self.poke_some(pokes, false);
    }

    fn poke_some(&self, pokes: &mut [Poke], patient: bool) {
        for chunk in pokes.chunks_mut(CHUNK) {
            // SAFETY: `self.0` is an `mm_struct` by the invariant; `chunk` has `chunk.len()`
            // members.
            unsafe {
                sys::kapi_space_poke(self.0.as_ptr(), chunk.as_mut_ptr(), chunk.len(), patient)
            };
        }
    }

    /// Works like [`poke`](Self::poke), and waits for the memory as long as necessary. `EINTR`: the
    /// calling thread was killed meanwhile.
    ///
    /// # Context
    ///
    /// *process*, may sleep; the caller holds no lock that others wait for
    pub fn poke_patiently(&self, pokes: &mut [Poke]) -> Result {
        for _ in 0..TRIES {
            self.poke_some(pokes, true);
            let mut any = false;
            for poke in pokes.iter().filter(|p| p.result() == Err(Ground::Away)) {
                match self.touch(poke.addr) {
                    Err(e) if e == EINTR => return Err(e),
                    // Nothing is mapped there, so there is no breakpoint either.
                    Err(_) => {}
                    Ok(()) => any = true,
                }
            }
            if !any {
                break;
            }
        }
        Ok(())
    }

    /// Maps memory that its threads can execute but not write, within reach of a near jump from
    /// `near`.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn map(&self, near: u64, size: u64) -> Result<Room> {
        // SAFETY: `self.0` is an `mm_struct` by the invariant.
        let at = unsafe { sys::kapi_space_map(self.0.as_ptr(), near, size) };
        match u64::try_from(at) {
            Ok(start) => Ok(Room { start, size }),
            // CAST: an errno.
            Err(_) => Err(Error::from_errno(at as i32)),
        }
    }

    /// Tells whether a thread may be in memory that was mapped here and that no breakpoint leads to
    /// any more, or whether a debugger may have saved registers that point into it.
    ///
    /// # Context
    ///
    /// *process*
    pub fn is_inside(&self, room: &Room) -> bool {
        // SAFETY: `self.0` is an `mm_struct` by the invariant.
        unsafe { sys::kapi_space_inside(self.0.as_ptr(), room.start, room.size) }
    }

    /// Unmaps memory that was mapped here, if it still exists. Call it after
    /// [`is_inside`](Self::is_inside) has returned false; a process that enters it nevertheless is
    /// killed. In the current process it happens at once and takes as long as the process likes, so
    /// hold no lock that others wait for. In another process it happens some time later.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn unmap(&self, room: &Room) -> Result {
        // SAFETY: `self.0` is an `mm_struct` by the invariant. If a thread is still inside, only
        // its own process is hurt.
        to_result(unsafe { sys::kapi_space_unmap(self.0.as_ptr(), room.start, room.size) })
    }

    /// Writes to memory that was mapped here and that no thread executes yet.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn fill(&self, room: &Room, at: u64, bytes: &[u8]) -> Result {
        let end = at.checked_add(bytes.len() as u64).ok_or(EINVAL)?;
        if end > room.size {
            return Err(EINVAL);
        }
        let addr = room.start.wrapping_add(at);
        // SAFETY: `self.0` is an `mm_struct` by the invariant; `bytes` has `bytes.len()` bytes.
        to_result(unsafe {
            sys::kapi_space_write(self.0.as_ptr(), addr, bytes.as_ptr(), bytes.len())
        })
    }

    /// Tells whether a counter of two bytes at this address may be changed for a probe: it must be
    /// in private, writable memory of the file that the probe is in.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn may_count(&self, addr: u64, probe: u64) -> bool {
        // SAFETY: `self.0` is an `mm_struct` by the invariant.
        unsafe { sys::kapi_space_counter(self.0.as_ptr(), addr, probe) }
    }

    /// Returns the value of a counter of two bytes; `None`: it is not present.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn counted(&self, addr: u64) -> Option<u16> {
        let mut bytes = [0; 2];
        (self.read(addr, &mut bytes).0 == bytes.len()).then(|| u16::from_le_bytes(bytes))
    }

    /// Changes a counter of two bytes, which the process can write to, by `by`, but not below 0.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn count(&self, addr: u64, by: i16) -> Result {
        let now = self.counted(addr).ok_or(EFAULT)?.saturating_add_signed(by).to_le_bytes();
        // SAFETY: `self.0` is an `mm_struct` by the invariant; `now` has two bytes.
        to_result(unsafe { sys::kapi_space_write(self.0.as_ptr(), addr, now.as_ptr(), now.len()) })
    }
}

impl Thread {
    /// Returns the address at which it goes on, or was when it last entered the kernel.
    pub fn ip(&self) -> u64 {
        self.ip
    }

    /// Tells whether a debugger may have saved registers of it.
    pub fn is_debugged(&self) -> bool {
        self.debugged
    }

    /// Tells whether it may be forking right now, in a fork that has not been reported yet. A later
    /// call of [`awaits_children`] takes that fork into account.
    pub fn may_fork(&self) -> bool {
        self.may_fork
    }
}

/// Calls `f` with each thread of some processes, by their keys. A call with `None` asks `f` whether
/// a process is one of them. `f` must not sleep.
///
/// # Context
///
/// *process*
pub fn each_thread<F: FnMut(u64, Option<&Thread>) -> bool>(mut f: F) {
    /// # Safety
    ///
    /// `data` is an `F` that nobody else uses; `thread` is null or a thread.
    unsafe extern "C" fn tell<F: FnMut(u64, Option<&Thread>) -> bool>(
        data: *mut c_void,
        mm: u64,
        thread: *const c_void,
    ) -> bool {
        // SAFETY: by the caller.
        let f = unsafe { &mut *data.cast::<F>() };
        // SAFETY: by the caller.
        let thread = unsafe { thread.cast::<Thread>().as_ref() };
        f(mm, thread)
    }
    // SAFETY: `tell` gets a pointer to `f`, which nothing else uses until this returns.
    unsafe { sys::kapi_each_thread(tell::<F>, core::ptr::from_mut(&mut f).cast()) };
}

/// Memory that was mapped into a process. It stays until it is [unmapped](Space::unmap) or the
/// process ends. A copy of the process has it too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Room {
    start: u64,
    size: u64,
}

impl Room {
    /// Returns its first address.
    pub fn start(&self) -> u64 {
        self.start
    }

    /// Returns its size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }
}

/// Returns [`Space::key`] of the current process, or 0 if it has no memory.
///
/// # Context
///
/// *any*
#[inline]
pub fn key() -> u64 {
    crate::task::memory()
}

/// Tells whether the current thread has a shadow stack, which must see every call and return.
///
/// # Context
///
/// *any*
pub fn has_shadow_stack() -> bool {
    sys::kapi_shadow_stack()
}

/// The registers with which the current process will continue. The process could set them itself,
/// so any value is safe; a senseless value kills it.
#[repr(transparent)]
pub struct Registers(bindings::pt_regs);

impl Registers {
    /// Returns a general register by its number in instructions: rax, rcx, rdx, rbx, rsp, rbp, rsi,
    /// rdi, r8 ... r15; 16 is rip. Returns 0 for other numbers.
    #[inline]
    pub fn get(&self, n: u8) -> u64 {
        let r = &self.0;
        // CAST: `c_ulong` has 64 bits.
        (match n {
            0 => r.ax,
            1 => r.cx,
            2 => r.dx,
            3 => r.bx,
            4 => r.sp,
            5 => r.bp,
            6 => r.si,
            7 => r.di,
            8 => r.r8,
            9 => r.r9,
            10 => r.r10,
            11 => r.r11,
            12 => r.r12,
            13 => r.r13,
            14 => r.r14,
            15 => r.r15,
            16 => r.ip,
            _ => 0,
        }) as u64
    }

    /// Returns the low half of one of the current thread's vector registers, xmm0 ... xmm15, as it
    /// was when its program entered the kernel. Returns 0 for other numbers. Can be called while a
    /// probe fires.
    #[inline]
    pub fn vector(n: u8) -> u64 {
        sys::kapi_user_vector(n.into())
    }

    /// Returns the first six arguments of a function that begins here.
    #[inline]
    pub fn args(&self) -> [u64; 6] {
        let r = &self.0;
        [r.di, r.si, r.dx, r.cx, r.r8, r.r9].map(|v| v as u64)
    }

    /// Returns the instruction pointer.
    #[inline]
    pub fn ip(&self) -> u64 {
        self.0.ip as u64
    }

    /// Returns the stack pointer.
    #[inline]
    pub fn sp(&self) -> u64 {
        self.0.sp as u64
    }

    /// Returns the flags.
    #[inline]
    pub fn flags(&self) -> u64 {
        self.0.flags as u64
    }

    /// Returns rax, the value of a function.
    #[inline]
    pub fn value(&self) -> u64 {
        self.0.ax as u64
    }

    /// Tells whether it runs 64-bit code.
    #[inline]
    pub fn is_wide(&self) -> bool {
        // SAFETY: all members of the union are numbers.
        let cs = unsafe { self.0.__bindgen_anon_1.cs };
        cs == USER_CS
    }

    /// Sets the instruction pointer.
    #[inline]
    pub fn set_ip(&mut self, to: u64) {
        self.0.ip = to as usize;
    }

    /// Sets the stack pointer.
    #[inline]
    pub fn set_sp(&mut self, to: u64) {
        self.0.sp = to as usize;
    }

    /// Sets rax, the value of a function.
    #[inline]
    pub fn set_value(&mut self, to: u64) {
        self.0.ax = to as usize;
    }

    /// Sets rcx.
    #[inline]
    pub fn set_cx(&mut self, to: u64) {
        self.0.cx = to as usize;
    }
}

/// `__USER_CS`
const USER_CS: u16 = 0x33;

/// The callbacks for events.
pub struct Handlers {
    /// The current process has reached a breakpoint, one byte before its instruction pointer.
    /// Returns false if the breakpoint is not ours. Runs in *probe* context.
    pub trap: fn(&ProbeCtx, &mut Registers) -> bool,
    /// The current process is about to handle a signal, or to be killed by one that its instruction
    /// has `raised`. Runs in *probe* context.
    pub signal: fn(&ProbeCtx, &mut Registers, raised: bool),
    /// Tells whether the space with this key has ever had a breakpoint. Runs in *probe* context.
    pub is_traced: fn(&ProbeCtx, key: u64) -> bool,
    /// The current process is a copy of the one with this key, including its breakpoints, and has
    /// not run yet. Runs in *process* context.
    pub forked: fn(parent: u64),
    /// A process may have ended, or executed another program. Runs in *process* context.
    pub ended: fn(),
    /// The time of [`look_again`] has passed. Runs in *process* context.
    pub again: fn(),
}

static HANDLERS: Once<Handlers> = Once::new();

/// Calls the handlers from now on. Pass the same ones each time. Only one caller at a time.
///
/// # Context
///
/// *process*, may sleep
pub fn watch(handlers: Handlers) -> Result {
    HANDLERS.populate(handlers);
    // Tasks will enter our code, and we must be able to tell when they have left it.
    sites::expect();
    crate::mem::ask()?;
    to_result(sys::kapi_user_watch())
}

/// Stops the calls, after every copied process has been reported. No process may have a breakpoint
/// left. Only one caller at a time; it holds no lock that a handler takes.
///
/// # Context
///
/// *process*, may sleep
pub fn unwatch() {
    sys::kapi_user_unwatch();
}

/// Calls [`Handlers::again`] once, after this many milliseconds. It replaces an earlier request.
///
/// # Context
///
/// *process*
pub fn look_again(ms: u32) {
    sys::kapi_user_later(ms);
}

/// Tells whether the process with this key was copied, and [`Handlers::forked`] has not yet
/// finished for the copy.
///
/// # Context
///
/// *process*
pub fn awaits_children(parent: u64) -> bool {
    sys::kapi_user_awaits_children(parent)
}

/// # Safety
///
/// Only the notifier in `user.c` may call this; `regs` are the registers of the current process.
#[no_mangle]
unsafe extern "C" fn kapi_user_trapped(regs: *mut bindings::pt_regs) -> bool {
    let Some(handlers) = HANDLERS.as_ref() else { return false };
    // SAFETY: by the caller, `regs` are valid, and nobody else uses them; `Registers` is
    // transparent.
    let regs = unsafe { &mut *regs.cast::<Registers>() };
    context::enter(|ctx| (handlers.trap)(ctx, regs)).unwrap_or(false)
}

/// # Safety
///
/// As for `kapi_user_trapped`, but only the tracepoint handler in `user.c` may call this.
#[no_mangle]
unsafe extern "C" fn kapi_user_signalled(regs: *mut bindings::pt_regs, raised: bool) {
    let Some(handlers) = HANDLERS.as_ref() else { return };
    // SAFETY: by the caller, `regs` are valid, and nobody else uses them; `Registers` is
    // transparent.
    let regs = unsafe { &mut *regs.cast::<Registers>() };
    context::enter(|ctx| (handlers.signal)(ctx, regs, raised));
}

#[no_mangle]
extern "C" fn kapi_user_is_traced(mm: u64) -> bool {
    let Some(handlers) = HANDLERS.as_ref() else { return false };
    context::enter(|ctx| (handlers.is_traced)(ctx, mm)).unwrap_or(false)
}

#[no_mangle]
extern "C" fn kapi_user_forked(parent: u64) {
    if let Some(handlers) = HANDLERS.as_ref() {
        (handlers.forked)(parent);
    }
}

#[no_mangle]
extern "C" fn kapi_user_ended() {
    if let Some(handlers) = HANDLERS.as_ref() {
        (handlers.ended)();
    }
}

#[no_mangle]
extern "C" fn kapi_user_again() {
    if let Some(handlers) = HANDLERS.as_ref() {
        (handlers.again)();
    }
}
