// SPDX-License-Identifier: GPL-2.0
//! Probes that the consumer asks for: it packs them, we check them and offer them to the framework.

use crate::attach::State;
use crate::code::{Pages, Reader};
use crate::context::{Context, CONTEXT};
use crate::probes::{Known, Part, Probes};
use crate::process::{Offered, Process};
use crate::table::Role;
use abi::probe::{Techniques, NARGS_UNKNOWN};
use abi::user::{Expected, MappedFile, Refusal, UserKind, UserProbeView, UserReason, MAX_ARGS};
use abi::user::{MAX_NOTES, MAX_USERS_NOTES, MAX_USER_NOTES};
use core::fmt;
use framework::framework::ProviderId;
use framework::{Draft, EnableError, Error, Framework, Offer, Probe};
use kapi::task::ROOT;
use kapi::user::{Ground, Space};
use kapi::{mem, task, time};
use kernel::error::code::ENODEV;
use kernel::prelude::*;
use kernel::sync::Arc;

type Result<T = ()> = core::result::Result<T, Error>;

/// Makes probes in the process with number `pid` in the caller's namespace. Returns how many are
/// new. The caller names the places, and nothing shows whether instructions begin there: a
/// breakpoint inside an instruction changes what the program does. So the caller must have the
/// right to change the process, which a debugger has.
///
/// # Context
/// *process*, may sleep
pub fn make(pid: u32, packed: &[u8], refuse: &mut dyn FnMut(Refusal)) -> Result<u32> {
    let context = CONTEXT.get().ok_or(ENODEV)?;
    let found = Space::to_change(pid).map_err(|e| match e {
        e if e == EPERM => Error::NotDebuggable,
        e => e.into(),
    })?;
    Pages::of(&found.space).bring_packed(packed)?;
    let _making = context.making.lock();
    let space = found.space.key();
    context.fasttrap.state.lock().know(found)?;
    let may_destroy = task::may_destroy();
    probes(&context, Request { pid, space, helper: 0, may_destroy }, packed, refuse)
}

/// The process in which probes are made, and the owner of the probes.
#[derive(Clone, Copy)]
pub(crate) struct Request {
    /// The number at the end of the provider's name.
    pub(crate) pid: u32,
    pub(crate) space: u64,
    /// The number of the process's helper that owns the probes; 0: none.
    pub(crate) helper: u32,
    /// The caller may change memory of the process, which semaphores require.
    pub(crate) may_destroy: bool,
}

/// The time in ns after which a request gives the lock `State` to others for a moment: every fork
/// of a traced process waits for it.
const TURN: u64 = 20_000_000;

/// Makes probes in a known process. Returns how many are new. The caller holds the lock `Making`.
pub(crate) fn probes(
    context: &Context,
    request: Request,
    packed: &[u8],
    refuse: &mut dyn FnMut(Refusal),
) -> Result<u32> {
    let mut drafts = KVec::new();
    let provider = context.provider;
    let reader = Reader::new()?;
    let space = request.space;
    let (serial, left) = {
        let mut state = context.fasttrap.state.lock();
        (state.probes.begin(), state.share(space))
    };
    let mut order = Order {
        request,
        serial,
        left,
        provider,
        reader,
        ready: &mut drafts,
        last: None,
        made: 0,
        rest: packed,
        number: 0,
        done: 0,
        changed: KVVec::new(),
        asked: KVVec::new(),
    };
    let done = order.all(context, refuse);
    let made = order.made;
    // Offer the probes that were added before an error, too.
    offer(context, drafts, request)?;
    done.map(|()| made)
}

impl State {
    /// Returns how many more places of probes in notes a process may have. As for probes that
    /// programs register, root has no quota, and the limit for the other users leaves room for
    /// root.
    fn share(&self, key: u64) -> usize {
        let Some(process) = self.process(key) else { return 0 };
        let left = MAX_NOTES.saturating_sub(process.notes);
        if process.owner == ROOT {
            return left;
        }
        let sum = self.sum(process.owner, |p| p.notes.saturating_add(p.litter()));
        left.min(MAX_USER_NOTES.saturating_sub(sum.own))
            .min(MAX_USERS_NOTES.saturating_sub(sum.users))
    }
}

