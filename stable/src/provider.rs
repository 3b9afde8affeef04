// SPDX-License-Identifier: GPL-2.0
//! Makes probes of rows and tracepoints. Each stable provider is one of ours, and so is `sdt`,
//! whose probes are the tracepoints themselves. All share the hub.

use crate::event::Each;
use crate::hub::{happens, State, PENDING};
use crate::modules::{self, Events};
use crate::table::{end_of, lacking, values_of, Row, Source, PROVIDERS, ROWS};
use abi::probe::{put, Techniques, FUNCTION_LEN, NARGS_UNKNOWN};
use abi::reason::Reason;
use core::ffi::CStr;
use framework::framework::ProviderId;
use framework::{Draft, EnableError, Explanation, Framework, Offer, Offered, Probe, Provider};
use kapi::modules::Watch;
use kapi::publish::Replace;
use kapi::{mem, symbols};
use kernel::prelude::*;
use kernel::sync::{new_mutex, Arc, Mutex};
use patch::{Event, Functions, Sides, View, Wanted};

/// The parts that all providers share.
#[pin_data]
pub(crate) struct Hub {
    #[pin]
    pub(crate) state: Mutex<State>,
    #[pin]
    pub(crate) events: Mutex<Events>,
    /// `None` if functions cannot be traced.
    functions: Option<Functions>,
    /// For each row whose event is a function: its address and how it can be traced.
    #[pin]
    starts: Mutex<KVVec<(u64, Sides)>>,
}

/// One of the providers.
#[pin_data]
struct Stable {
    hub: Arc<Hub>,
    /// The provider's name; `None` for tracepoints under their own names.
    name: Option<&'static str>,
    /// The names of its probes. Empty for tracepoints, which are cheap to offer.
    names: KVVec<&'static [u8]>,
    /// Whether the probes have been offered.
    #[pin]
    offered: Offered,
}

/// The registered providers.
pub struct Running {
    hub: Arc<Hub>,
    watch: Option<Watch>,
}

/// Registers the providers. `functions` traces functions that are events, if the kernel's text
/// can be patched.
///
/// # Context
/// *process*; call it once.
pub fn start(framework: &Arc<Framework>, functions: Option<Functions>) -> Result<Running> {
    mem::ask()?;
    let hub = Arc::pin_init(
        pin_init!(Hub {
            state <- new_mutex!(State::new()),
            events <- new_mutex!(Events::new()),
            functions,
            starts <- new_mutex!(KVVec::new()),
        }),
        GFP_KERNEL,
    )?;
    let mut running = Running { hub: hub.clone(), watch: None };
    let names = PROVIDERS.iter().map(|name| Some(*name));
    for name in Iterator::chain(core::iter::once(None), names) {
        let (hub, names) = (hub.clone(), names_of(name)?);
        mem::ask()?;
        let stable = Arc::pin_init(
            pin_init!(Stable { hub, name, names, offered <- Offered::new() }),
            GFP_KERNEL,
        )?;
        let own = framework.register(stable).map_err(|e| e.errno())?;
        if name.is_none() {
            running.watch = Some(modules::watch(framework, &running.hub, own)?);
        }
    }
    Ok(running)
}

