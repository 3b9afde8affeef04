// SPDX-License-Identifier: GPL-2.0
//! Probes that programs register themselves, through `/dev/dtrace/helper`.
//!
//! We read the DOF once and convert it to the form in which the consumer asks for probes. We keep
//! that form, because a child gets the same probes under its own number. Any user's program can
//! send a DOF, so everything is limited: for each process and for all of them together.

use crate::attach::State;
use crate::code::Pages;
use crate::context::{Context, CONTEXT};
use crate::make::{self, Request};
use crate::process::{Helper, Process};
use crate::processes::Keyed;
use abi::helper::{
    MAX_ALL, MAX_HELPERS, MAX_PLACES, MAX_PROBES, MAX_PROVIDERS, MAX_USER, MAX_USERS,
};
use abi::user::{pack, UserArg, UserArgKind, UserKind, UserProbe, MAX_ARGS, NO_REG};
use dof::{Dof, ProviderProbe};
use framework::{Error, Framework};
use kapi::task::ROOT;
use kapi::user::{self, Space};
use kapi::{mem, task, xcall};
use kernel::error::code::ENODEV;
use kernel::prelude::*;
use x86::encoding::RET;

type Result<T = ()> = core::result::Result<T, Error>;

/// Makes the probes of a DOF in the current process. Returns the number by which [`remove`] removes
/// them. `module` is the object that contains the probes, `address` its load address, `at` the
/// address of the DOF in the process.
///
/// # Context
/// *process*, may sleep
pub fn add(module: &[u8], address: u64, at: u64, bytes: &mut [u8]) -> Result<u32> {
    let context = CONTEXT.get().ok_or(ENODEV)?;
    relocate(address, at, bytes)?;
    let space = Space::current().ok_or(ESRCH)?;
    let (packed, places) = packed(module, &Dof::check(bytes)?, &space)?;
    Pages::of(&space).bring_packed(&packed)?;
    let paid = pay(places)?;
    let mut kept = mem::charged(packed.len())?;
    mem::accounted::extend(&mut kept, &packed)?;
    let packed = mem::arc(kept)?;
    let _making = context.making.lock();
    let key = space.key();
    let number = {
        let mut state = context.fasttrap.state.lock();
        state.know(find()?)?;
        let process = state.processes.get_mut(key).ok_or(ESRCH)?;
        process.last_helper =
            process.last_helper.checked_add(1).ok_or(Error::TooMany("helpers"))?;
        process.last_helper
    };
    install(&context, key, Helper::new(number, places, packed, paid))?;
    Ok(number)
}

/// The memory that is needed for a place: its probe with names and parts, its instruction, its
/// entries in tables.
const BYTES: usize = 512;

/// Returns memory that is charged to the current process for its probes. Under the locks, a charge
/// could make all others wait for a cgroup that is over its `memory.high`.
fn pay(places: usize) -> Result<KVVec<u8>> {
    Ok(mem::charged(places.saturating_mul(BYTES))?)
}

/// Returns the current process. The caller is no kernel thread, and the process has not ended.
pub(crate) fn find() -> Result<kapi::user::Found> {
    Ok(Space::of(u32::try_from(task::ns_pid()).map_err(|_| ESRCH)?)?)
}

/// Makes the probes, and keeps the packed form of the helper. On an error, nothing of it remains.
fn install(context: &Context, key: u64, mut helper: Helper) -> Result {
    let number = helper.number;
    {
        let mut state = context.fasttrap.state.lock();
        state.admit(key, &helper)?;
    }
    let pid = u32::try_from(task::pid()).map_err(|_| ESRCH)?;
    helper.pid = pid;
    let may_destroy = task::may_destroy();
    let request = Request { pid, space: key, helper: number, may_destroy };
    let (mut any_refused, mut made) = (false, Ok(0));
    // Pages of the program may have to be read, or be copied for breakpoints, under locks: this
    // thread could be made to wait for its cgroup there.
    xcall::aside(|| {
        made = make::probes(context, request, &helper.packed, &mut |_| any_refused = true);
    });
    let kept = made.and_then(|made| match (made, any_refused) {
        (0, _) | (_, true) => Err(EFAULT.into()),
        (_, false) => context.fasttrap.state.lock().keep(key, helper),
    });
    if kept.is_err() {
        withdraw(context, key, number);
    }
    kept
}

