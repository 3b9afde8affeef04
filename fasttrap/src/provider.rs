// SPDX-License-Identifier: GPL-2.0
//! Start and end of the provider, and its handlers for events of processes.

use crate::attach::{Copied, State};
use crate::context::{Context, Fasttrap, CONTEXT};
use crate::copy::NO_FILE;
use crate::helper;
use crate::probes::{Known, Probes};
use crate::process::{complain_of, may_be_copy, Point, Process};
use crate::processes::Processes;
use crate::table::SPACES;
use crate::trap;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use framework::{EnableError, Framework, Probe, Provider};
use kapi::publish::Replace;
use kapi::stack::Start;
use kapi::user::{self, Ground, Handlers, Poke, Space};
use kapi::{time, xcall};
use kernel::prelude::*;
use kernel::sync::{new_mutex, Arc};

const HANDLERS: Handlers = Handlers {
    trap: trap::trap,
    shadowed,
    signal: trap::signal,
    is_traced: trap::is_traced,
    forked,
    ended,
    again,
};

impl Provider for Fasttrap {
    /// The provider's own name. Its probes have providers named after processes, or by their
    /// programs.
    fn name(&self) -> &[u8] {
        b"fasttrap"
    }

    /// At a function's first instruction there is no frame yet. The name of a USDT probe does not
    /// say where it is.
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

/// A child lacked its probes, and the log says so once.
static TOLD: AtomicBool = AtomicBool::new(false);

/// A child kept breakpoints, and the log says so once.
static LEFT: AtomicBool = AtomicBool::new(false);

/// The number of places that are handled at a time. They are on the stack, because memory may be
/// short.
const FEW: usize = 16;

/// Cleans the current process, which is a copy of one of ours, and gives it its own probes. It
/// reads what the parent has under the lock, and acts without it: access to this process's memory
/// may make its thread wait, and nobody else should wait for that. Meanwhile
/// [`user::awaits_children`] holds for the parent, so none of its places is forgotten; one that new
/// text replaces moves to the list of the replaced ones.
fn forked(parent: u64) {
    let (Some(context), Some(child)) = (CONTEXT.get(), Space::current()) else { return };
    if clean(&context, parent, &child).is_err() {
        // The process was killed.
        return;
    }
    let inherited = helper::inherit(&context, parent, &child).map_err(|e| e.errno().to_errno());
    if let Err(e) = inherited {
        // Any user can fork, so log it once.
        if !TOLD.swap(true, Relaxed) {
            pr_warn!("fasttrap: a child lacks probes of its own: errno {e}; told once\n");
        }
    }
}

/// Removes breakpoints from a copy of a process, even those that have since been removed from the
/// process itself. Also unmaps the slots, unless the thread is in one, and lowers the semaphores.
fn clean(context: &Context, parent: u64, child: &Space) -> Result {
    let mut rest = Rest::default();
    // The replaced ones come first: in text from before, the breakpoint of a new place could be
    // taken for that of a copy. Once more at the end: some may have been replaced meanwhile.
    for are_replaced in [true, false, true] {
        clean_places(context, parent, child, are_replaced, &mut rest)?;
    }
    if rest.any_adopted && context.fasttrap.state.lock().adopted().is_err() {
        rest.left = rest.left.wrapping_add(1);
    }
    // Any user can cause this, so log it once. When the module goes, this is the last chance.
    if rest.left > 0 && (!LEFT.swap(true, Relaxed) || rest.is_ending) {
        complain_of(rest.left);
    }
    if !rest.any_adopted {
        unmap_slots(context, parent, child);
    }
    lower_counters(context, parent, child)
}

/// The breakpoints that cannot be removed from a copy of a process.
#[derive(Default)]
struct Rest {
    /// The number of those that are not known to be in the copy, so they may end it.
    left: usize,
    /// The copy is known with the others.
    any_adopted: bool,
    /// It cannot have any more.
    is_full: bool,
    /// The module is being unloaded.
    is_ending: bool,
}

impl Rest {
    fn add(&mut self, context: &Context, parent: u64, point: &Point) {
        let adopted = match self.is_full {
            true => Err(ENOSPC),
            false => adopt(context, parent, point),
        };
        match adopted {
            Ok(()) => self.any_adopted = true,
            Err(e) => {
                // Each attempt takes locks and may add up the places of all processes.
                self.is_ending |= e == ESHUTDOWN;
                self.is_full |= e == ENOSPC || e == ENOMEM || e == ESHUTDOWN;
                self.left = self.left.wrapping_add(1);
            }
        }
    }
}

fn clean_places(
    context: &Context,
    parent: u64,
    child: &Space,
    are_replaced: bool,
    rest: &mut Rest,
) -> Result {
    for from in (0..).step_by(FEW) {
        let mut points = [None; FEW];
        let mut pokes = [Poke::NONE; FEW];
        let n = {
            let state = context.fasttrap.state.lock();
            let Some(process) = state.process(parent) else { return Ok(()) };
            let all = if are_replaced { &process.replaced } else { &process.points };
            let some = all.get(from..).unwrap_or_default().iter().take(FEW);
            for ((to, poke), point) in points.iter_mut().zip(pokes.iter_mut()).zip(some.clone()) {
                // The text may be back, with other instructions.
                let is_back = |now: &Point| now.text == point.text && now.bytes != point.bytes;
                if !are_replaced || !process.at(point.addr).is_some_and(is_back) {
                    (*to, *poke) = (Some(*point), point.poke(false));
                }
            }
            some.len()
        };
        if n == 0 {
            break;
        }
        // Where other text is, the breakpoint is not, and the child need not wait for the page.
        for (point, poke) in points.iter_mut().zip(pokes.iter_mut()).filter(|_| are_replaced) {
            let is_other = |p: &mut Point| {
                child.text(p.addr).is_ok_and(|text| text != p.text && text != NO_FILE)
            };
            if point.as_mut().is_some_and(is_other) {
                (*point, *poke) = (None, Poke::NONE);
            }
        }
        let pokes = pokes.get_mut(..n).unwrap_or_default();
        child.poke_patiently(pokes)?;
        for (poke, point) in pokes.iter().zip(points) {
            let Some(point) = point else { continue };
            let stays = match poke.result() {
                // Nobody has seen the byte of a page that is away. If it turns out not to be our
                // breakpoint, the provider forgets the place.
                Err(Ground::NoMemory | Ground::Away) => true,
                Err(why) => may_be_copy(why) && point.armed && point.stays_in_copy(child, true),
                Ok(()) => false,
            };
            if stays {
                rest.add(context, parent, &point);
            }
        }
    }
    Ok(())
}

/// Lowers the semaphores that were raised when the process was copied: nobody has enabled the
/// probes of a child.
fn lower_counters(context: &Context, parent: u64, child: &Space) -> Result {
    let state = || context.fasttrap.state.lock();
    let Some(original) = state().process(parent).map(|p| p.space.clone()) else { return Ok(()) };
    let mut from = (0, 0);
    loop {
        let mut counters = [const { None }; FEW];
        let (n, to) = state().counters(parent, from, &mut counters);
        for Copied { counter, raised, others } in counters.iter().flatten() {
            child.touch(counter.at).or_else(unless_killed)?;
            // We may have raised or lowered the parent's since the copy was made, so the child's
            // value does not say how much of it is ours.
            let mut most = *others;
            if most.is_none() && !raised {
                let _ = original.count_patiently(counter, |now| *most.insert(now));
            }
            let _ = child.count_patiently(counter, |now| match most {
                Some(most) => now.min(most),
                // A parent that has ended may have kept a raised one until its end.
                None => now.saturating_sub(1),
            });
        }
        if n == 0 {
            return Ok(());
        }
        from = to;
    }
}

/// A page that is missing has no counter either.
fn unless_killed(e: Error) -> Result {
    match e {
        e if e == EINTR => Err(e),
        _ => Ok(()),
    }
}

/// Makes the current process known with a breakpoint of its parent that could not be removed from
/// it.
fn adopt(context: &Context, parent: u64, point: &Point) -> Result {
    let _making = context.making.lock();
    let copy = helper::find().map_err(|e| e.errno())?;
    context.fasttrap.state.lock().adopt(parent, copy, *point)
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

/// Removes breakpoints that threads cannot pass any more.
fn shadowed() {
    if let Some(context) = CONTEXT.get() {
        context.fasttrap.state.lock().shadowed();
    }
}

/// Checks again whether threads have left their slots.
fn again() {
    if let Some(context) = CONTEXT.get() {
        context.fasttrap.state.lock().again();
    }
}

/// Forgets processes that have ended, with their probes, and the probes of those whose memory has
/// other users.
fn ended() {
    let Some(context) = CONTEXT.get() else { return };
    let _making = context.making.lock();
    // While a child waits to be cleaned, the places of its parent are needed.
    let has_ended = |p: &Process| !p.space.is_alive() && !user::awaits_children(p.space.key());
    let mut gone = [const { None }; 32];
    loop {
        context.fasttrap.state.lock().forget(has_ended, &mut gone);
        if gone.iter().all(Option::is_none) {
            break;
        }
        // Lock order: the framework's lock comes before `State`.
        for mut process in gone.iter_mut().filter_map(Option::take) {
            while let Some(offered) = process.groups.pop() {
                context.framework.retire_group(offered.group);
            }
        }
    }
    helper::withdraw_left(&context);
}

/// The longest wait for forks, in ns. It is as long as that for children in `children.c`.
const FORK_PATIENCE: u64 = 10_000_000_000;

/// Waits until each fork that may have copied a breakpoint is reported, or has failed. All
/// breakpoints have been removed.
///
/// A fork that copied a breakpoint held the memory map before the breakpoint was removed, so its
/// thread was already in the system call, and is there until the child is reported. A fork that
/// begins later copies none. So it is enough that each thread was seen outside of such a call once,
/// however often it forks: the threads are looked at in the order of their ids, and none twice.
///
/// Only its own doing keeps a thread in a fork for long: nobody reads of the fork from its
/// userfaultfd. Or it is no such fork: a `clone3` that shares memory waits until the child executes
/// a program. After a while we do not wait for either.
fn await_forks(context: &Context) {
    let since = time::monotonic_ns();
    let mut awaited = 0;
    loop {
        let forking = context.fasttrap.state.lock().forking(awaited);
        let Some(id) = forking else { return };
        if id == awaited {
            if time::monotonic_ns().saturating_sub(since) > FORK_PATIENCE {
                pr_warn!(
                    "fasttrap: thread {id} forks for too long; a breakpoint may end its child\n"
                );
                return;
            }
            xcall::pause();
            // A thread that runs its program shows so when it is interrupted.
            xcall::sync();
        }
        awaited = id;
    }
}

/// The running provider. Dropping it restores every process, except for memory that stays mapped.
pub struct Running {
    context: Arc<Context>,
}

/// Starts and registers the provider.
///
/// # Context
/// *process*; call it once.
pub fn start(framework: &Arc<Framework>) -> Result<Running> {
    let state = State {
        handlers: || HANDLERS,
        processes: Processes::new(),
        probes: Probes::new(time::seed()),
        watching: false,
        is_ending: false,
        patience: 0,
        next_stuck: 0,
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
        // No probe is enabled, because there are no consumers any more.
        let mut state = self.context.fasttrap.state.lock();
        state.is_ending = true;
        state.restore();
        state.vacate();
        drop(state);
        await_forks(&self.context);
        // Until here, children must still be cleaned.
        user::unwatch();
        drop(CONTEXT.swap(None));
        drop(SPACES.swap(None));
    }
}