/// Probes of one provider and module that are about to be offered.
struct Ready {
    draft: Draft,
    /// The numbers of the probes.
    numbers: KVVec<u32>,
}

fn offer(context: &Context, drafts: KVec<Ready>, request: Request) -> Result {
    let mut result = Ok(());
    for Ready { draft, numbers } in drafts {
        let offered = context.framework.offer_draft(draft);
        let mut state = context.fasttrap.state.lock();
        let process = state.processes.get_mut(request.space);
        let room = process.map(|p| mem::reserve(&mut p.groups, 1).map(|()| &mut p.groups));
        let (group, kept) = match (offered, room) {
            (Err(e), _) => (None, Err(e)),
            (Ok(group), None) => (Some(group), Ok(())),
            (Ok(group), Some(Err(e))) => (Some(group), Err(e.into())),
            (Ok(group), Some(Ok(groups))) => {
                let offered = Offered { group, numbers, helper: request.helper };
                let _ = groups.push_within_capacity(offered);
                continue;
            }
        };
        if kept.is_err() {
            numbers.iter().for_each(|n| state.probes.remove(*n));
            state.forget_numbers(request.space);
            result = kept;
        }
        drop(state);
        if let Some(group) = group {
            context.framework.retire_group(group);
        }
    }
    context.framework.provided();
    result
}

/// A request in progress.
struct Order<'a> {
    request: Request,
    /// The number of the request; see [`Known::checked`].
    serial: u64,
    /// How many more places of probes in notes the process may have.
    left: usize,
    provider: ProviderId,
    reader: Reader,
    ready: &'a mut KVec<Ready>,
    /// The provider and module of the last draft.
    last: Option<[Name; 2]>,
    made: u32,
    /// The packed probes from the current one on.
    rest: &'a [u8],
    /// The index of the current probe within the request.
    number: u32,
    /// The number of its places that are done, if each is a probe.
    done: usize,
    /// Probes that were enabled and have changed, to be enabled again at the end.
    changed: KVVec<Arc<Probe>>,
    /// For each of them, the index of the probe in the request, and the place.
    asked: KVVec<(u32, u32)>,
}

/// A part of a probe's name.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Name {
    bytes: [u8; 64],
    len: usize,
}

impl Name {
    fn new(parts: fmt::Arguments<'_>) -> Self {
        let mut name = Self { bytes: [0; 64], len: 0 };
        let _ = fmt::Write::write_fmt(&mut name, parts);
        name
    }

    fn of(bytes: &[u8]) -> Self {
        let mut name = Self { bytes: [0; 64], len: 0 };
        name.put(bytes);
        name
    }

    fn put(&mut self, part: &[u8]) {
        let room = self.bytes.get_mut(self.len..).unwrap_or_default();
        let n = room.len().min(part.len());
        room.iter_mut().zip(part).for_each(|(to, from)| *to = *from);
        self.len = self.len.wrapping_add(n);
    }

    fn text(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

impl fmt::Write for Name {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.put(part.as_bytes());
        Ok(())
    }
}

/// Returns the places of a probe, each with the bytes that are expected there, if they are known.
fn places<'a>(probe: &UserProbeView<'a>) -> impl Iterator<Item = (u32, Option<Expected>)> + 'a {
    let all = Iterator::chain(probe.expected().map(Some), core::iter::repeat(None));
    probe.places().zip(all)
}