/// A number, added up over processes.
pub(crate) struct Sum {
    /// Over all processes.
    all: usize,
    /// Over those of one user.
    pub(crate) own: usize,
    /// Over those of all users except root.
    pub(crate) users: usize,
}

/// Those who have as many places of probes that programs register as are allowed.
pub(crate) enum Full {
    User,
    All,
}

impl Sum {
    /// Checks whether a user may have more places. Root has no quota, and the limit for the other
    /// users leaves room for root.
    pub(crate) fn admits(&self, owner: u32, more: usize) -> core::result::Result<(), Full> {
        let with = |sum: usize| sum.saturating_add(more);
        match owner {
            ROOT if with(self.all) > MAX_ALL => Err(Full::All),
            ROOT => Ok(()),
            _ if with(self.own) > MAX_USER => Err(Full::User),
            _ if with(self.all) > MAX_ALL || with(self.users) > MAX_USERS => Err(Full::All),
            _ => Ok(()),
        }
    }
}

impl State {
    /// Adds up a number that each process has; `owner` is the one user.
    pub(crate) fn sum(&self, owner: u32, of: impl Fn(&Process) -> usize) -> Sum {
        let mut sum = Sum { all: 0, own: 0, users: 0 };
        for process in self.processes.iter() {
            let n = of(process);
            sum.all = sum.all.saturating_add(n);
            if process.owner == owner {
                sum.own = sum.own.saturating_add(n);
            }
            if process.owner != ROOT {
                sum.users = sum.users.saturating_add(n);
            }
        }
        sum
    }

    /// Checks whether the places of the helper fit into the limits of this process, of its user,
    /// and of all users.
    fn admit(&mut self, key: u64, helper: &Helper) -> Result {
        let owner = task::owner();
        let sum = self.sum(owner, Process::charged);
        let process = self.processes.get_mut(key).ok_or(ESRCH)?;
        if process.helpers.len() >= MAX_HELPERS {
            return Err(Error::TooMany("helpers of one process"));
        }
        let places = process.places.saturating_add(helper.places);
        if places > MAX_PLACES || process.litter() > MAX_PLACES {
            return Err(Error::TooMany("places of probes of one process"));
        }
        match sum.admits(owner, helper.places) {
            Ok(()) => {}
            Err(Full::User) => return Err(Error::TooMany("places of probes of one user")),
            Err(Full::All) => return Err(ENOSPC.into()),
        }
        process.owner = owner;
        Ok(mem::reserve(&mut process.helpers, 1)?)
    }

    fn keep(&mut self, key: u64, helper: Helper) -> Result {
        let process = self.processes.get_mut(key).ok_or(ESRCH)?;
        process.places = process.places.saturating_add(helper.places);
        let kept = process.helpers.push_within_capacity(helper);
        kept.map_err(|_| ENOMEM.into())
    }
}

/// Removes the probes that the current process has registered under this number.
///
/// # Context
/// *process*, may sleep
pub fn remove(number: u32) -> Result {
    let context = CONTEXT.get().ok_or(ENODEV)?;
    let _making = context.making.lock();
    let key = Space::current().ok_or(ESRCH)?.key();
    {
        let mut state = context.fasttrap.state.lock();
        let process = state.processes.get_mut(key).ok_or(Error::NoSuch("helper"))?;
        let at = process.helpers.iter().position(|h| h.number == number);
        let at = at.ok_or(Error::NoSuch("helper"))?;
        process.forget_helper(at);
    }
    withdraw(&context, key, number);
    Ok(())
}

/// Removes the probes of each process that has ended, or has executed another program, while others
/// go on with its memory: the id in their names may soon be that of a process of another user. The
/// caller holds the lock `Making`.
pub(crate) fn withdraw_left(context: &Context) {
    context.fasttrap.state.lock().mark_left();
    let mut from = 0;
    loop {
        let Some((key, number)) = context.fasttrap.state.lock().take_left(from) else { return };
        withdraw(context, key, number);
        from = key;
    }
}

