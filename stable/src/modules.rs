// SPDX-License-Identifier: GPL-2.0
//! Tracepoints of modules. They become probes when the module has been initialised, and disappear
//! when it is unloaded. Modules are searched from the first time that a consumer asks for
//! tracepoints.

use crate::provider::Hub;
use abi::probe::{Techniques, NARGS_UNKNOWN};
use framework::framework::ProviderId;
use framework::{Framework, Group, Offer};
use kapi::modules::{self, ModuleEvent, ModuleRef, Watch};
use kapi::publish::{Published, Replace};
use kapi::{mem, tracepoint};
use kernel::prelude::*;
use kernel::str::BStr;
use kernel::sync::Arc;

/// The lock that the events of modules take.
pub(crate) struct Events {
    /// The loaded modules have been searched, and new ones are.
    provided: bool,
    /// New modules are not searched any more. The tracepoints of unloaded ones must still be
    /// released.
    closed: bool,
    /// The modules that have tracepoints, and their probes.
    groups: KVVec<(u64, Option<Group>)>,
}

/// The data of the notifier, which is a plain function.
#[derive(Clone)]
struct Context {
    framework: Arc<Framework>,
    hub: Arc<Hub>,
    provider: ProviderId,
}

static CONTEXT: Published<Context> = Published::empty();

impl Events {
    pub(crate) const fn new() -> Self {
        Self { provided: false, closed: false, groups: KVVec::new() }
    }
}

/// Registers the notifier; the tracepoints of modules become probes of this provider once a
/// consumer asks for them.
///
/// # Context
/// *process*; call it once.
pub(crate) fn watch(
    framework: &Arc<Framework>,
    hub: &Arc<Hub>,
    provider: ProviderId,
) -> Result<Watch> {
    let context = Context { framework: framework.clone(), hub: hub.clone(), provider };
    drop(CONTEXT.swap(Some(mem::boxed(context)?)));
    modules::watch(on_event).inspect_err(|_| drop(CONTEXT.swap(None)))
}

/// Unregisters the notifier. No probe is enabled.
pub(crate) fn close(hub: &Hub, watch: Option<Watch>) {
    hub.events.lock().closed = true;
    drop(watch);
    drop(CONTEXT.swap(None));
}

/// Handles a module event.
///
/// # Context
/// *notifier*.
fn on_event(event: ModuleEvent, module: &ModuleRef<'_>) {
    let Some(context) = CONTEXT.with(|c| c.cloned()) else { return };
    let mut events = context.hub.events.lock();
    match event {
        ModuleEvent::Live if events.provided && !events.closed => {
            if let Err(e) = context.arrive(&mut events, module) {
                complain(module, e);
            }
            context.framework.provided();
        }
        // Before the module's init function returns, the kernel may not have registered its
        // tracepoints.
        ModuleEvent::Live | ModuleEvent::Coming => {}
        ModuleEvent::Going => context.depart(&mut events, module.id()),
    }
}

fn complain(module: &ModuleRef<'_>, e: Error) {
    let name = BStr::from_bytes(module.name());
    pr_warn!("sdt: {name}: its tracepoints have no probes: errno {}\n", e.to_errno());
}

/// Makes probes of the tracepoints of all modules. If it fails, it makes none.
///
/// # Context
/// *process*; may sleep.
pub(crate) fn provide() -> Result {
    let Some(context) = CONTEXT.with(|c| c.cloned()) else { return Ok(()) };
    let mut events = context.hub.events.lock();
    if events.closed {
        return Ok(());
    }
    let mut result = Ok(());
    let walked = modules::for_each_loaded(&mut |module| {
        if result.is_ok() {
            result = context.arrive(&mut events, module);
        }
    });
    // If the list cannot be read, modules that are loaded later are still found.
    let walked = walked.or_else(|e| if e == ENODEV { Ok(()) } else { Err(e) });
    result
        .and(walked)
        .inspect(|()| events.provided = true)
        .inspect_err(|_| context.depart_all(&mut events))
}

/// Removes all of these probes.
pub(crate) fn unprovide() {
    let Some(context) = CONTEXT.with(|c| c.cloned()) else { return };
    let mut events = context.hub.events.lock();
    events.provided = false;
    context.depart_all(&mut events);
}

impl Context {
    fn arrive(&self, events: &mut Events, module: &ModuleRef<'_>) -> Result {
        let id = module.id();
        if module.tracepoints() == 0 || events.groups.iter().any(|g| g.0 == id) {
            return Ok(());
        }
        mem::push(&mut events.groups, (id, None))?;
        match self.offer(module) {
            Ok(group) => {
                if let Some(at) = events.groups.last_mut() {
                    at.1 = Some(group);
                }
                Ok(())
            }
            Err(e) => {
                self.depart(events, id);
                Err(e)
            }
        }
    }

    fn offer(&self, module: &ModuleRef<'_>) -> Result<Group> {
        let n = module.tracepoints();
        // CAST: memory holds fewer.
        let draft = self.framework.draft(self.provider, module.name(), n as usize);
        let mut draft = draft.map_err(|e| e.errno())?;
        for n in 0..n {
            let (name, at) = module.tracepoint(n)?;
            let cookie = self.hub.state.lock().put(module.id(), at)?;
            let how = Techniques::TRACEPOINT;
            let offer = Offer { function: b"", name, nargs: NARGS_UNKNOWN, cookie, how };
            draft.add(&offer).map_err(|e| e.errno())?;
        }
        // The framework's lock is taken before ours.
        self.framework.offer_draft(draft).map_err(|e| e.errno())
    }

    /// Removes the tracepoints of an unloaded module and their probes.
    fn depart(&self, events: &mut Events, id: u64) {
        let Some(at) = events.groups.iter().position(|g| g.0 == id) else { return };
        let was_attached = self.hub.state.lock().take(id);
        if let Ok((_, Some(group))) = events.groups.remove(at) {
            self.framework.retire_group(group);
        }
        if was_attached {
            // A late call may still carry these positions.
            tracepoint::quiesce();
        }
        self.hub.state.lock().free(id);
    }

    fn depart_all(&self, events: &mut Events) {
        while let Some(id) = events.groups.last().map(|g| g.0) {
            self.depart(events, id);
        }
    }
}
