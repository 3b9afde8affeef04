// SPDX-License-Identifier: GPL-2.0
//! Patches kernel text in batches, and restores it.
//!
//! A probe site is five bytes wide: a nop while it is disabled, a `call` to a trampoline while it
//! is enabled. The kernel changes it under running CPUs so that each of them executes either the
//! one or the other.
//!
//! Before anything changes, a batch is checked: each site must be text of the kernel or of a loaded
//! module, and hold the bytes that the patch says were there. So a patch can only turn a nop, a
//! return or a jump into a call of a trampoline that was made for it, and back: the table of sites
//! has the target of each replaced jump, and no other jump comes back. A call can only be written at
//! a [`Boundary`], which only the decoder makes (crate `x86`). It is never written into text that
//! runs without the kernel's handlers ([`forbidden::is_in_section`]).
//!
//! Two things are left to the callers, the crates `patch` and `sdt`: a [`Boundary`] must come from
//! the first instruction of the function that is there, and functions of ordinary sections that run
//! on a CPU without an IDT must be left out (`patch/src/unready.rs`).
//!
//! Locks: kprobe_mutex, the CPUs, module_mutex, text_mutex (see [`crate::poke`]).

use crate::forbidden;
use crate::nofault;
use crate::poke::{self, Kprobes, Span, Text};
pub use crate::sites::Refused;
use crate::sites::{self, Kind, Site, Table, CHUNK};
use crate::sort;
use crate::symbols;
pub use crate::sys::Patch;
use crate::sys::{self, TextFns};
use crate::trampoline::Trampoline;
use crate::xcall::Cpus;
use core::ops::Range;
use core::slice;
use x86::encoding::{CALL, INT3, JMP, WIDE_NOP, WIDE_RET};
use x86::Boundary;

impl Patch {
    /// Replaces `old` by a call of `trampoline`. `None`: the trampoline is too far away, or is not
    /// for such an instruction. [`Trampoline::Sdt`] replaces a nop, [`Trampoline::Return`] a return
    /// (or the jump to the kernel's return thunk), [`Trampoline::Tail`] a jump.
    pub fn to_call(at: Boundary, old: [u8; 5], trampoline: Trampoline) -> Option<Self> {
        let addr = at.addr();
        let new = call_to(trampoline, addr)?;
        fits(trampoline, addr, old).then_some(Self { addr, old, new })
    }

    /// Replaces a call of `trampoline` by the instruction that was there before it. `None`: as for
    /// [`Self::to_call`]. An instruction begins at `addr` if this call is there, because only
    /// [`Self::to_call`] writes one. A jump to another target than before is refused
    /// ([`Refused::Malformed`]) when the patch is made.
    pub fn restore(addr: u64, old: [u8; 5], trampoline: Trampoline) -> Option<Self> {
        let call = call_to(trampoline, addr)?;
        fits(trampoline, addr, old).then_some(Self { addr, old: call, new: old })
    }

    /// Replaces `call` by a nop. `None`: it is not a call.
    pub fn call_to_nop(at: Boundary, call: [u8; 5]) -> Option<Self> {
        let fits = call.first() == Some(&CALL);
        fits.then_some(Self { addr: at.addr(), old: call, new: WIDE_NOP })
    }

    /// Returns the patch that undoes this one. A patch that already takes away a call of ours is
    /// returned as it is: only [`Self::to_call`] may write such a call.
    pub fn undo(&self) -> Self {
        let from = branch_target(self.addr, self.old, CALL);
        let ours = [Trampoline::Sdt, Trampoline::Return, Trampoline::Tail];
        if ours.iter().any(|t| from == Some(t.addr())) {
            return *self;
        }
        Self { addr: self.addr, old: self.new, new: self.old }
    }

    /// Returns the address of the first byte.
    pub fn addr(&self) -> u64 {
        self.addr
    }

    /// Returns the target if this patch makes a call.
    fn calls(&self) -> Option<u64> {
        branch_target(self.addr, self.new, CALL)
    }

    /// Tells whether it changes a return, or restores one.
    fn is_return(&self) -> bool {
        self.old == WIDE_RET || self.new == WIDE_RET
    }

    /// Tells whether the patch can be made: the text there has the old bytes, no kprobe is near, and
    /// the kernel's method takes the new ones.
    fn check(&self, text: &Text, kprobes: &Kprobes) -> Result<(), Refused> {
        let [opcode, ..] = self.new;
        if !(matches!(opcode, CALL | JMP) || self.new == WIDE_NOP || self.new == WIDE_RET) {
            return Err(Refused::Malformed);
        }
        let len = self.new.len();
        if !text.is_text(self.addr, len) {
            return Err(Refused::NotText);
        }
        let is_static_call = || self.calls().is_some() && sites::is_static_call(self.addr);
        if text.read(self.addr) != Some(self.old)
            || kprobes.near(self.addr, len)
            || is_static_call()
        {
            return Err(Refused::Busy);
        }
        if self.takes_tail() && !self.is_jump_back() {
            return Err(Refused::Malformed);
        }
        Ok(())
    }