impl State {
    /// Marks the helpers that their processes have left behind in memory that others use.
    fn mark_left(&mut self) {
        let mut any_awaited = false;
        for process in self.processes.iter_mut() {
            process.may_have_ended = false;
            // If nobody uses the memory, they are forgotten with it.
            if process.mark_left() && process.space.is_alive() {
                process.may_have_ended = user::awaits_children(process.key());
                any_awaited |= process.may_have_ended;
            } else {
                process.unmark_left();
            }
        }
        if !any_awaited {
            return;
        }
        // A child that is not cleaned yet may be all that uses the memory of its parent: it still
        // gets the parent's probes. Every process waits for the lock, so all threads are looked at
        // once, however many such parents there are.
        user::each_thread(|key, _| {
            self.processes.get_mut(key).into_iter().for_each(|p| p.may_have_ended = false);
            false
        });
        let ending = self.processes.iter_mut().filter(|p| p.may_have_ended);
        ending.for_each(Process::unmark_left);
    }

    /// Forgets the first marked helper in processes from this key on. Returns the key and its
    /// number.
    fn take_left(&mut self, from: u64) -> Option<(u64, u32)> {
        let (key, at) = self.processes.iter_from(from).find_map(|p| {
            let at = p.helpers.iter().position(|h| h.is_left)?;
            Some((p.key(), at))
        })?;
        Some((key, self.processes.get_mut(key)?.forget_helper(at)?))
    }
}

impl Process {
    /// Marks the helpers of processes that do not use this memory any more. Returns true if there
    /// are any.
    fn mark_left(&mut self) -> bool {
        let Self { helpers, space, .. } = self;
        let (mut last, mut is_left, mut any) = (0, false, false);
        for helper in helpers.iter_mut() {
            // Nearly always, one process has registered all.
            if helper.pid != last {
                last = helper.pid;
                is_left = !space.is_of(last);
            }
            helper.is_left = is_left;
            any |= is_left;
        }
        any
    }

    fn unmark_left(&mut self) {
        self.helpers.iter_mut().for_each(|h| h.is_left = false);
    }

    /// Forgets a helper by its index. Returns its number.
    fn forget_helper(&mut self, at: usize) -> Option<u32> {
        let gone = self.helpers.remove(at).ok()?;
        self.places = self.places.saturating_sub(gone.places);
        Some(gone.number)
    }
}

/// Removes the probes of a helper even if they are enabled, for all its providers at once.
fn withdraw(context: &Context, key: u64, number: u32) {
    let mut state = context.fasttrap.state.lock();
    state.forget_helper(key, number);
    loop {
        let State { processes, probes, .. } = &mut *state;
        let Some(process) = processes.get_mut(key) else { return };
        let at = process.groups.iter().position(|g| g.helper == number);
        let Some(Ok(gone)) = at.map(|at| process.groups.remove(at)) else {
            return process.reindex(probes);
        };
        drop(state);
        // Lock order: the framework's lock comes before `State`.
        context.framework.retire_group(gone.group);
        state = context.fasttrap.state.lock();
    }
}

/// Gives the current process the probes that its parent registered itself. The process is a copy of
/// the parent, and its breakpoints have been removed. Each consumer that has enabled a probe which
/// the child cannot get sees this as a count on the parent's probe.
pub(crate) fn inherit(context: &Context, parent: u64, child: &Space) -> Result {
    let mut all: KVec<Helper> = KVec::new();
    let inherited = take_over(context, parent, child, &mut all);
    if inherited.is_err() && !task::is_dying() {
        let state = context.fasttrap.state.lock();
        // Only the helpers that are left; all of them if `all` could not be allocated.
        let is_left = |n: u32| n != 0 && (all.is_empty() || all.iter().any(|h| h.number == n));
        state.enabled_of(parent, is_left).for_each(|p| Framework::count_left_out(p));
    }
    inherited
}

