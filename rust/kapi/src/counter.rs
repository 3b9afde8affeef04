// SPDX-License-Identifier: GPL-2.0
//! Events that the processor or the kernel counts (perf), on every CPU. A callback runs each time
//! that a CPU has counted a given number. `helpers/counter.c` tells in which context.
//!
//! The creation of events: perf takes `cpus_read_lock()` when it creates or releases an event
//! (`static_key_slow_inc()` in `perf_swevent_init()`). A hotplug callback runs while that lock is
//! held for writing, so it only queues a work, and the work creates the event soon after. A CPU that
//! goes offline disables its events (`perf_event_exit_cpu()`); they are released when the CPU comes
//! back, or at the end.
//!
//! Our events are pinned. If an older pinned event, of a cgroup or of a task, needs the counter, perf
//! stops ours for good (`PERF_EVENT_STATE_ERROR`). So the work looks at all events each second.

use crate::context::cpus;
use crate::lock::{Guarded, Lock};
use crate::mem;
pub use crate::sys::Event;
use crate::sys::{self, Counting, OnCount};
use crate::xcall;
use core::cell::UnsafeCell;
use core::ptr::{self, NonNull};
use kernel::alloc::KVVec;
use kernel::bindings;
use kernel::error::{from_err_ptr, to_result};
use kernel::ffi::{c_int, c_void};
use kernel::prelude::*;

impl Event {
    /// Checks that this machine can count the event. Returns perf's errno if it cannot; `ENOMEM`:
    /// there is no memory to check.
    ///
    /// # Context
    ///
    /// *process*
    pub fn exists(&self) -> Result {
        mem::ask()?;
        let cpu = (0..cpus()).find(|cpu| xcall::is_online(*cpu)).unwrap_or(0);
        // SAFETY: without a callback, the event counts nothing.
        let event =
            from_err_ptr(unsafe { sys::kapi_counter_create(self, cpu as u32, ptr::null_mut()) })?;
        // SAFETY: it was created above, and is not used again.
        unsafe { sys::kapi_counter_release(event) };
        Ok(())
    }
}

/// The work after each period.
pub trait Count: Send + Sync {
    /// The CPU was at one of these addresses, in the kernel or in a process; the other is 0. With
    /// the processor's counters, the CPU has run some instructions since the last event.
    ///
    /// # Context
    ///
    /// *any*: an NMI, or the context of a kernel event, on several CPUs at the same time.
    fn counted(&self, kernel_pc: u64, user_pc: u64);

    /// Events on a CPU were or will be missed, for a second at most: perf has stopped the event until
    /// the next tick because it fires too often, or has given its counter to another pinned event.
    ///
    /// # Context
    ///
    /// *any*, as above, or *process*.
    fn paused(&self);
}

/// Bits of what the callback is told: `KAPI_COUNTED`, `KAPI_PAUSED`.
const COUNTED: u32 = 1;
const PAUSED: u32 = 2;

/// # Safety
///
/// `arg` is a `T`.
unsafe extern "C" fn counted<T: Count>(arg: *mut c_void, kernel_pc: u64, user_pc: u64, what: u32) {
    // SAFETY: by the caller, `arg` is a `T`; everybody has it by shared reference only.
    let to = unsafe { &*arg.cast::<T>() };
    if what & COUNTED != 0 {
        to.counted(kernel_pc, user_pc);
    }
    if what & PAUSED != 0 {
        to.paused();
    }
}

/// The events of a counter.
///
/// # Invariants
///
/// `counting.fn_` accepts `counting.arg` as long as this value exists.
struct Events {
    event: Event,
    counting: Counting,
    /// By CPU number; null: the CPU was offline, or cannot count this event. [`Lock::Counters`]
    /// guards it.
    of_cpus: UnsafeCell<KVVec<*mut c_void>>,
}