    /// Tells whether it takes away a call that has replaced a jump.
    fn takes_tail(&self) -> bool {
        branch_target(self.addr, self.old, CALL) == Some(Trampoline::Tail.addr())
    }

    /// Tells whether it writes the jump that a call has replaced there.
    fn is_jump_back(&self) -> bool {
        let to = sys::kapi_tail_target(self.addr);
        to != 0 && branch_target(self.addr, self.new, JMP) == Some(to)
    }

    /// Returns the site of the replaced jump, if the call must know the jump's target.
    fn tail(&self) -> Option<Site> {
        let target = branch_target(self.addr, self.old, JMP)?;
        (self.calls() == Some(Trampoline::Tail.addr()))
            .then(|| Site::new(self.addr, Kind::Tail, target, 5))
    }
}

/// Tells whether `trampoline` replaces this instruction.
fn fits(trampoline: Trampoline, addr: u64, old: [u8; 5]) -> bool {
    match trampoline {
        Trampoline::Sdt => old == WIDE_NOP,
        Trampoline::Return => {
            let to = branch_target(addr, old, JMP);
            old == WIDE_RET || to.is_some() && to == symbols::return_thunk()
        }
        Trampoline::Tail => old.first() == Some(&JMP),
    }
}

/// Tells whether a kprobe's breakpoint is at one of these addresses, or may yet be written there:
/// then a breakpoint that was read there before may be its own.
///
/// # Context
///
/// *process*; as for [`patch`].
pub fn has_kprobe(mut addrs: impl Iterator<Item = u64>) -> bool {
    // A kprobe is in the table before its breakpoint is in the text, and leaves it later.
    let Some(fns) = symbols::text_fns().filter(|_| poke::any_kprobe()) else { return false };
    let kprobes = Kprobes::hold(fns);
    addrs.any(|addr| kprobes.at(addr))
}

/// Replaces breakpoints of kprobes in `bytes`, a copy of the text at `start`, by the bytes that they
/// hide.
///
/// # Context
///
/// *process*; as for [`patch`].
pub fn uncover(start: u64, bytes: &mut [u8]) {
    let fns = symbols::text_fns().filter(|_| bytes.contains(&INT3) && poke::any_kprobe());
    let Some(kprobes) = fns.map(Kprobes::hold) else { return };
    for (at, byte) in bytes.iter_mut().enumerate().filter(|(_, byte)| **byte == INT3) {
        *byte = kprobes.hidden(start.wrapping_add(at as u64)).unwrap_or(INT3);
    }
}

/// Redirects a call in one of our trampolines to another function of the same type. With call depth
/// tracking, the kernel has redirected it to the padding before `old`
/// (arch/x86/kernel/callthunks.c), of at most 16 bytes. Returns false if it calls something else,
/// or cannot be changed.
pub(crate) fn redirect(call: u64, old: u64, new: u64) -> bool {
    let mut present = [0; 5];
    // The new call goes around the padding. So the depth counts one call less, and the kernel fills
    // the return stack buffer earlier than it must.
    let leads_to_old = nofault::read_kernel(call, &mut present).is_ok()
        && branch_target(call, present, CALL).is_some_and(|to| old.wrapping_sub(to) <= 16);
    match call_from(call, new) {
        // No site leads to us by this change, so unloading need not wait for it.
        Some(new) if leads_to_old => write(&[Patch { addr: call, old: present, new }]).is_ok(),
        _ => false,
    }
}

/// Returns the target of a five-byte instruction with this first byte.
fn branch_target(addr: u64, [first, a, b, c, d]: [u8; 5], opcode: u8) -> Option<u64> {
    let distance = i64::from(i32::from_le_bytes([a, b, c, d]));
    (first == opcode).then(|| addr.wrapping_add(5).wrapping_add_signed(distance))
}

/// Why nothing was patched. The number is the index of the patch that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchError {
    /// This kernel does not have the required functions.
    Unsupported,
    /// `new` is not an instruction that can be written.
    NotPatchable(usize),
    /// The address is not text, or is no longer text.
    NotText(usize),
    /// The bytes there differ from `old`, or a kprobe is near.
    Differs(usize),
    /// Everything was written, but this site does not read back as written.
    ReadBack(usize),
}

