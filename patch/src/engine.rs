// SPDX-License-Identifier: GPL-2.0
//! The engine: its start and end, and what providers ask of it.
//!
//! A provider of all functions of a text goes through these steps, and through the last three when the text goes:
//!
//! ```text
//!   collect ─► reserve ─► the provider offers its probes ─► fill ─► enable, disable
//!   vacate ─► the provider retires its probes ─► forget
//! ```

use crate::catalog::{self, Catalog, Collected, Desk};
use crate::explain;
use crate::functions::Functions;
use crate::hit::{self, DISPATCHERS};
use crate::plan::Target;
use crate::state::State;
use crate::symtab::Symbols;
use crate::text::Source;
use abi::probe::Techniques;
use core::ops::Range;
use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use framework::{EnableError, Explanation, Probe};
use kapi::publish::{Published, Replace};
use kapi::{int3, mem, symbols, trampoline};
use kernel::prelude::*;
use kernel::sync::{new_mutex, Arc, Mutex};
use kernel::time::{delay::fsleep, Delta};

/// The engine.
#[pin_data]
pub struct Engine {
    #[pin]
    pub(crate) state: Mutex<State>,
    /// The ids of sets that were given out: no address of a module, and not 0, which is the kernel proper.
    sets: AtomicU64,
}

/// What is called back without an argument finds it here.
static ENGINE: Published<Arc<Engine>> = Published::empty();

/// The engine at work. Dropping it gives every function its own bytes back.
pub struct Running {
    engine: Arc<Engine>,
}

/// A catalog that is not there any more; its number is still taken. To be given to [`Engine::forget`].
#[must_use = "its number stays taken"]
pub struct Vacated {
    number: usize,
    range: Range<u64>,
}

/// Starts the engine. `only_breakpoints`, for tests: every place is patched by a breakpoint, also where a call would
/// do. `None` if this kernel does not allow its text to be patched, which is logged.
///
/// # Context
/// *process*; once.
pub fn start(only_breakpoints: bool) -> Result<Option<Running>> {
    if !symbols::feature_text() {
        pr_warn!("unsupported: this kernel's text cannot be patched; no probes of functions\n");
        return Ok(None);
    }
    let state = State::new(only_breakpoints, again)?;
    mem::ask()?;
    let sets = AtomicU64::new(1);
    let engine = Arc::pin_init(pin_init!(Engine { state <- new_mutex!(state), sets }), GFP_KERNEL)?;
    trampoline::set_entry_handler(hit::entry);
    trampoline::set_return_handler(hit::returned);
    trampoline::set_tail_handler(hit::tail);
    trampoline::set_trap_handler(hit::trap);
    drop(ENGINE.swap(Some(mem::boxed(engine.clone())?)));
    Ok(Some(Running { engine }))
}

/// What is stuck is tried again; true if nothing is any more.
extern "C" fn again() -> bool {
    let Some(engine) = ENGINE.with(|e| e.cloned()) else { return true };
    let mut state = engine.state.lock();
    state.detach(&|_| false);
    state.is_clean()
}

impl Running {
    /// The engine.
    pub fn engine(&self) -> Arc<Engine> {
        self.engine.clone()
    }

    /// A new set of functions.
    pub fn functions(&self) -> Functions {
        let set = self.engine.sets.fetch_add(1, Relaxed);
        Functions { engine: self.engine.clone(), set }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.engine.detach_all();
        drop(ENGINE.swap(None));
        drop(DISPATCHERS.swap(None));
    }
}

impl Engine {
    /// Looks through a piece of text: which functions there are, and how each can be traced. `id` names the
    /// text: 0 is the kernel proper.
    ///
    /// # Context
    /// *process*, may sleep.
    pub fn collect(&self, id: u64, source: &Source<'_>) -> Result<Collected> {
        self.state.lock().prepare()?;
        // Not under our lock: it is taken where symbols are read.
        let symbols = Symbols::of(source)?;
        let mut desk = Desk::new(true)?;
        let state = self.state.lock();
        let rules = state.rules(state.only_breakpoints);
        catalog::collect(id, source, symbols, &rules, &mut desk)
    }

    /// Takes a number for a catalog. Until [`Self::fill`] its probes are refused as gone.
    ///
    /// # Context
    /// *process*, may sleep.
    pub fn reserve(&self) -> Result<usize> {
        self.state.lock().catalogs.reserve()
    }

    /// Gives a number back that was not filled, of which there is no probe.
    ///
    /// # Context
    /// *process*, may sleep.
    pub fn release(&self, number: usize) {
        self.state.lock().catalogs.release(number);
    }

    /// What was collected can be enabled from now on, as number `number`.
    ///
    /// # Context
    /// *process*, may sleep.
    pub fn fill(&self, number: usize, collected: Collected) {
        self.state.lock().catalogs.fill(number, collected.catalog);
    }

    /// A text goes: takes every patch out of it, and its catalog away.
    ///
    /// # Context
    /// *process* or *notifier*; nothing runs there any more.
    pub fn vacate(&self, number: usize) -> Option<Vacated> {
        let mut state = self.state.lock();
        let catalog = state.catalogs.take(number)?;
        let Catalog { range, .. } = KBox::into_inner(catalog);
        state.detach(&|s| range.contains(&s.addr));
        // What there was no memory to patch back goes with its text.
        state.forget(&range);
        Some(Vacated { number, range })
    }

    /// The probes of a catalog are retired: nothing of it is kept.
    ///
    /// # Context
    /// *process* or *notifier*.
    pub fn forget(&self, vacated: Vacated) {
        int3::forget(vacated.range);
        self.release(vacated.number);
    }

    /// As [`framework::Provider::enable`]; `find`: what each probe is on, `None` if that has gone.
    pub fn enable(
        &self,
        probes: &[Arc<Probe>],
        find: &dyn Fn(&Probe) -> Option<Target>,
        refuse: &mut dyn FnMut(usize, EnableError),
    ) {
        self.state.lock().enable(probes, &|_, probe| find(probe), refuse);
    }

    /// As [`framework::Provider::disable`].
    pub fn disable(&self, probes: &[Arc<Probe>]) {
        self.state.lock().disable(probes);
    }

    /// As [`framework::Provider::how`]. `None`: that cannot be told, or it is an entry, of which
    /// [`Collected::functions`] has told all.
    pub fn how(&self, probe: &Arc<Probe>, target: Target) -> Option<Techniques> {
        self.state.lock().how(probe, target)
    }

    /// Why no function can be traced by this name; as [`framework::Provider::explain`].
    pub fn explain(&self, module: &[u8], function: &[u8], name: &[u8]) -> Option<Explanation> {
        explain::explain(&self.state.lock(), module, function, name)
    }

    /// Takes every patch out, and waits until the last one is.
    ///
    /// # Context
    /// *process*, may sleep; the caller holds no lock.
    pub fn detach_all(&self) {
        // As long as a place is stuck the module is held, so none is now. But text that leads to us must
        // never outlive us, and nobody must wait for a lock of ours meanwhile.
        loop {
            let mut state = self.state.lock();
            state.detach(&|_| true);
            let left = state.armed();
            drop(state);
            if left == 0 {
                return;
            }
            fsleep(Delta::from_millis(100));
        }
    }
}