impl Order<'_> {
    /// Makes all probes, in turns. Between them, nobody holds `State`. A probe that changes is not
    /// enabled meanwhile, so each turn ends when those are enabled again. The longer that takes,
    /// the longer is the next turn.
    fn all(&mut self, context: &Context, refuse: &mut dyn FnMut(Refusal)) -> Result {
        let mut length = TURN;
        loop {
            let mut state = context.fasttrap.state.lock();
            let until = time::monotonic_ns().saturating_add(length);
            let is_over = || time::monotonic_ns() >= until;
            let more = self.turn(&mut state, &is_over, refuse);
            let since = time::monotonic_ns();
            self.enable(&mut state, refuse);
            length = time::monotonic_ns().saturating_sub(since).max(TURN);
            drop(state);
            if !more? {
                return Ok(());
            }
            if task::is_dying() {
                return Err(EINTR.into());
            }
            // Others may write breakpoints now.
            self.reader.forget();
        }
    }

    /// Makes probes until the turn `is_over`. Returns false after the last one.
    fn turn(
        &mut self,
        state: &mut State,
        is_over: &dyn Fn() -> bool,
        refuse: &mut dyn FnMut(Refusal),
    ) -> Result<bool> {
        while !self.rest.is_empty() {
            let mut rest = self.rest;
            let probe = UserProbeView::unpack(&mut rest).ok_or(EINVAL)?;
            let kind = UserKind::from_number(probe.head.kind).ok_or(EINVAL)?;
            let n = self.number;
            let mut no = |place, why| {
                refuse(Refusal { probe: n, place, reason: why as u32, pad: 0 });
            };
            match kind {
                UserKind::Offset => {
                    for place in places(&probe).skip(self.done) {
                        let name = Name::new(format_args!("{:x}", place.0));
                        self.one(state, kind, &probe, Some(place), name.text(), &mut no)?;
                        self.done = self.done.wrapping_add(1);
                        if is_over() {
                            return Ok(true);
                        }
                    }
                }
                UserKind::Entry => self.one(state, kind, &probe, None, b"entry", &mut no)?,
                UserKind::Return => self.one(state, kind, &probe, None, b"return", &mut no)?,
                UserKind::Usdt | UserKind::Question => {
                    let [_, _, _, name] = probe.names;
                    self.one(state, kind, &probe, None, name, &mut no)?;
                }
            }
            (self.rest, self.number, self.done) = (rest, n.wrapping_add(1), 0);
            if is_over() {
                break;
            }
        }
        Ok(!self.rest.is_empty())
    }

    /// Enables the changed probes again.
    fn enable(&mut self, state: &mut State, refuse: &mut dyn FnMut(Refusal)) {
        if self.changed.is_empty() {
            return;
        }
        state.enable(&self.changed, &mut |i, why| {
            let Some((probe, place)) = self.asked.get(i).copied() else { return };
            // `one` has already checked the places.
            let reason = match why {
                EnableError::Memory => UserReason::NoMemory,
                EnableError::Gone => UserReason::Gone,
                EnableError::Busy(words) | EnableError::Unsupported(words) => {
                    let mut all = UserReason::ALL.iter().copied();
                    all.find(|why| why.words() == words).unwrap_or(UserReason::Away)
                }
            } as u32;
            refuse(Refusal { probe, place, reason, pad: 0 });
        });
        self.changed.clear();
        self.asked.clear();
    }

    /// Adds a probe with this name: at the place `only`, or at all places that can have a
    /// breakpoint.
    fn one(
        &mut self,
        state: &mut State,
        kind: UserKind,
        probe: &UserProbeView<'_>,
        only: Option<(u32, Option<Expected>)>,
        name: &[u8],
        no: &mut dyn FnMut(u32, UserReason),
    ) -> Result {
        let head = probe.head;
        let [provider, module, function, _] = probe.names;
        let provider = if provider.is_empty() { b"pid" } else { provider };
        let mut first = Name::of(provider);
        let _ = fmt::Write::write_fmt(&mut first, format_args!("{}", self.request.pid));
        let names = [first.text(), module, function, name];
        let role = match kind {
            UserKind::Entry | UserKind::Offset => Role::Before,
            UserKind::Return => Role::Return,
            UserKind::Usdt => Role::Usdt,
            UserKind::Question => Role::Question,
        };
        let place = only.map(|o| o.0).or_else(|| probe.places().next()).unwrap_or(0);

        let State { processes, probes, .. } = state;
        let Request { space, helper, .. } = self.request;
        let hash = probes.hash(names);
        let process = processes.get_mut(space).ok_or(ESRCH)?;
        let same = |n: u32| probes.get(n).is_some_and(|k| k.space == space && k.hash == hash);
        let number = process.names.find(hash, same);
        let found = process.text_and_file(head.address, &mut self.reader);
        let (text, file) = found.unwrap_or((0, head.file));
        // The consumer has read the map before. Two functions may begin with the same bytes.
        if head.file != MappedFile::default() && file != head.file {
            return Ok(no(place, UserReason::Replaced));
        }
        if let Some((number, known)) = number.and_then(|n| Some((n, probes.get(n)?))) {
            let wanted = Wanted { address: head.address, text, role, place };
            match wanted.among(known, process, &mut self.reader) {
                Some(true) => return Ok(()),
                Some(false) => return self.change(state, number, place),
                None if known.helper != helper => return Ok(no(place, UserReason::Other)),
                None => {}
            }
        }
        if head.semaphore != 0 && !self.request.may_destroy {
            return Ok(no(place, UserReason::Privileges));
        }
        if head.semaphore != 0 {
            match process.space.may_count(head.semaphore, head.address) {
                Ok(()) => {}
                Err(Ground::Away) => return Ok(no(place, UserReason::Away)),
                Err(_) => return Ok(no(place, UserReason::Semaphore)),
            }
        }
        let is_note = helper == 0 && matches!(role, Role::Usdt | Role::Question);
        let allowed = if is_note && self.left == 0 { Err(UserReason::Share) } else { Ok(()) };
        if let (None, Err(why)) = (number, allowed) {
            return Ok(no(place, why));
        }
        let Some(part) = self.part(process, role, probe, only, text, no)? else { return Ok(()) };
        if let Some(number) = number {
            self.change(state, number, place)?;
            if let Err(why) = self.add(state, number, part, allowed)? {
                no(place, why);
            }
            return Ok(());
        }
        let nargs = part.nargs();
        let new = Known::new(space, helper, hash, part);
        let offer = Offer { function, name, nargs, cookie: 0, how: Techniques::empty() };
        if !self.offer(probes, process, new, (first, module), offer)? {
            no(place, UserReason::Names);
            return Ok(());
        }
        self.count(process, is_note.into());
        self.made = self.made.saturating_add(1);
        Ok(())
    }

    /// Makes the part of a probe that has those of its places (or of them the one that is named)
    /// which can have a breakpoint. Returns `None` if no place can.
    fn part(
        &mut self,
        process: &mut Process,
        role: Role,
        probe: &UserProbeView<'_>,
        only: Option<(u32, Option<Expected>)>,
        text: u64,
        no: &mut dyn FnMut(u32, UserReason),
    ) -> Result<Option<Part>> {
        let head = probe.head;
        let (mut good, mut expected) = (KVVec::new(), KVVec::new());
        let all = only.is_none().then(|| places(probe));
        for (place, what) in Iterator::chain(only.into_iter(), all.into_iter().flatten()) {
            let addr = head.address.wrapping_add(place.into());
            match process.check(addr, role, what.as_ref(), &mut self.reader) {
                Ok(()) => {
                    mem::push(&mut good, place)?;
                    what.map_or(Ok(()), |what| mem::push(&mut expected, what))?;
                }
                Err(why) => no(place, why),
            }
        }
        if good.is_empty() {
            return Ok(None);
        }
        let places = good.iter().copied();
        let mut part = Part::new(role, head.address, head.size, text, places, expected)?;
        if role == Role::Usdt {
            part.take_args(probe)?;
        }
        part.semaphore = head.semaphore;
        process.has_counters |= head.semaphore != 0;
        Ok(Some(part))
    }

    /// Gives a new probe its number, and offers it under that. Returns false if the framework does
    /// not take its names.
    fn offer(
        &mut self,
        probes: &mut Probes,
        process: &mut Process,
        new: Known,
        (provider, module): (Name, &[u8]),
        offer: Offer<'_>,
    ) -> Result<bool> {
        let hash = new.hash;
        // Reserve memory first: a probe with a number must be offered.
        let by = |n: u32| Some(probes.get(n).filter(|k| k.space == new.space)?.hash);
        process.names.reserve(1, by)?;
        let ready = ready(self.ready, &mut self.last, self.provider, provider, module)?;
        mem::reserve(&mut ready.numbers, 1)?;
        mem::reserve(&mut process.numbers, 1)?;
        let before = ready.draft.skipped();
        let number = probes.add(new)?;
        let added = ready.draft.add(&Offer { cookie: number, ..offer });
        if added.is_err() || ready.draft.skipped() != before {
            probes.remove(number);
            return added.map(|()| false);
        }
        let _ = ready.numbers.push_within_capacity(number);
        let _ = process.numbers.push_within_capacity(number);
        process.names.insert(hash, number);
        Ok(true)
    }
}

