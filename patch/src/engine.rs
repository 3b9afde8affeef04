// SPDX-License-Identifier: GPL-2.0
//! The engine: its start and end, and its interface for providers.
//!
//! A provider of all functions of a text goes through the first line of steps, and through the
//! second line when the text is unloaded:
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
    /// The id for the next set. A set's id is never 0, which is the kernel proper, nor the address
    /// of a module.
    sets: AtomicU64,
}

/// The engine, for callbacks that get no argument.
static ENGINE: Published<Arc<Engine>> = Published::empty();

/// The running engine. Dropping it restores the original bytes of every function.
pub struct Running {
    engine: Arc<Engine>,
}

/// The number of a catalog that was removed. The number stays reserved until [`Engine::forget`].
#[must_use = "its number stays taken"]
pub struct Vacated {
    number: usize,
    range: Range<u64>,
}

/// Starts the engine. `only_breakpoints` is for tests: it patches every place by a breakpoint, even
/// where a call would do. Returns `None` if this kernel does not allow its text to be patched, and
/// logs that.
///
/// # Context
/// *process*; call it once.
pub fn start(only_breakpoints: bool) -> Result<Option<Running>> {
    if !symbols::feature_text() {
        pr_warn!("unsupported: this kernel's text cannot be patched; no probes of functions\n");
        return Ok(None);
    }
    let state = State::new(only_breakpoints, again)?;
    mem::ask()?;
    let sets = AtomicU64::new(1);
    let engine = Arc::pin_init(pin_init!(Engine { state <- new_mutex!(state), sets }), GFP_KERNEL)?;
    let is_set = trampoline::set_entry_handler(hit::entry)
        .and_then(|()| trampoline::set_return_handler(hit::returned));
    if is_set.is_err() {
        pr_warn!(
            "unsupported: the kernel has changed the module's calls; no probes of functions\n"
        );
        return Ok(None);
    }
    trampoline::set_tail_handler(hit::tail);
    trampoline::set_trap_handler(hit::trap);
    drop(ENGINE.swap(Some(mem::boxed(engine.clone())?)));
    Ok(Some(Running { engine }))
}

/// Tries again to restore stuck places and to attach lost ones. Returns true if none is left.
extern "C" fn again() -> bool {
    let Some(engine) = ENGINE.with(|e| e.cloned()) else { return true };
    let mut state = engine.state.lock();
    state.detach(&|_| false);
    state.attach_lost();
    state.is_clean()
}

impl Running {
    /// Returns the engine.
    pub fn engine(&self) -> Arc<Engine> {
        self.engine.clone()
    }

    /// Creates a set of functions.
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
    /// Collects the functions of a piece of text, with the techniques for each. `id` identifies the
    /// text: 0 is the kernel proper.
    ///
    /// # Context
    /// *process*, may sleep.
    pub fn collect(&self, id: u64, source: &Source<'_>) -> Result<Collected> {
        self.state.lock().prepare()?;
        // Read the symbols without our lock, because it is also taken while symbols are read.
        let symbols = Symbols::of(source)?;
        let mut desk = Desk::new(true)?;
        let state = self.state.lock();
        let rules = state.rules(state.only_breakpoints);
        catalog::collect(id, source, symbols, &rules, &mut desk)
    }

    /// Reserves a number for a catalog. Until [`Self::fill`], probes with this number are refused
    /// as gone.
    ///
    /// # Context
    /// *process*, may sleep.
    pub fn reserve(&self) -> Result<usize> {
        self.state.lock().catalogs.reserve()
    }

    /// Releases a number that was not filled and has no probes.
    ///
    /// # Context
    /// *process*, may sleep.
    pub fn release(&self, number: usize) {
        self.state.lock().catalogs.release(number);
    }

    /// Stores a collected catalog as number `number`. From now on its functions can be enabled.
    ///
    /// # Context
    /// *process*, may sleep.
    pub fn fill(&self, number: usize, collected: Collected) {
        self.state.lock().catalogs.fill(number, collected.catalog);
    }

    /// Restores a text that is about to be unloaded, and removes its catalog.
    ///
    /// # Context
    /// *process* or *notifier*; no code of the text runs any more.
    pub fn vacate(&self, number: usize) -> Option<Vacated> {
        let mut state = self.state.lock();
        let catalog = state.catalogs.take(number)?;
        let Catalog { range, .. } = KBox::into_inner(catalog);
        state.vacate(&range);
        Some(Vacated { number, range })
    }

    /// Releases what is left of a catalog, after its probes are retired.
    ///
    /// # Context
    /// *process* or *notifier*.
    pub fn forget(&self, vacated: Vacated) {
        int3::forget(vacated.range);
        self.release(vacated.number);
    }

    /// Enables probes; see [`framework::Provider::enable`]. `find` returns the target of a probe,
    /// or `None` if it is gone.
    pub fn enable(
        &self,
        probes: &[Arc<Probe>],
        find: &dyn Fn(&Probe) -> Option<Target>,
        refuse: &mut dyn FnMut(usize, EnableError),
    ) {
        self.state.lock().enable(probes, &|_, probe| find(probe), refuse);
    }

    /// Disables probes; see [`framework::Provider::disable`].
    pub fn disable(&self, probes: &[Arc<Probe>]) {
        self.state.lock().disable(probes);
    }

    /// Returns the techniques for a probe; see [`framework::Provider::how`]. `None`: they cannot be
    /// determined, or it is an entry, for which [`Collected::functions`] has them all.
    pub fn how(&self, probe: &Arc<Probe>, target: Target) -> Option<Techniques> {
        self.state.lock().how(probe, target)
    }

    /// Explains why no function can be traced by this name; see [`framework::Provider::explain`].
    pub fn explain(&self, module: &[u8], function: &[u8], name: &[u8]) -> Option<Explanation> {
        explain::explain(&self.state.lock(), module, function, name)
    }

    /// Restores every place, and waits until the last one is restored.
    ///
    /// # Context
    /// *process*, may sleep; the caller holds no lock.
    pub fn detach_all(&self) {
        // A stuck place holds the module, so there is none now. But patched text must never outlive
        // us, and nobody must wait for our lock meanwhile.
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
