// SPDX-License-Identifier: GPL-2.0
//! The provider: start and end, the first look at the kernel, and modules that come and go.

use crate::attach::{self, State};
use crate::catalog::{self, Catalog, Collected, Desk, MAX_CATALOGS};
use crate::eligible::Untraceable;
use crate::explain;
use crate::guest::Functions;
use crate::hit::{self, DISPATCHERS};
use crate::text::{Source, Symbols};
use framework::framework::ProviderId;
use framework::{EnableError, Explanation, Framework, Probe, Provider};
use kapi::modules::{self, ModuleEvent, ModuleRef, Watch};
use kapi::publish::Published;
use kapi::{int3, mem, symbols, trampoline};
use kernel::prelude::*;
use kernel::str::BStr;
use kernel::sync::{new_mutex, Arc, Mutex};
use kernel::time::{delay::fsleep, Delta};

/// The module id of the kernel proper: no address of a module.
pub(crate) const KERNEL: u64 = 0;

/// The id of those of its functions that serve system calls. They are looked at by themselves: all of
/// the kernel takes many times as long.
pub(crate) const CALLS: u64 = 1;

/// The id of those that other providers' events are.
pub(crate) const EVENTS: u64 = 2;

/// What holds off the events of modules while one is handled.
struct Events {
    /// The kernel has been looked through: from here on modules are looked into as they come.
    provided: bool,
    /// No module is looked into any more. Those that go must still be let go of.
    closed: bool,
}

/// The provider.
#[pin_data]
pub(crate) struct Fbt {
    #[pin]
    events: Mutex<Events>,
    #[pin]
    pub(crate) state: Mutex<State>,
}

/// What an event needs, which comes as a plain function call.
#[derive(Clone)]
struct Context {
    framework: Arc<Framework>,
    fbt: Arc<Fbt>,
    provider: ProviderId,
}

static CONTEXT: Published<Context> = Published::empty();

/// The provider at work. Dropping it gives every function its own bytes back.
pub struct Running {
    context: Context,
    watch: Option<Watch>,
}

/// Registers the provider. `only_breakpoints`, for tests: every place is patched by a breakpoint,
/// also where a call would do. `None` if this kernel does not allow it, which is logged.
///
/// # Context
/// *process*; once.
pub fn start(framework: &Arc<Framework>, only_breakpoints: bool) -> Result<Option<Running>> {
    if !symbols::feature_text() {
        pr_warn!("fbt: unsupported: this kernel's text cannot be patched; no fbt probes\n");
        return Ok(None);
    }
    let state = State::new(only_breakpoints)?;
    mem::ask()?;
    let fbt = Arc::pin_init(
        pin_init!(Fbt {
            events <- new_mutex!(Events { provided: false, closed: false }),
            state <- new_mutex!(state),
        }),
        GFP_KERNEL,
    )?;
    let provider = framework.register(fbt.clone()).map_err(|e| e.errno())?;
    let context = Context { framework: framework.clone(), fbt, provider };
    trampoline::set_entry_handler(hit::entry);
    trampoline::set_return_handler(hit::returned);
    trampoline::set_tail_handler(hit::tail);
    trampoline::set_trap_handler(hit::trap);
    drop(CONTEXT.swap(Some(mem::boxed(context.clone())?)));
    let mut running = Running { context, watch: None };
    running.watch = Some(modules::watch(on_event)?);
    Ok(Some(running))
}

/// What is stuck is tried again; true if nothing is any more.
pub(crate) extern "C" fn again() -> bool {
    let Some(context) = CONTEXT.with(|c| c.cloned()) else { return true };
    let mut state = context.fbt.state.lock();
    state.detach(&|_| false);
    state.is_clean()
}

/// # Context
/// *notifier*.
fn on_event(event: ModuleEvent, module: &ModuleRef<'_>) {
    let Some(context) = CONTEXT.with(|c| c.cloned()) else { return };
    let events = context.fbt.events.lock();
    match event {
        ModuleEvent::Coming | ModuleEvent::Live if events.closed || !events.provided => {}
        ModuleEvent::Coming | ModuleEvent::Live => {
            if !context.fbt.state.lock().knows(module.id()) {
                if let Err(e) = context.look_into(module) {
                    complain(module.name(), e);
                }
                context.framework.provided();
            }
        }
        ModuleEvent::Going => context.depart(module.id()),
    }
}

fn complain(name: &[u8], e: Error) {
    let name = BStr::from_bytes(name);
    pr_warn!("fbt: {name}: its functions have no probes: errno {}\n", e.to_errno());
}

impl Context {
    /// Looks through the kernel and all modules. Holds `Events`.
    fn provide(&self) -> Result {
        self.fbt.state.lock().prepare()?;
        self.arrive(KERNEL, &Source::Kernel, Symbols::of(&Source::Kernel)?)?;
        modules::for_each_loaded(&mut |module| {
            if !self.fbt.state.lock().knows(module.id()) {
                if let Err(e) = self.look_into(module) {
                    complain(module.name(), e);
                }
            }
        })
    }

    /// Holds `Events`.
    fn look_into(&self, module: &ModuleRef<'_>) -> Result {
        let source = Source::Module(module);
        let symbols = Symbols::of(&source)?;
        self.arrive(module.id(), &source, symbols)
    }