/// A place that a request names, in text that is there now.
struct Wanted {
    address: u64,
    text: u64,
    role: Role,
    place: u32,
}

impl Wanted {
    /// Tells whether a known probe has the place and needs no change; `None` if it does not have
    /// it. If the text was replaced, the part describes the old text and does not count.
    fn among(&self, known: &Known, process: &Process, reader: &mut Reader) -> Option<bool> {
        let part = known.all_parts().find(|part| {
            (part.address, part.text, part.role) == (self.address, self.text, self.role)
                && part.places().contains(&self.place)
                && process.has(part, reader)
        })?;
        let addr = self.address.wrapping_add(self.place.into());
        // The counter may have been mapped anew after the breakpoint.
        let is_counted = part.semaphore == 0
            || known.enabled.is_none()
            || process.space.counted(part.semaphore) != Some(0);
        Some(part.is_there && !process.is_lost(addr) && is_counted)
    }
}

impl Part {
    /// Takes the arguments of a program's probe.
    fn take_args(&mut self, probe: &UserProbeView<'_>) -> Result {
        let mut args = mem::exact(probe.head.args.into())?;
        for arg in probe.args().take(MAX_ARGS) {
            mem::push(&mut args, arg)?;
        }
        self.args = Some(mem::arc(args)?);
        Ok(())
    }