/// Makes all changes of the batch, or none. It is fastest if the addresses ascend.
///
/// # Context
///
/// *process*; not under a lock that is taken in a callback of
/// [`crate::modules::ModuleRef::for_each_symbol`].
pub fn patch(batch: &[Patch]) -> Result<(), PatchError> {
    let mut unknown = None;
    let _held = announce(batch, &mut |i, _| unknown = Some(i));
    match unknown {
        Some(i) => Err(PatchError::NotPatchable(i)),
        None => write(batch),
    }
}

fn write(batch: &[Patch]) -> Result<(), PatchError> {
    let fns = symbols::text_fns().ok_or(PatchError::Unsupported)?;
    let kprobes = Kprobes::hold(fns);
    // No CPU comes online while text changes: it runs code before it is online, and only CPUs that
    // are online are synchronized.
    let _cpus = Cpus::hold();
    let mut text = Text::hold(fns);
    for (i, patch) in batch.iter().enumerate() {
        patch.check(&text, &kprobes).map_err(|why| match why {
            Refused::Malformed => PatchError::NotPatchable(i),
            Refused::NotText => PatchError::NotText(i),
            _ => PatchError::Differs(i),
        })?;
    }
    for patch in batch {
        // SAFETY: `check` found the old instruction of the patch there, and the new one is known.
        unsafe { text.queue(patch.addr, &patch.new) };
    }
    text.finish();
    match batch.iter().position(|p| text.read(p.addr) != Some(p.new)) {
        Some(i) => Err(PatchError::ReadBack(i)),
        None => Ok(()),
    }
}

/// Makes all changes that can be made, and calls `refused` with the index of each that cannot. It
/// is fastest if the addresses ascend.
///
/// # Context
///
/// *process*; as [`patch`].
pub fn patch_each(batch: &[Patch], refused: &mut dyn FnMut(usize, Refused)) {
    let Some(fns) = symbols::text_fns() else {
        return (0..batch.len()).for_each(|i| refused(i, Refused::Unsupported));
    };
    for (n, chunk) in batch.chunks(CHUNK).enumerate() {
        let mut whys = [None; CHUNK];
        let _held = announce(chunk, &mut |i, why| {
            if let Some(to) = whys.get_mut(i) {
                *to = Some(why);
            }
        });
        patch_chunk(fns, chunk, &mut whys);
        for (i, why) in whys.iter().enumerate() {
            if let Some(why) = why {
                refused(n.wrapping_mul(CHUNK).wrapping_add(i), *why);
            }
        }
    }
}

/// A site holds a breakpoint while it changes, if `sites.c` can emulate its instruction: a return,
/// or a jump with a target that we know. That is the kernel's method, but for many sites at a time,
/// and it emulates the old instruction, not the new one. Everything else is left to the kernel's
/// own.
#[derive(Clone, Copy)]
enum Step {
    Breakpoint,
    Tail,
    Head,
}

/// Applies each patch on its own, except those with a `why`.
fn patch_chunk(fns: &'static TextFns, batch: &[Patch], whys: &mut [Option<Refused>; CHUNK]) {
    // The indexes of the patches, by their addresses.
    let mut order = [0_u8; CHUNK];
    order.iter_mut().enumerate().for_each(|(i, to)| *to = i as u8);
    let order = order.get_mut(..batch.len()).unwrap_or(&mut []);
    sort::heap(order, &|i| batch.get(usize::from(*i)).map_or(0, Patch::addr));
    // The patches that take steps, and the returns among them.
    let (mut stepped, mut nstepped) = ([0_u8; CHUNK], 0_usize);
    let (mut returning, mut nreturning) = ([0; CHUNK], 0_usize);
    let mut free = 0;

    let kprobes = Kprobes::hold(fns);
    let cpus = Cpus::hold();
    let mut text = Text::hold(fns);
    for i in order {
        let at = usize::from(*i);
        let (Some(p), Some(why)) = (batch.get(at), whys.get_mut(at)) else { continue };
        if why.is_some() {
            continue;
        }
        // A patch that is accepted now is written later: the one before does not show in the text
        // yet.
        let overlaps = || if p.addr < free { Err(Refused::Busy) } else { Ok(()) };
        *why = p.check(&text, &kprobes).and_then(|()| overlaps()).err();
        if why.is_some() {
            continue;
        }
        free = p.addr.wrapping_add(5);
        let emulated = p.is_return() || sys::kapi_tail_target(p.addr) != 0;
        if fns.poke == 0 || fns.sync == 0 || !emulated {
            // SAFETY: `check` found the old instruction of the patch there, and the new one is
            // known.
            unsafe { text.queue(p.addr, &p.new) };
            continue;
        }
        if let Some(to) = returning.get_mut(nreturning).filter(|_| p.is_return()) {
            *to = p.addr;
            nreturning = nreturning.wrapping_add(1);
        }
        if let Some(to) = stepped.get_mut(nstepped) {
            *to = *i;
            nstepped = nstepped.wrapping_add(1);
        }
    }
    text.finish();
    let stepped = stepped.get(..nstepped).unwrap_or(&[]);
    if stepped.is_empty() {
        return;
    }
    // SAFETY: `text` holds `text_mutex`; the list has `nreturning` members, and was emptied below.
    unsafe { sys::kapi_returning_are(returning.as_ptr(), nreturning) };
    for step in [Step::Breakpoint, Step::Tail, Step::Head] {
        let mut span = Span::new(&mut text);
        for p in stepped.iter().filter_map(|i| batch.get(usize::from(*i))) {
            take_step(&mut span, p, step);
        }
        span.end();
        cpus.sync(fns);
    }
    // SAFETY: as above; no site of the list has a breakpoint, and each CPU has taken an interrupt.
    unsafe { sys::kapi_returning_are(returning.as_ptr(), 0) };
}