    /// Some text is there: its functions become probes. Holds `Events`.
    fn arrive(&self, id: u64, source: &Source<'_>, symbols: Symbols) -> Result {
        let mut desk = Desk::new(true)?;
        let collected = {
            let state = self.fbt.state.lock();
            let rules = state.rules(state.only_breakpoints);
            catalog::collect(id, source, symbols, &rules, &mut desk)?
        };
        drop(desk);
        let at = self.fbt.state.lock().room()?;
        // The framework's lock comes before ours. Until the catalog is in its place, which nobody
        // else takes, its probes are not matched: that is for whoever called us to cause.
        let group = self.offer(source, &collected, at).map_err(|e| e.errno())?;
        let mut catalog = collected.catalog;
        catalog.group = Some(group);
        let placed = mem::boxed(catalog).map(|c| self.fbt.state.lock().place(at, c));
        placed
    }

    fn offer(
        &self,
        source: &Source<'_>,
        collected: &Collected,
        at: usize,
    ) -> framework::Result<framework::Group> {
        let probes = collected.catalog.functions.len().saturating_mul(2);
        let bytes = collected.names_len();
        let mut draft = self.framework.large_draft(self.provider, source.name(), probes, bytes)?;
        for offer in collected.offers(at) {
            draft.add(&offer)?;
        }
        self.framework.offer_draft(draft)
    }

    /// A module's text goes away, and its probes with it. Holds `Events`.
    fn depart(&self, id: u64) {
        let mut state = self.fbt.state.lock();
        let Some(at) = state.position(id) else { return };
        let Some(place) = state.catalogs.get_mut(at) else { return };
        // Events are held off, so nobody takes the place before its probes are gone.
        let Some(catalog) = place.take() else { return };
        let range = catalog.range.clone();
        // Nothing runs there any more: what cannot be changed need not be.
        state.detach(&|s| range.contains(&s.addr));
        // What there was no memory to patch back goes with its text.
        state.forget(&range);
        drop(state);
        let Catalog { group, range, .. } = KBox::into_inner(catalog);
        if let Some(group) = group {
            self.framework.retire_group(group);
        }
        int3::forget(range);
    }
}

impl Running {
    /// Functions that serve system calls, for the provider of those.
    pub fn calls(&self) -> Functions {
        Functions { fbt: self.context.fbt.clone(), set: CALLS }
    }

    /// Functions that are events, for the providers of those.
    pub fn events(&self) -> Functions {
        Functions { fbt: self.context.fbt.clone(), set: EVENTS }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let fbt = &self.context.fbt;
        fbt.events.lock().closed = true;
        // As long as a place is stuck the module is held, so none is now. But text that leads to us must
        // never outlive us, and nobody must wait for a lock of ours meanwhile.
        loop {
            let mut state = fbt.state.lock();
            state.detach(&|_| true);
            let left = state.armed();
            drop(state);
            if left == 0 {
                break;
            }
            fsleep(Delta::from_millis(100));
        }
        drop(self.watch.take());
        drop(CONTEXT.swap(None));
        drop(DISPATCHERS.swap(None));
    }
}

impl Provider for Fbt {
    fn name(&self) -> &[u8] {
        b"fbt"
    }

    /// A function's probes name it.
    fn own_frames(&self) -> u8 {
        1
    }

    fn probe_names(&self) -> &[&[u8]] {
        &[b"entry", b"return"]
    }

    fn provide(&self, _: &Framework, _: ProviderId, _name: Option<&[u8]>) {
        let Some(context) = CONTEXT.with(|c| c.cloned()) else { return };
        let mut events = self.events.lock();
        if events.provided || events.closed {
            return;
        }
        events.provided = true;
        if let Err(e) = context.provide() {
            complain(b"vmlinux", e);
            // All of it, or nothing: the next one to ask causes another try.
            context.depart_all();
            events.provided = false;
        }
        context.framework.provided();
    }

    fn how(&self, probe: &Arc<Probe>) -> u32 {
        self.state.lock().how(probe).unwrap_or(probe.how())
    }

    fn enable(&self, probes: &[Arc<Probe>], refuse: &mut dyn FnMut(usize, EnableError)) {
        self.state.lock().enable(probes, &attach::own, refuse);
    }

    fn disable(&self, probes: &[Arc<Probe>]) {
        self.state.lock().disable(probes);
    }

    fn explain(&self, module: &[u8], function: &[u8], name: &[u8]) -> Option<Explanation> {
        explain::explain(&self.state.lock(), module, function, name)
    }
}

impl Context {
    fn depart_all(&self) {
        loop {
            let own = |c: &&KBox<Catalog>| !c.is_partial();
            let id = self.fbt.state.lock().catalogs.iter().flatten().find(own).map(|c| c.module);
            match id {
                Some(id) => self.depart(id),
                None => return,
            }
        }
    }
}

impl State {
    pub(crate) fn position(&self, id: u64) -> Option<usize> {
        self.catalogs.iter().position(|c| c.as_ref().is_some_and(|c| c.module == id))
    }

    /// What has to be known before any function is looked at.
    pub(crate) fn prepare(&mut self) -> Result {
        if !self.never.is_computed() {
            self.never = Untraceable::compute()?;
            self.return_thunk = symbols::return_thunk().unwrap_or(0);
        }
        Ok(())
    }

    pub(crate) fn knows(&self, id: u64) -> bool {
        self.position(id).is_some()
    }

    /// A free place.
    pub(crate) fn room(&mut self) -> Result<usize> {
        if let Some(at) = self.catalogs.iter().position(|c| c.is_none()) {
            return Ok(at);
        }
        let at = self.catalogs.len();
        if at >= MAX_CATALOGS {
            return Err(ENOSPC);
        }
        mem::push(&mut self.catalogs, None)?;
        Ok(at)
    }

    pub(crate) fn place(&mut self, at: usize, catalog: KBox<Catalog>) {
        if let Some(place) = self.catalogs.get_mut(at) {
            *place = Some(catalog);
        }
    }
}