impl Events {
    /// # Safety
    ///
    /// `f` accepts `arg` as long as the result exists.
    unsafe fn new(event: Event, f: OnCount, arg: *mut c_void) -> Result<KBox<Self>> {
        let mut of_cpus = mem::exact(cpus())?;
        of_cpus.resize(cpus(), ptr::null_mut(), GFP_KERNEL)?;
        let counting = Counting { fn_: f, arg };
        // INVARIANT: by the caller.
        mem::boxed(Self { event, counting, of_cpus: UnsafeCell::new(of_cpus) })
    }

    /// Creates the event of a CPU.
    fn create(&self, cpu: usize) -> Result<*mut c_void> {
        let counting = (&raw const self.counting).cast_mut();
        // SAFETY: the callback accepts its argument by the invariant, and `drop` releases the event.
        match from_err_ptr(unsafe { sys::kapi_counter_create(&self.event, cpu as u32, counting) }) {
            Err(e) if e == ENODEV || e == ENOENT => Ok(ptr::null_mut()),
            event => event,
        }
    }

    /// Creates the event on all CPUs that are online. [`Lock::Counters`] is held.
    fn begin(&self, of_cpus: &mut [*mut c_void]) -> Result {
        let mut counts = false;
        for (cpu, event) in of_cpus.iter_mut().enumerate().filter(|(cpu, _)| xcall::is_online(*cpu))
        {
            *event = self.create(cpu)?;
            counts |= !event.is_null();
        }
        counts.then_some(()).ok_or(ENOENT)
    }

    /// Has events count again to which perf has given no counter. [`Lock::Counters`] is held.
    fn revive(&self, of_cpus: &[*mut c_void]) {
        for event in of_cpus.iter().filter(|event| !event.is_null()) {
            // SAFETY: only `create` makes events, and this one was not released.
            if !unsafe { sys::kapi_counter_revive(*event) } {
                // SAFETY: the function accepts its argument by the invariant.
                unsafe { (self.counting.fn_)(self.counting.arg, 0, 0, PAUSED) };
            }
        }
    }

    /// Creates the event of a CPU that has come online. [`Lock::Counters`] is held.
    fn follow(&self, cpu: usize, event: &mut *mut c_void) {
        release(event);
        match self.create(cpu) {
            Ok(new) => *event = new,
            Err(e) => pr_warn!(
                "cpc: CPU {cpu} came online but cannot count event {}:{:x}: error {}\n",
                self.event.kind,
                self.event.config,
                e.to_errno()
            ),
        }
    }
}

/// Releases an event if there is one.
fn release(event: &mut *mut c_void) {
    let event = core::mem::replace(event, ptr::null_mut());
    if !event.is_null() {
        // SAFETY: only `Events::create` makes events, and this one is not used again.
        unsafe { sys::kapi_counter_release(event) };
    }
}

impl Drop for Events {
    /// Afterwards the callback is neither called nor running.
    fn drop(&mut self) {
        self.of_cpus.get_mut().iter_mut().for_each(release);
        // For NMIs and timers, perf_event_release_kernel() waits: it removes the event on its own
        // CPU. Events of the kernel are found under RCU (do_perf_sw_event()), so in kernels that do
        // not check the state again a call may still come.
        // SAFETY: the caller may sleep.
        unsafe { bindings::synchronize_rcu() };
    }
}

/// The counters that follow CPUs that come online.
struct Followers {
    all: KVVec<NonNull<Events>>,
    /// The kernel's state for our hotplug callback, as long as there are counters.
    state: c_int,
}

// SAFETY: any task may use the events of a counter.
unsafe impl Send for Followers {}

static FOLLOWERS: Guarded<Followers> =
    Guarded::new(Lock::Counters, Followers { all: KVVec::new(), state: 0 });

impl Followers {
    fn add(&mut self, new: &Events) -> Result {
        if self.all.is_empty() {
            let state = sys::kapi_counters_watch();
            to_result(state.min(0))?;
            self.state = state;
        }
        let added = mem::push(&mut self.all, NonNull::from(new)).and_then(|()| {
            // SAFETY: we hold the lock, and nobody else borrows them.
            new.begin(unsafe { &mut *new.of_cpus.get() })
        });
        if added.is_err() {
            self.remove(new);
        }
        added
    }