fn take_step(span: &mut Span<'_>, p: &Patch, step: Step) {
    let [head, tail @ ..] = &p.new;
    let (addr, bytes): (u64, &[u8]) = match step {
        Step::Breakpoint => (p.addr, &[INT3]),
        Step::Tail => (p.addr.wrapping_add(1), tail),
        Step::Head => (p.addr, slice::from_ref(head)),
    };
    if let Step::Tail = step {
        span.text().event(p.addr, &p.old, &p.new);
    }
    // SAFETY: `check` found an instruction there. `sites.c` emulates it while the breakpoint is
    // there: it is a return, and listed, or a known jump. Every CPU is synchronized between two
    // steps.
    unsafe { span.add(addr, bytes) };
}

/// Prepares for calls before they are written. It registers the targets of the replaced jumps,
/// which the first call already needs, notes that tasks may enter our text, and starts to receive
/// the breakpoints that are there during the change. The returned value keeps other changes out.
fn announce(batch: &[Patch], refused: &mut dyn FnMut(usize, Refused)) -> Option<Table> {
    if batch.iter().any(|p| p.calls().is_some()) {
        sites::expect();
    }
    for (i, _) in batch.iter().enumerate().filter(|(_, p)| forbidden::is_in_section(p.addr)) {
        refused(i, Refused::Malformed);
    }
    let tails = batch.iter().filter(|p| p.tail().is_some()).count();
    if tails == 0 && !batch.iter().any(Patch::is_return) {
        return None;
    }
    let table = Table::lock();
    // During the change, tails and returns have breakpoints.
    let room = if tails == 0 { Ok(()) } else { table.reserve(tails) };
    let room = room.and_then(|()| table.breakpoints_on());
    for (i, p) in batch.iter().enumerate() {
        let tail = || p.tail().map_or(Ok(()), |site| table.add(&site));
        let known = room.and_then(|()| tail());
        if let Err(why) = known {
            refused(i, why);
        }
    }
    Some(table)
}

/// Returns the instruction that calls `trampoline` from `site`; `None` if it is too far away.
fn call_to(trampoline: Trampoline, site: u64) -> Option<[u8; 5]> {
    call_from(site, trampoline.addr())
}

fn call_from(site: u64, to: u64) -> Option<[u8; 5]> {
    let from = site.checked_add(5)?;
    let distance = i32::try_from(to.wrapping_sub(from) as i64).ok()?;
    let [a, b, c, d] = distance.to_le_bytes();
    Some([CALL, a, b, c, d])
}

/// Tells whether the kernel expects the instruction at `addr` to fault, and handles the fault by
/// this address. A fault of a copy elsewhere would not be handled.
///
/// # Context
///
/// *process*
pub fn may_fault(addr: u64) -> bool {
    symbols::may_fault(addr)
}

/// Forgets the sites in text that disappears. Call it when no CPU can come from there any more, and
/// before other text can take its place.
///
/// # Context
///
/// *process* or *notifier*
pub fn forget(range: Range<u64>) {
    Table::lock().forget(range);
}

/// Tells whether another part of the kernel patches these bytes: jump labels, static calls, ftrace,
/// alternatives. It does not ask for kprobes, which show as different bytes. Returns true if this
/// kernel cannot tell.
///
/// # Context
///
/// *process*
pub fn is_reserved(addr: u64, len: usize) -> bool {
    match symbols::text_fns() {
        Some(fns) if len > 0 => poke::is_reserved(fns, addr, len),
        _ => true,
    }
}
