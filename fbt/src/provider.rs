// SPDX-License-Identifier: GPL-2.0
//! The provider: start and end, the first look through the kernel, and modules that are loaded and
//! unloaded.

use crate::cookie::Cookie;
use abi::probe::{Techniques, NARGS_UNKNOWN};
use framework::framework::ProviderId;
use framework::{EnableError, Explanation, Framework, Group, Offer, Probe, Provider};
use kapi::mem;
use kapi::modules::{self, ModuleEvent, ModuleRef, Watch};
use kapi::publish::{Published, Replace};
use kapi::stack::Start;
use kernel::prelude::*;
use kernel::str::BStr;
use kernel::sync::{new_mutex, Arc, Mutex};
use patch::{Collected, Engine, Source};

/// The id of the kernel proper, which is no address of a module.
const KERNEL: u64 = 0;

/// A piece of text that has probes.
struct Text {
    /// The id of the module, which is an address of it.
    id: u64,
    /// The number of its catalog.
    number: usize,
    group: Group,
}

/// The known texts. Its lock holds off other module events while one is handled.
struct Events {
    /// The kernel has been looked through. From then on, modules are looked through when they are
    /// loaded.
    provided: bool,
    /// No more modules are looked through. Modules that are unloaded must still be released.
    closed: bool,
    texts: KVVec<Text>,
}

impl Events {
    fn knows(&self, id: u64) -> bool {
        self.texts.iter().any(|t| t.id == id)
    }
}

/// The provider.
#[pin_data]
struct Fbt {
    #[pin]
    events: Mutex<Events>,
    engine: Arc<Engine>,
}

/// The data of the notifier, which is a plain function.
#[derive(Clone)]
struct Context {
    framework: Arc<Framework>,
    fbt: Arc<Fbt>,
    provider: ProviderId,
}

static CONTEXT: Published<Context> = Published::empty();

/// The running provider. Dropping it restores the original bytes of every function.
pub struct Running {
    fbt: Arc<Fbt>,
    watch: Option<Watch>,
}

/// Starts and registers the provider.
///
/// # Context
/// *process*; call it once.
pub fn start(framework: &Arc<Framework>, engine: Arc<Engine>) -> Result<Running> {
    mem::ask()?;
    let events = Events { provided: false, closed: false, texts: KVVec::new() };
    let fbt = Arc::pin_init(pin_init!(Fbt { events <- new_mutex!(events), engine }), GFP_KERNEL)?;
    let provider = framework.register(fbt.clone()).map_err(|e| e.errno())?;
    let context = Context { framework: framework.clone(), fbt: fbt.clone(), provider };
    drop(CONTEXT.swap(Some(mem::boxed(context)?)));
    let mut running = Running { fbt, watch: None };
    running.watch = Some(modules::watch(on_event)?);
    Ok(running)
}

/// # Context
/// *notifier*.
fn on_event(event: ModuleEvent, module: &ModuleRef<'_>) {
    let Some(context) = CONTEXT.with(|c| c.cloned()) else { return };
    let mut events = context.fbt.events.lock();
    match event {
        ModuleEvent::Coming | ModuleEvent::Live if events.closed || !events.provided => {}
        // The kernel's list of what it rewrites in a livepatch does not exist yet.
        ModuleEvent::Coming if module.is_livepatch() => {}
        ModuleEvent::Coming | ModuleEvent::Live => {
            if !events.knows(module.id()) {
                context.look_into(module, &mut events);
                context.framework.provided();
            }
        }
        ModuleEvent::Going => context.depart(module.id(), &mut events),
    }
}

fn complain(name: &[u8], e: Error) {
    let name = BStr::from_bytes(name);
    pr_warn!("fbt: {name}: its functions have no probes: errno {}\n", e.to_errno());
}

impl Context {
    /// Looks through the kernel and all modules.
    fn provide(&self, events: &mut Events) -> Result {
        self.arrive(KERNEL, &Source::Kernel, events)?;
        modules::for_each_loaded(&mut |module| {
            if !events.knows(module.id()) {
                self.look_into(module, events);
            }
        })
    }

