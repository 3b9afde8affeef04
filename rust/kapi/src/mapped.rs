// SPDX-License-Identifier: GPL-2.0
//! Tells [followers](crate::follow) what a process maps, before the process runs any of it.
//!
//! The kernel calls `perf_event_mmap` when memory is mapped or gets other rights. There the thread
//! gets work for its return to its program: it asks all followers of its memory, and waits for
//! their answers. Only this thread waits, and it holds nothing that another one needs.

use crate::follow;
use crate::modules;
use crate::questions::{FileKey, Questions};
use crate::symbols;
use crate::sys::{self, Mapped};
use crate::task::{self, ROOT};
use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicU64};
use kernel::bindings::{self, callback_head, task_struct};
use kernel::ffi::{c_long, c_ulong};
use kernel::sync::{rcu, Arc};
use kernel::time::msecs_to_jiffies;

/// How long a thread waits, for all followers together, in ms.
const PATIENCE: u32 = 5000;

/// The most followers that a thread waits for.
const MOST_AWAITED: usize = 16;

/// The number of threads whose work is not done yet.
static TELLING: AtomicU32 = AtomicU32::new(0);

/// Work for a thread. A kprobe's handler must not allocate: under PREEMPT_RT every allocator takes
/// a lock that sleeps. An item is busy from there to the thread's way back to its program. Usually
/// that is short, but a thread that maps a file of a FUSE file system can wait for its daemon
/// there, for as long as the user likes, and so can one with other work before ours: it may close a
/// socket that lingers. So a thread has one item at most, and a user a share of them; and until the
/// work begins, the item holds the module, or `rmmod` would wait as long.
#[repr(C)]
struct Work {
    head: UnsafeCell<callback_head>,
    /// The followers of everyone that it is for.
    everyone: AtomicU64,
    /// The thread, as [`task::curthread`] returns it; 0: the item is free.
    task: AtomicU64,
    /// The thread's user.
    owner: AtomicU32,
}

// SAFETY: only the owner of a busy item uses `head`: first the thread that made it busy, then the
// kernel, which calls `tell` in that thread, or returns the item to `take_back`.
unsafe impl Sync for Work {}

/// The most items, those of a user, and those of all users except root.
const MOST: usize = 1024;
const MOST_OF_USER: usize = 256;
const MOST_OF_USERS: usize = 768;

static WORKS: [Work; MOST] = [const {
    Work {
        head: UnsafeCell::new(callback_head { next: ptr::null_mut(), func: Some(tell) }),
        everyone: AtomicU64::new(0),
        task: AtomicU64::new(0),
        owner: AtomicU32::new(ROOT),
    }
}; MOST];

impl Work {
    /// Gives the current thread work for its return to its program; false: there is no item left
    /// for it, or the thread ends.
    fn give(everyone: u64) -> bool {
        let own = task::curthread();
        // Only the thread itself stores its address, and takes it away again.
        if let Some(work) = WORKS.iter().find(|w| w.task.load(Relaxed) == own) {
            work.everyone.fetch_or(everyone, Relaxed);
            return true;
        }
        let owner = task::owner();
        let take = |w: &&Self| {
            w.task.load(Relaxed) == 0 && w.task.compare_exchange(0, own, Acquire, Relaxed).is_ok()
        };
        // Other CPUs may take one item each meanwhile, so there can be a few more.
        let Some(work) =
            Some(()).filter(|()| has_share(owner)).and_then(|()| WORKS.iter().find(take))
        else {
            return false;
        };
        if !modules::hold_own() {
            work.task.store(0, Release);
            return false;
        }
        work.owner.store(owner, Relaxed);
        work.everyone.store(everyone, Relaxed);
        TELLING.fetch_add(1, Relaxed);
        let resume = bindings::task_work_notify_mode_TWA_RESUME;
        // SAFETY: this code made the item busy, so nobody else uses it. It is a static, so it stays
        // until the kernel has called `tell`, for which `quiesce` waits, or gives it back.
        let err =
            unsafe { bindings::task_work_add(own as *mut task_struct, work.head.get(), resume) };
        if err != 0 {
            work.task.store(0, Release);
            began();
            TELLING.fetch_sub(1, Relaxed);
        }
        err == 0
    }

    /// Takes the item back from its thread, unless the thread is on its way back to its program.
    /// Nobody gives away items any more.
    fn take_back(&self) {
        let cancel = symbols::cancel_work();
        let guard = rcu::read_lock();
        let task = self.task.load(Acquire);
        if task == 0 || cancel == 0 {
            return;
        }
        let head = self.head.get() as c_ulong;
        // SAFETY: `cancel` is `task_work_cancel(task, head)`, found in the kernel proper, with the
        // prototype that `prototypes.c` has checked. The thread had not run its work when `task`
        // was loaded, which it does before it ends, so RCU keeps it.
        let cancelled = unsafe { sys::kapi_call4(cancel, task as c_ulong, head, 0, 0) };
        drop(guard);
        // The result is a `bool`; the rest of the register has any value.
        if cancelled as u8 != 0 {
            self.task.store(0, Release);
            began();
            told();
        }
    }
}