/// Returns the names of a provider's probes.
fn names_of(provider: Option<&'static str>) -> Result<KVVec<&'static [u8]>> {
    let mut names = KVVec::new();
    for row in ROWS.iter().filter(|row| provider == Some(row.provider)) {
        mem::push(&mut names, row.probe.as_bytes())?;
    }
    Ok(names)
}

impl Drop for Running {
    /// Unregisters the providers. No consumer is left, so no probe is enabled.
    fn drop(&mut self) {
        self.hub.state.lock().leave(|_| true);
        drop(PENDING.swap(None));
        modules::close(&self.hub, self.watch.take());
    }
}

/// Suffixes that the compiler adds to the name of a function that it has changed for its callers.
const ADDED: [&str; 4] = ["", ".isra.0", ".constprop.0", ".constprop.0.isra.0"];

/// Returns the address of a function.
fn function(name: &str) -> Option<u64> {
    let mut buffer = [0; 96];
    ADDED.iter().find_map(|added| {
        let parts = [name.as_bytes(), added.as_bytes(), &[0]];
        let mut at = 0usize;
        for part in parts {
            let to = at.checked_add(part.len())?;
            buffer.get_mut(at..to)?.copy_from_slice(part);
            at = to;
        }
        symbols::find(CStr::from_bytes_with_nul(buffer.get(..at)?).ok()?)
    })
}

impl Hub {
    /// Finds the functions that are events, the first time.
    fn look(&self) -> Result {
        let mut known = self.starts.lock();
        let Some(functions) = self.functions.as_ref().filter(|_| known.is_empty()) else {
            return Ok(());
        };
        let (mut starts, mut found) = (KVVec::new(), KVVec::new());
        for (at, row) in ROWS.iter().enumerate() {
            let start = match row.source {
                Source::Tracepoint(_) => None,
                Source::Entry(name) | Source::Return(name) => {
                    // Many functions have several rows.
                    let of_it = |r: &Row| r.source.is_function() && r.source.name() == name;
                    match ROWS.get(..at).and_then(|rows| rows.iter().position(of_it)) {
                        Some(before) => starts.get(before).copied(),
                        None => function(name),
                    }
                }
            };
            mem::push(&mut starts, start.unwrap_or(0))?;
            mem::push(&mut found, (start.unwrap_or(0), Sides::default()))?;
        }
        functions.look(&starts)?;
        functions.sides(&starts, |n, sides| {
            if let Some((_, known)) = found.get_mut(n) {
                *known = sides;
            }
        })?;
        *known = found;
        Ok(())
    }

    /// Returns the ways in which a row's event is traced. It is empty if this kernel lacks the
    /// event.
    fn how(&self, state: &State, row: usize) -> Techniques {
        let sides = || self.starts.lock().get(row).map_or(Sides::default(), |(_, sides)| *sides);
        match ROWS.get(row).map(|r| r.source) {
            Some(Source::Tracepoint(name)) if state.position(name.as_bytes()).is_some() => {
                Techniques::TRACEPOINT
            }
            Some(Source::Entry(_)) => sides().entry,
            Some(Source::Return(_)) => sides().returns,
            _ => Techniques::empty(),
        }
    }

    /// Makes the engine trace a function.
    fn arm(
        &self,
        row: usize,
        is_return: bool,
        probe: &Arc<Probe>,
    ) -> core::result::Result<(), EnableError> {
        let gone = EnableError::Gone;
        let functions = self.functions.as_ref().ok_or(gone)?;
        let start = self.starts.lock().get(row).map_or(0, |(start, _)| *start);
        // CAST: there are fewer.
        let view = View::Event(Event { hit: happens, row: row as u16 });
        let mut result = Ok(());
        functions.enable(
            core::slice::from_ref(probe),
            &|_| Some(Wanted { start, is_return, view }),
            &mut |_, why| result = Err(why),
        );
        result
    }
}

impl Stable {
    fn offer(&self, framework: &Framework, own: ProviderId) -> Result {
        self.hub.state.lock().look()?;
        match self.name {
            Some(_) => self.hub.look()?,
            None => modules::provide()?,
        }
        self.offer_own(framework, own).inspect_err(|_| {
            if self.name.is_none() {
                modules::unprovide();
            }
        })
    }

    /// Offers the tracepoints of the kernel itself.
    fn offer_own(&self, framework: &Framework, own: ProviderId) -> Result {
        let draft = framework.draft(own, b"vmlinux", ROWS.len()).map_err(|e| e.errno())?;
        let draft = match self.name {
            None => self.tracepoints(draft),
            Some(name) => self.rows(name, draft),
        }?;
        // The kernel's own tracepoints are never removed.
        framework.offer_draft(draft).map(|_group| ()).map_err(|e| e.errno())
    }

    fn tracepoints(&self, mut draft: Draft) -> Result<Draft> {
        for (n, name) in self.hub.state.lock().names() {
            // CAST: there are fewer.
            let (cookie, how) = (n as u32, Techniques::TRACEPOINT);
            let offer = Offer { function: b"", name, nargs: NARGS_UNKNOWN, cookie, how };
            draft.add(&offer).map_err(|e| e.errno())?;
        }
        Ok(draft)
    }

    fn rows(&self, provider: &str, mut draft: Draft) -> Result<Draft> {
        let mut at = 0;
        let state = self.hub.state.lock();
        while let Some(row) = ROWS.get(at) {
            let end = end_of(at);
            // A row that only begins a thing does not fire.
            let fires =
                |n: &usize| !matches!(ROWS.get(*n), Some(Row { each: Each::Begins(..), .. }));
            let how = (at..end)
                .filter(fires)
                .fold(Techniques::empty(), |how, row| how | self.hub.how(&state, row));
            if row.provider == provider && !how.is_empty() {
                // CAST: there are fewer.
                let (cookie, name) = (at as u32, row.probe.as_bytes());
                let nargs = values_of(at) as u32;
                let offer = Offer { function: b"", name, nargs, cookie, how };
                draft.add(&offer).map_err(|e| e.errno())?;
            }
            at = end;
        }
        Ok(draft)
    }

    /// Adds a probe to its tracepoints; the hub attaches them later.
    fn want(&self, state: &mut State, probe: &Arc<Probe>) -> Result {
        let cookie = probe.cookie() as usize;
        if self.name.is_none() {
            return state.want(cookie, probe, None);
        }
        let rows = ROWS.get(cookie..end_of(cookie)).unwrap_or_default();
        if rows.iter().any(|r| matches!(r.each, Each::Begins(..))) {
            state.pend(probe.cookie())?;
        }
        for at in cookie..end_of(cookie) {
            let Some(Source::Tracepoint(name)) = ROWS.get(at).map(|r| r.source) else { continue };
            // If this kernel lacks the event, another row has it.
            if let Some(point) = state.position(name.as_bytes()) {
                // CAST: there are fewer.
                state.want(point, probe, Some(at as u16))?;
            }
        }
        Ok(())
    }

    /// Makes the engine fire a probe from its functions.
    fn arm(&self, probe: &Arc<Probe>) -> core::result::Result<(), EnableError> {
        if self.name.is_none() {
            return Ok(());
        }
        let cookie = probe.cookie() as usize;
        for at in cookie..end_of(cookie) {
            let is_return = match ROWS.get(at).map(|r| r.source) {
                Some(Source::Entry(_)) => false,
                Some(Source::Return(_)) => true,
                _ => continue,
            };
            if !self.hub.how(&self.hub.state.lock(), at).is_empty() {
                self.hub.arm(at, is_return, probe)?;
            }
        }
        Ok(())
    }

    /// Removes probes from their events, also probes that were not fully enabled.
    fn leave(&self, probes: &[Arc<Probe>]) {
        self.hub.state.lock().leave(|p| probes.iter().any(|q| q.id() == p.id()));
        if let (Some(functions), Some(_)) = (&self.hub.functions, self.name) {
            functions.disable(probes);
        }
        if self.name.is_some() {
            let state = self.hub.state.lock();
            probes.iter().for_each(|p| state.unpend(p.cookie()));
        }
    }
}

impl Provider for Stable {
    fn name(&self) -> &[u8] {
        self.name.unwrap_or("sdt").as_bytes()
    }

    fn probe_names(&self) -> &[&[u8]] {
        &self.names
    }

    fn provide(&self, framework: &Framework, own: ProviderId) {
        let name = self.name.unwrap_or("sdt");
        self.offered.once(framework, name, || self.offer(framework, own));
    }

    fn enable(&self, probes: &[Arc<Probe>], refuse: &mut dyn FnMut(usize, EnableError)) {
        let Ok(mut refused) = mem::filled(probes.len(), 0_u8) else {
            return (0..probes.len()).for_each(|i| refuse(i, EnableError::Memory));
        };
        let mut no = |i: usize, why| {
            if let Some(said @ 0) = refused.get_mut(i) {
                *said = 1;
                refuse(i, why);
            }
        };
        let mut state = self.hub.state.lock();
        for (i, probe) in probes.iter().enumerate() {
            if self.want(&mut state, probe).is_err() {
                no(i, EnableError::Memory);
            }
        }
        state.attach(&mut |probe, why| {
            if let Some(i) = probes.iter().position(|p| p.id() == probe.id()) {
                no(i, why);
            }
        });
        drop(state);
        for (i, probe) in probes.iter().enumerate() {
            if let Err(why) = self.arm(probe) {
                no(i, why);
            }
        }
        for (probe, _) in probes.iter().zip(&refused).filter(|(_, refused)| **refused != 0) {
            self.leave(core::slice::from_ref(probe));
        }
    }

    fn disable(&self, probes: &[Arc<Probe>]) {
        self.leave(probes);
    }

    fn explain(&self, _module: &[u8], _function: &[u8], name: &[u8]) -> Option<Explanation> {
        let name = core::str::from_utf8(name).ok()?;
        let state = self.hub.state.lock();
        let event = lacking(self.name?, name, |row| !self.hub.how(&state, row).is_empty())?;
        let is_off = self.hub.functions.is_none() && !matches!(event, Source::Tracepoint(_));
        let mut symbol = [0; FUNCTION_LEN];
        put(&mut symbol, event.name().as_bytes());
        Some(Explanation { reason: if is_off { Reason::Off } else { Reason::NoEvent }, symbol })
    }
}