/// Makes the probes of the parent's helpers. On an error, `all` holds the helpers without probes.
fn take_over(context: &Context, parent: u64, child: &Space, all: &mut KVec<Helper>) -> Result {
    let last = {
        let state = context.fasttrap.state.lock();
        let Some(process) = state.process(parent) else { return Ok(()) };
        mem::reserve(all, process.helpers.len())?;
        for Helper { number, places, packed, .. } in process.helpers.iter() {
            let (number, places, packed) = (*number, *places, packed.clone());
            mem::push(all, Helper::new(number, places, packed, KVVec::new()))?;
        }
        process.last_helper
    };
    if all.is_empty() {
        return Ok(());
    }
    for helper in all.iter_mut() {
        Pages::of(child).bring_packed(&helper.packed)?;
        helper.paid = pay(helper.places)?;
    }
    let _making = context.making.lock();
    let found = find()?;
    let key = found.space.key();
    {
        let mut state = context.fasttrap.state.lock();
        state.know(found)?;
        state.processes.get_mut(key).ok_or(ESRCH)?.last_helper = last;
    }
    while let Some(Helper { number, places, packed, paid, .. }) = all.last_mut() {
        let paid = core::mem::replace(paid, KVVec::new());
        let (number, places, packed) = (*number, *places, packed.clone());
        install(context, key, Helper::new(number, places, packed, paid))?;
        let _ = all.pop();
    }
    Ok(())
}

/// Applies the relocations of a DOF, which turn its numbers into addresses of the process.
fn relocate(address: u64, at: u64, bytes: &mut [u8]) -> Result {
    let mut all = KVVec::new();
    for relocation in Dof::check(bytes)?.relocations() {
        if all.len() >= MAX_PLACES {
            return Err(Error::TooMany("relocations"));
        }
        mem::accounted::extend(&mut all, &[relocation?])?;
    }
    for r in all.iter() {
        let end = r.at.wrapping_add(size_of::<u64>());
        let Some(number) = bytes.get_mut(r.at..end) else { return Err(EINVAL.into()) };
        let from = if r.is_own { at.wrapping_add(r.at as u64) } else { address };
        let mut word = [0; 8];
        word.iter_mut().zip(number.iter()).for_each(|(to, from)| *to = *from);
        let sum = u64::from_le_bytes(word).wrapping_add(from).wrapping_add(r.data);
        number.iter_mut().zip(sum.to_le_bytes()).for_each(|(to, from)| *to = from);
    }
    Ok(())
}

/// Returns the probes of a DOF in the form of the consumer's requests, and the number of places.
fn packed(module: &[u8], dof: &Dof<'_>, space: &Space) -> Result<(KVVec<u8>, usize)> {
    if !is_word(module) {
        return Err(Error::ProbeName);
    }
    let mut out = Out { bytes: KVVec::new(), places: 0 };
    let mut pages = Pages::of(space);
    let (mut providers, mut probes) = (0..MAX_PROVIDERS, 0..MAX_PROBES);
    for provider in dof.providers() {
        let provider = provider?;
        // Providers may share a list of probes, so the size of the DOF does not limit their number.
        providers.next().ok_or(Error::TooMany("providers of one DOF"))?;
        // The process id follows the provider's name, and `pid` is our own provider.
        let last = provider.name.last().copied().unwrap_or(b'0');
        if !is_word(provider.name) || last.is_ascii_digit() || provider.name == b"pid" {
            return Err(Error::ProbeName);
        }
        for probe in provider.probes() {
            let probe = probe?;
            probes.next().ok_or(Error::TooMany("probes of one DOF"))?;
            if task::is_dying() {
                return Err(EINTR.into());
            }
            if !is_word(probe.name) || !is_word(probe.function) {
                return Err(Error::ProbeName);
            }
            // Several objects contained the function, and none contains it in its original form.
            if probe.address == 0 {
                continue;
            }
            let names = [provider.name, module, probe.function, probe.name];
            let mut args = match probe.places().next() {
                Some(_) => [arguments(&probe, 0)?, arguments(&probe, 8)?],
                None => [Arguments::none(), Arguments::none()],
            };
            for place in probe.places() {
                // If the call was a tail call, the return address is still on the stack.
                let mut code = [0];
                pages.bring(place)?;
                space.read_patiently(place, &mut code);
                let [plain, last] = &mut args;
                let args = if code == [RET] { last } else { plain };
                out.put(UserKind::Usdt, place, args.text(), names)?;
            }
            for place in probe.questions() {
                out.put(UserKind::Question, place, &[], names)?;
            }
        }
    }
    match out.places {
        0 => Err(Error::NoSuch("probe")),
        places => Ok((out.bytes, places)),
    }
}