/// Tells whether there is an item for one more thread of a user.
fn has_share(owner: u32) -> bool {
    let busy = || WORKS.iter().filter(|w| w.task.load(Relaxed) != 0);
    let owners = || busy().map(|w| w.owner.load(Relaxed));
    owner == ROOT
        || owners().filter(|o| *o == owner).count() < MOST_OF_USER
            && owners().filter(|o| *o != ROOT).count() < MOST_OF_USERS
}

/// Drops the reference to the module that an item has held: its work begins, or never will.
fn began() {
    // SAFETY: `Work::give` has taken it. `TELLING` still counts the item, and `quiesce` waits for that.
    unsafe { modules::release_own() };
}

/// Notes that a thread's work is done.
fn told() {
    if TELLING.fetch_sub(1, AcqRel) == 1 {
        sys::kapi_told_wake();
    }
}

/// Runs on the way back to the program; or when the thread ends, when nobody follows it any more.
///
/// # Safety
///
/// `head` is that of a busy item, which this call frees.
unsafe extern "C" fn tell(head: *mut callback_head) {
    // SAFETY: by the caller, `head` is the first member of a `Work`, and all of them are statics.
    let work = unsafe { &*head.cast::<Work>() };
    let everyone = if task::memory() == 0 { 0 } else { work.everyone.load(Relaxed) };
    work.task.store(0, Release);
    began();
    ask(everyone);
}

/// Handles a piece of a file that the current process has mapped, or that gets other rights. Called
/// by the kprobe in `follow.c`, under `mmap_lock`.
///
/// Only a private piece matters that can be run, or that is the process's own: when a library's
/// constants are made read-only, it has been linked.
#[no_mangle]
extern "C" fn kapi_follow_mapped(mapped: &Mapped) {
    if mapped.shared || !(mapped.runs || mapped.own) {
        return;
    }
    let guard = rcu::read_lock();
    let followed = follow::followers(task::memory(), &guard).next().is_some();
    let file = FileKey { inode: mapped.inode, modified: mapped.modified, device: mapped.device };
    let everyone = if mapped.runs { follow::wanted_by(&file, &guard) } else { 0 };
    if (followed || everyone != 0) && !Work::give(everyone) {
        follow::followers(task::memory(), &guard).for_each(|f| f.count_late());
        follow::of_everyone(everyone, &guard).for_each(|f| f.count_late());
    }
}

/// The current process is a copy of one with this memory, and has not run yet. Its probes are not
/// those of the original, so a follower of everyone that follows the original wants to read the
/// copy, too. Returns such followers, and then expects a call of [`kapi_follow_copied`].
#[no_mangle]
extern "C" fn kapi_follow_copy(original: u64) -> c_ulong {
    let guard = rcu::read_lock();
    let wanted = follow::wanted_by_followers_of(original, &guard);
    // A follower is still there, so the module cannot be unloaded before this is counted.
    if wanted != 0 {
        TELLING.fetch_add(1, Relaxed);
    }
    wanted as c_ulong
}

/// Lets these followers read the current process before it runs.
#[no_mangle]
extern "C" fn kapi_follow_copied(everyone: c_ulong) {
    if everyone != 0 {
        ask(everyone as u64);
    }
}

/// The followers that a thread asks.
struct Round {
    asked: [Option<(Arc<Questions>, bool)>; MOST_AWAITED],
}

impl Round {
    /// Adds a follower that is not asked yet. If `begins`, it shall look at the process.
    fn add(&mut self, follower: Arc<Questions>, begins: bool) {
        match self.asked.iter_mut().find(|place| place.is_none()) {
            Some(place) => *place = Some((follower, begins)),
            None => follower.count_late(),
        }
    }

    fn has(&self, follower: &Arc<Questions>) -> bool {
        self.asked.iter().flatten().any(|(other, _)| Arc::ptr_eq(other, follower))
    }
}

/// Asks the followers of the current process and these followers of everyone, and waits for their
/// answers. The caller has counted this in [`TELLING`].
fn ask(everyone: u64) {
    let mut round = Round { asked: [const { None }; MOST_AWAITED] };
    let guard = rcu::read_lock();
    for follower in follow::followers(task::memory(), &guard) {
        round.add(follower.into(), false);
    }
    // Another follower may have taken this place; it is then asked needlessly.
    for follower in follow::of_everyone(everyone, &guard).map(Arc::from) {
        // It may be asked already, because it follows this process.
        if !follower.is_own() && !round.has(&follower) {
            round.add(follower, true);
        }
    }
    drop(guard);
    let numbers = round.asked.each_ref().map(|f| f.as_ref().and_then(|(f, begins)| f.ask(*begins)));
    let mut left = msecs_to_jiffies(PATIENCE) as c_long;
    for (follower, number) in round.asked.into_iter().flatten().zip(numbers) {
        if let Some(number) = number {
            left = follower.0.wait(number, left);
        }
    }
    told();
}

/// Takes back the work that no thread has begun. There are no followers, and
/// [`kapi_follow_mapped`] is not called any more.
///
/// # Context
///
/// *process*
pub(crate) fn take_back() {
    WORKS.iter().for_each(Work::take_back);
}

/// Waits until no thread is about to ask anything, which is soon: there are no followers, so none
/// waits for an answer. Work that has not begun would hold the module.
///
/// # Context
///
/// *process*, may sleep
pub(crate) fn quiesce() {
    sys::kapi_told_wait(&TELLING);
}
