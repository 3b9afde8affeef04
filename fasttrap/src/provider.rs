// SPDX-License-Identifier: GPL-2.0
//! Start and end, and what happens to processes meanwhile.

use crate::attach::State;
use crate::helper;
use crate::probes::Probes;
use crate::table::TABLE;
use crate::trap;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use framework::framework::ProviderId;
use framework::{EnableError, Framework, Probe, Provider};
use kapi::global::Global;
use kapi::user::{self, Handlers, Space};
use kernel::prelude::*;
use kernel::sync::{new_mutex, Arc, Mutex};

/// What those need who come in by a plain function call.
#[pin_data]
pub(crate) struct Context {
    pub(crate) framework: Arc<Framework>,
    pub(crate) provider: ProviderId,
    /// Held while probes are made, or forgotten with their process.
    #[pin]
    pub(crate) making: Mutex<()>,
    pub(crate) fasttrap: Arc<Fasttrap>,
}

/// The provider.
#[pin_data]
pub(crate) struct Fasttrap {
    #[pin]
    pub(crate) state: Mutex<State>,
}

pub(crate) static CONTEXT: Global<Context> = Global::empty();

pub(crate) const HANDLERS: Handlers = Handlers {
    trap: trap::trap,
    signal: trap::signal,
    is_traced: trap::is_traced,
    forked,
    ended,
    again,
};

impl Provider for Fasttrap {
    /// What it is called itself; its probes have the names of processes, or of their programs' choice.
    fn name(&self) -> &[u8] {
        b"fasttrap"
    }

    fn is_of_programs(&self) -> bool {
        true
    }

    fn enable(&self, probes: &[Arc<Probe>], refuse: &mut dyn FnMut(usize, EnableError)) {
        self.state.lock().enable(probes, refuse);
    }

    fn disable(&self, probes: &[Arc<Probe>]) {
        self.state.lock().disable(probes);
    }
}

/// Children have gone without their probes, and the log says so.
static TOLD: AtomicBool = AtomicBool::new(false);

/// The current process is a copy of one of ours.
fn forked(parent: u64) {
    let (Some(context), Some(child)) = (CONTEXT.get(), Space::current()) else { return };
    {
        let state = context.fasttrap.state.lock();
        if let Some(process) = state.process(parent) {
            process.clean(&child);
            state.lower_in(&child, parent);
        }
    }
    let inherited = helper::inherit(&context, parent).map_err(|e| e.errno().to_errno());
    if let Err(e) = inherited {
        // Anybody may fork.
        if !TOLD.swap(true, Relaxed) {
            pr_warn!("fasttrap: a child has none of its own probes: errno {e}; told once\n");
        }
    }
}

/// Threads may have left their slots.
fn again() {
    if let Some(context) = CONTEXT.get() {
        context.fasttrap.state.lock().vacate();
    }
}

/// Forgets processes that nobody is in any more, with their probes.
fn ended() {
    let Some(context) = CONTEXT.get() else { return };
    let _making = context.making.lock();
    // What we know of them is needed for their children.
    while !user::awaits_children() {
        let mut state = context.fasttrap.state.lock();
        let Some(at) = state.processes.iter().position(|p| !p.space.is_alive()) else { return };
        let Ok(mut gone) = state.processes.remove(at) else { return };
        if state.publish().is_err() {
            // The old table still has its address, which must not become that of another one.
            let _ = state.processes.push_within_capacity(gone);
            return;
        }
        state.probes.remove_all(gone.space.key());
        drop(state);
        // The framework's lock comes before ours.
        while let Some(offered) = gone.groups.pop() {
            context.framework.retire_group(offered.group);
        }
    }
}

/// The provider at work. Dropping it leaves every process as it was, but for memory that was mapped.
pub struct Running {
    context: Arc<Context>,
}

/// Registers the provider.
///
/// # Context
/// *process*; once.
pub fn start(framework: &Arc<Framework>) -> Result<Running> {
    let state =
        State { processes: KVec::new(), probes: Probes::new(), watching: false, patience: 0 };
    let fasttrap = Arc::pin_init(pin_init!(Fasttrap { state <- new_mutex!(state) }), GFP_KERNEL)?;
    let provider = framework.register(fasttrap.clone()).map_err(|e| e.errno())?;
    let framework = framework.clone();
    let context = Arc::pin_init(
        pin_init!(Context { framework, provider, making <- new_mutex!(()), fasttrap }),
        GFP_KERNEL,
    )?;
    CONTEXT.swap(Some(context.clone()));
    Ok(Running { context })
}

impl Drop for Running {
    fn drop(&mut self) {
        // No probe is enabled: there are no consumers.
        let mut state = self.context.fasttrap.state.lock();
        state.restore();
        state.vacate();
        drop(state);
        // Children still find us.
        user::unwatch();
        drop(CONTEXT.swap(None));
        drop(TABLE.swap(None));
    }
}