    fn each(&mut self, mut f: impl FnMut(&Events, &mut [*mut c_void])) {
        for events in self.all.iter() {
            // SAFETY: a counter leaves the list, under the lock, before it is freed.
            let events = unsafe { events.as_ref() };
            // SAFETY: we hold the lock, and nobody else borrows them.
            f(events, unsafe { &mut *events.of_cpus.get() });
        }
    }

    fn remove(&mut self, old: &Events) {
        self.all.retain(|other| *other != NonNull::from(old));
        if self.all.is_empty() {
            sys::kapi_counters_unwatch(self.state);
            // A static is never dropped.
            self.all = KVVec::new();
        }
    }
}

/// Creates the events of a counter. From now on, CPUs that come online count too.
fn watch(new: &Events) -> Result {
    let added = FOLLOWERS.with(|followers| followers.add(new));
    settle();
    added
}

/// Stops following CPUs for a counter.
fn unwatch(old: &Events) {
    FOLLOWERS.with(|followers| followers.remove(old));
    settle();
}

/// Begins or ends the looks at all counters. Without counters, none is due or under way afterwards.
fn settle() {
    sys::kapi_counters_stop();
    // Counters of other consumers need the looks that were just stopped.
    FOLLOWERS.with(|followers| {
        if !followers.all.is_empty() {
            sys::kapi_counters_look();
        }
    });
}

/// Creates the events of CPUs that have come online, and has all events count that do not. Returns
/// true if it is to be called again.
#[no_mangle]
extern "C" fn kapi_counters_follow() -> bool {
    FOLLOWERS.with(|followers| {
        let came = |cpu: &usize| sys::kapi_counters_take(*cpu as u32);
        for cpu in (0..cpus()).filter(came) {
            followers.each(|events, of_cpus| {
                if let Some(event) = of_cpus.get_mut(cpu) {
                    events.follow(cpu, event);
                }
            });
        }
        followers.each(|events, of_cpus| events.revive(of_cpus));
        !followers.all.is_empty()
    })
}

/// A running counter; dropping it stops the counter. CPUs that come online join soon after.
///
/// # Invariants
///
/// `events` calls `counted::<T>` with `what`, which is from `KBox::into_raw`; this value owns both.
/// `events` is in the list of [`FOLLOWERS`].
pub struct Counter<T: Count> {
    events: Option<KBox<Events>>,
    what: *mut T,
}

// SAFETY: a counter can be stopped from any task; `T` is `Send` and `Sync`.
unsafe impl<T: Count> Send for Counter<T> {}

impl<T: Count> Counter<T> {
    /// Starts a counter. `EBUSY`: others use all counters that can do it; `ENOENT`: no CPU can.
    ///
    /// # Context
    ///
    /// *process*
    pub fn start(what: KBox<T>, event: Event) -> Result<Self> {
        let what = KBox::into_raw(what);
        // SAFETY: `counted::<T>` accepts `what`, which is a `T`; it is freed only after `events`.
        let events = unsafe { Events::new(event, counted::<T>, what.cast()) };
        let events = events.and_then(|events| {
            watch(&events)?;
            Ok(events)
        });
        match events {
            // INVARIANT: `events` calls `counted::<T>` with `what`, which comes from `into_raw`;
            // `watch` has put it into the list.
            Ok(events) => Ok(Self { events: Some(events), what }),
            Err(e) => {
                // SAFETY: `what` comes from `into_raw`; `events`, which used it, is dropped.
                drop(unsafe { KBox::from_raw(what) });
                Err(e)
            }
        }
    }
}

impl<T: Count> Drop for Counter<T> {
    /// Waits until no call is running.
    ///
    /// # Context
    ///
    /// *process*
    fn drop(&mut self) {
        if let Some(events) = self.events.take() {
            unwatch(&events);
        }
        // SAFETY: `self.what` comes from `into_raw` by the invariant, and no call uses it any more.
        drop(unsafe { KBox::from_raw(self.what) });
    }
}