/// Tells whether a part of a name can be typed and contains no glob characters.
fn is_word(part: &[u8]) -> bool {
    let is_plain = |b: &u8| b.is_ascii_graphic() && !b":*?[]\\".contains(b);
    !part.is_empty() && part.iter().all(is_plain)
}

struct Out {
    bytes: KVVec<u8>,
    places: usize,
}

impl Out {
    fn put(&mut self, kind: UserKind, address: u64, args: &[UserArg], names: [&[u8]; 4]) -> Result {
        self.places = self.places.wrapping_add(1);
        if self.places > MAX_PLACES {
            return Err(Error::TooMany("places of probes of one process"));
        }
        let head = UserProbe { address, kind: kind as u8, ..UserProbe::default() };
        let mut full = Ok(());
        let bytes = &mut self.bytes;
        let fits = pack(head, &[0], &[], args, names, &mut |piece| {
            if full.is_ok() {
                full = mem::accounted::extend(bytes, piece);
            }
        });
        full?;
        if fits {
            Ok(())
        } else {
            Err(Error::ProbeName)
        }
    }
}

/// The locations of arguments when a function is called.
struct Arguments {
    all: [UserArg; MAX_ARGS],
    len: usize,
}

impl Arguments {
    fn none() -> Self {
        Self { all: [UserArg::default(); MAX_ARGS], len: 0 }
    }

    fn text(&self) -> &[UserArg] {
        self.all.get(..self.len).unwrap_or_default()
    }
}

/// The number of floating-point arguments in xmm0, xmm1, ...; the rest are on the stack.
const VECTORS: u8 = 8;
/// rdi, rsi, rdx, rcx, r8, r9
const REGISTERS: [u8; 6] = [7, 6, 2, 1, 8, 9];
const RSP: u8 = 4;

/// Returns the arguments of a probe. `deep` is the offset of the stack arguments from `rsp`, in
/// bytes.
fn arguments(probe: &ProviderProbe<'_>, deep: i64) -> Result<Arguments> {
    let mut out = Arguments::none();
    let (mut registers, mut vectors, mut at) = (REGISTERS.iter(), 0..VECTORS, deep);
    for native in probe.natives() {
        let native = native?;
        let Some(to) = out.all.get_mut(out.len) else { break };
        out.len = out.len.wrapping_add(1);
        let width = width(native);
        let arg = UserArg { index: NO_REG, reg: NO_REG, scale: 1, width, ..UserArg::default() };
        let register = if is_float(native) {
            vectors.next().map(|n| (UserArgKind::Vector, n))
        } else {
            registers.next().map(|n| (UserArgKind::Register, *n))
        };
        *to = match register {
            Some((kind, reg)) => UserArg { kind: kind as u8, reg, ..arg },
            None => {
                let value = at;
                at = at.wrapping_add(8);
                UserArg { kind: UserArgKind::Memory as u8, reg: RSP, value, ..arg }
            }
        };
    }
    Ok(out)
}

fn is_float(native: &[u8]) -> bool {
    matches!(native, b"float" | b"double")
}

/// Returns a [`UserArg::width`]. It matters because callers leave the rest of a register undefined.
fn width(native: &[u8]) -> u8 {
    const SIGNED: u8 = 128;
    match native {
        b"int" | b"int32_t" | b"pid_t" => 4 | SIGNED,
        b"float" => 4,
        b"unsigned int" | b"uint32_t" | b"uid_t" | b"gid_t" | b"uint_t" => 4,
        b"short" | b"int16_t" => 2 | SIGNED,
        b"unsigned short" | b"uint16_t" | b"ushort_t" => 2,
        b"char" | b"signed char" | b"int8_t" => 1 | SIGNED,
        b"unsigned char" | b"uint8_t" | b"uchar_t" | b"bool" => 1,
        _ => 8,
    }
}