    /// Returns how many arguments its probe has.
    fn nargs(&self) -> u32 {
        match (&self.args, self.role) {
            // CAST: at most `MAX_ARGS`.
            (Some(args), _) => args.len() as u32,
            (None, Role::Return) => 2,
            (None, _) => NARGS_UNKNOWN,
        }
    }
}

impl Order<'_> {
    /// Prepares a probe for a change. If it is enabled, `enable` enables it again at the end.
    fn change(&mut self, state: &mut State, number: u32, place: u32) -> Result {
        let Some(probe) = state.probes.get(number).and_then(|k| k.enabled.clone()) else {
            return Ok(());
        };
        mem::reserve(&mut self.changed, 1)?;
        mem::push(&mut self.asked, (self.number, place))?;
        state.suspend(&probe);
        Ok(mem::push(&mut self.changed, probe)?)
    }

    /// Adds a part to a probe that is not enabled; see [`Known::add`].
    fn add(
        &mut self,
        state: &mut State,
        number: u32,
        part: Part,
        allowed: core::result::Result<(), UserReason>,
    ) -> kernel::error::Result<core::result::Result<(), UserReason>> {
        let State { processes, probes, .. } = state;
        let process = processes.get_mut(self.request.space).ok_or(ESRCH)?;
        let known = probes.get_mut(number).ok_or(ESRCH)?;
        // Nothing can have disappeared between the parts of a helper, which a process registers at
        // once. Each check reads the code of all parts, so there is one for each request.
        if self.request.helper == 0 && known.checked != self.serial {
            known.checked = self.serial;
            known.find_parts(|part| process.has(part, &mut self.reader));
        }
        let before = known.notes();
        let added = known.add(part, allowed)?;
        let more = Option::zip(known.notes(), before).map_or(0, |(now, was)| now.wrapping_sub(was));
        self.count(process, more);
        Ok(added)
    }

    /// Counts new places of probes in notes.
    fn count(&mut self, process: &mut Process, n: usize) {
        process.notes = process.notes.saturating_add(n);
        self.left = self.left.saturating_sub(n);
    }
}

/// Returns the draft for this provider and module: the last one, or a new one.
fn ready<'a>(
    all: &'a mut KVec<Ready>,
    last: &mut Option<[Name; 2]>,
    provider: ProviderId,
    first: Name,
    module: &[u8],
) -> Result<&'a mut Ready> {
    let names = [first, Name::of(module)];
    if *last != Some(names) {
        let draft = Framework::named_draft(provider, [first.text(), module])?;
        mem::push(all, Ready { draft, numbers: KVVec::new() })?;
        *last = Some(names);
    }
    Ok(all.last_mut().ok_or(EINVAL)?)
}
