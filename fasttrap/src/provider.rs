// SPDX-License-Identifier: GPL-2.0
//! Start and end, and what happens to processes meanwhile.

use crate::attach::{Counter, State};
use crate::context::{Context, Fasttrap, CONTEXT};
use crate::helper;
use crate::probes::{Known, Probes};
use crate::process::{complain_of, Process};
use crate::processes::Processes;
use crate::table::SPACES;
use crate::trap;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use framework::{EnableError, Framework, Probe, Provider};
use kapi::publish::Replace;
use kapi::stack::Start;
use kapi::user::{self, Ground, Handlers, Poke, Space};
use kernel::prelude::*;
use kernel::sync::{new_mutex, Arc};

const HANDLERS: Handlers = Handlers {
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

    /// At a function's first instruction there is no frame yet. A USDT probe may have any name.
    fn start(&self, probe: &Probe) -> Start {
        let state = self.state.lock();
        let is_usdt = |known: &Known| known.all_parts().any(|part| part.args.is_some());
        let is_usdt = state.probes.get(probe.cookie()).is_some_and(is_usdt);
        Start::Program { entered: !is_usdt && matches!(probe.part(3), b"entry" | b"0") }
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

/// So many places of a parent are looked at at once: they stand on the stack, for there may be no memory.
const FEW: usize = 16;

/// The current process is a copy of one of ours. What the parent has is looked at under the lock, and done without it:
/// this process's memory may keep its thread waiting, which nobody else shall wait for. We are asked for the parent's
/// children ([`user::awaits_children`]), so that it changes by nothing but additions meanwhile.
fn forked(parent: u64) {
    let (Some(context), Some(child)) = (CONTEXT.get(), Space::current()) else { return };
    if clean(&context, parent, &child).is_err() {
        // It has been killed.
        return;
    }
    let inherited = helper::inherit(&context, parent, &child).map_err(|e| e.errno().to_errno());
    if let Err(e) = inherited {
        // Anybody may fork.
        if !TOLD.swap(true, Relaxed) {
            pr_warn!("fasttrap: a child lacks probes of its own: errno {e}; told once\n");
        }
    }
}

/// Takes breakpoints out of the memory of a copy of a process, whether or not they have been taken out of the process
/// itself since; the slots, if its thread is not in one; and what semaphores say.
fn clean(context: &Context, parent: u64, child: &Space) -> Result {
    let state = || context.fasttrap.state.lock();
    let mut left = 0usize;
    for from in (0..).step_by(FEW) {
        let mut points = [None; FEW];
        let mut pokes = [Poke::new(0, 0, 0, 0); FEW];
        let n = {
            let state = state();
            let all = state.process(parent).map_or(&[][..], |p| &p.points);
            let some = all.get(from..).unwrap_or_default().iter().take(FEW);
            for ((to, poke), point) in points.iter_mut().zip(pokes.iter_mut()).zip(some.clone()) {
                (*to, *poke) = (Some(*point), point.poke(false));
            }
            some.len()
        };
        if n == 0 {
            break;
        }
        let pokes = pokes.get_mut(..n).unwrap_or_default();
        child.poke_patiently(pokes)?;
        for (poke, point) in pokes.iter().zip(points.iter().flatten()) {
            match poke.result() {
                Err(Ground::Differs) if point.armed => point.take_from_copy(child),
                Err(Ground::NoMemory) => left = left.wrapping_add(1),
                _ => {}
            }
        }
    }
    complain_of(left);
    unmap_slots(context, parent, child);
    let mut from = 0;
    loop {
        let mut counters = [Counter::default(); FEW];
        let (n, to) = state().counters(parent, from, &mut counters);
        counters.iter().take(n).for_each(|c| c.lower_in(child));
        if n == 0 {
            return Ok(());
        }
        from = to;
    }
}

fn unmap_slots(context: &Context, parent: u64, child: &Space) {
    let room = |n| {
        let state = context.fasttrap.state.lock();
        let process = state.process(parent).filter(|p| !p.is_interrupted())?;
        process.room_of(n)
    };
    let all = || (0..).map_while(room);
    if !all().any(|room| child.is_inside(&room)) {
        all().for_each(|room| {
            let _ = child.unmap(&room);
        });
    }
}

/// Threads may have left their slots.
fn again() {
    if let Some(context) = CONTEXT.get() {
        context.fasttrap.state.lock().again();
    }
}

/// Forgets processes that nobody is in any more, with their probes.
fn ended() {
    let Some(context) = CONTEXT.get() else { return };
    let _making = context.making.lock();
    // What we know of them is needed for their children.
    let has_ended = |p: &Process| !p.space.is_alive() && !user::awaits_children(p.space.key());
    let mut from = 0;
    loop {
        let gone = context.fasttrap.state.lock().forget(from, has_ended);
        let Some(mut gone) = gone else { return };
        from = gone.space.key();
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
    let state = State {
        handlers: || HANDLERS,
        processes: Processes::new(),
        probes: Probes::new(),
        watching: false,
        patience: 0,
    };
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
        drop(SPACES.swap(None));
    }
}