    /// Looks through a module. If that fails, the module has no probes, and the log says so.
    fn look_into(&self, module: &ModuleRef<'_>, events: &mut Events) {
        if let Err(e) = self.arrive(module.id(), &Source::Module(module), events) {
            complain(module.name(), e);
        }
    }

    /// Makes the functions of a text into probes.
    fn arrive(&self, id: u64, source: &Source<'_>, events: &mut Events) -> Result {
        let engine = &self.fbt.engine;
        let collected = engine.collect(id, source)?;
        mem::reserve(&mut events.texts, 1)?;
        let number = engine.reserve()?;
        // Lock order: the framework's lock comes before the engine's. The probes match nothing
        // before the caller calls `Framework::provided`.
        match self.offer(source, &collected, number) {
            Ok(group) => {
                engine.fill(number, collected);
                // The room was reserved above.
                Ok(mem::push(&mut events.texts, Text { id, number, group })?)
            }
            Err(e) => {
                engine.release(number);
                Err(e.errno())
            }
        }
    }

    fn offer(
        &self,
        source: &Source<'_>,
        collected: &Collected,
        number: usize,
    ) -> framework::Result<Group> {
        let (probes, bytes) = (collected.len().saturating_mul(2), collected.names_len());
        let mut draft = self.framework.large_draft(self.provider, source.name(), probes, bytes)?;
        for (n, (function, sides)) in collected.functions().enumerate() {
            let both: [(&[u8], Techniques, bool); 2] =
                [(b"entry", sides.entry, false), (b"return", sides.returns, true)];
            for (name, how, is_return) in both.into_iter().filter(|(_, how, _)| !how.is_empty()) {
                let cookie = Cookie::new(number, n, is_return).0;
                draft.add(&Offer { function, name, nargs: NARGS_UNKNOWN, cookie, how })?;
            }
        }
        self.framework.offer_draft(draft)
    }

    /// Removes a text and its probes.
    fn depart(&self, id: u64, events: &mut Events) {
        let Some(at) = events.texts.iter().position(|t| t.id == id) else { return };
        let Ok(Text { number, group, .. }) = events.texts.remove(at) else { return };
        let vacated = self.fbt.engine.vacate(number);
        self.framework.retire_group(group);
        if let Some(vacated) = vacated {
            self.fbt.engine.forget(vacated);
        }
    }

    fn depart_all(&self, events: &mut Events) {
        while let Some(id) = events.texts.last().map(|t| t.id) {
            self.depart(id, events);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.fbt.events.lock().closed = true;
        // Do this while modules are still watched: a text must not be unloaded with our patches in
        // it.
        self.fbt.engine.detach_all();
        drop(self.watch.take());
        drop(CONTEXT.swap(None));
    }
}

impl Provider for Fbt {
    fn name(&self) -> &[u8] {
        b"fbt"
    }

    /// The stack begins with the caller of the function in the probe's name.
    fn start(&self, _: &Probe) -> Start {
        Start::Here(1)
    }

    fn probe_names(&self) -> &[&[u8]] {
        &[b"entry", b"return"]
    }

    fn provide(&self, _: &Framework, _: ProviderId) {
        let Some(context) = CONTEXT.with(|c| c.cloned()) else { return };
        let mut events = self.events.lock();
        if events.provided || events.closed {
            return;
        }
        events.provided = true;
        if let Err(e) = context.provide(&mut events) {
            complain(b"vmlinux", e);
            // All of it or nothing: the next request causes another attempt.
            context.depart_all(&mut events);
            events.provided = false;
        }
        context.framework.provided();
    }

    fn how(&self, probe: &Arc<Probe>) -> Techniques {
        self.engine.how(probe, Cookie(probe.cookie()).target()).unwrap_or(probe.how())
    }

    fn enable(&self, probes: &[Arc<Probe>], refuse: &mut dyn FnMut(usize, EnableError)) {
        let find = |probe: &Probe| Some(Cookie(probe.cookie()).target());
        self.engine.enable(probes, &find, refuse);
    }

    fn disable(&self, probes: &[Arc<Probe>]) {
        self.engine.disable(probes);
    }

    fn explain(&self, module: &[u8], function: &[u8], name: &[u8]) -> Option<Explanation> {
        self.engine.explain(module, function, name)
    }
}
