// SPDX-License-Identifier: GPL-2.0
//! The questions that threads ask a [follower](crate::follow), and its answers. A thread that has
//! asked sleeps until the follower has answered or is gone, or until the thread is killed, or for a
//! limited time. From a follower that has not answered in time, no answer is expected until it
//! answers again: a follower that is stopped, or that waits for this very process, costs the
//! process that time once.

use crate::rcu::{self, Table};
use crate::sys;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed};
use kernel::bindings;
use kernel::error::from_err_ptr;
use kernel::ffi::{c_int, c_long, c_void};
use kernel::prelude::*;
use kernel::sync::{new_spinlock, Arc, SpinLock};
use kernel::types::Opaque;

/// The most processes of which a follower has not taken notice yet. It takes so many at a time
/// (`abi`, `MAX_STRANGERS`): those that come meanwhile must not keep it from its other work.
const MOST_BEGUN: usize = 64;

/// A process.
///
/// # Invariants
///
/// This value owns a reference to the `struct pid`.
pub(crate) struct Process(NonNull<bindings::pid>);

// SAFETY: any task may use and drop a reference to a `struct pid`.
unsafe impl Send for Process {}
// SAFETY: as above.
unsafe impl Sync for Process {}

impl Process {
    /// Returns the current one.
    fn current() -> Option<Self> {
        // INVARIANT: `kapi_process_get` returns a reference.
        NonNull::new(sys::kapi_process_get().cast()).map(Self)
    }

    fn is_current(&self) -> bool {
        sys::kapi_process() == self.0.as_ptr().cast()
    }

    /// Returns its id in the namespace of the caller; 0: it has none there.
    pub(crate) fn id(&self) -> u32 {
        // SAFETY: the `struct pid` exists by the invariant.
        unsafe { bindings::pid_vnr(self.0.as_ptr()) as u32 }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // SAFETY: this value owns the reference by the invariant.
        unsafe { bindings::put_pid(self.0.as_ptr()) };
    }
}

/// An eventfd.
///
/// # Invariants
///
/// This value owns a reference to it.
struct Bell(*mut bindings::eventfd_ctx);

// SAFETY: any task may use and drop a reference to an eventfd.
unsafe impl Send for Bell {}
// SAFETY: as above.
unsafe impl Sync for Bell {}

impl Bell {
    fn new(fd: c_int) -> Result<Self> {
        // INVARIANT: `eventfd_ctx_fdget` returns a reference or an error.
        // SAFETY: the function takes any number.
        Ok(Self(from_err_ptr(unsafe { bindings::eventfd_ctx_fdget(fd) })?))
    }

    fn ring(&self) {
        // SAFETY: the eventfd exists by the invariant.
        unsafe { bindings::eventfd_signal_mask(self.0, 0) };
    }
}

impl Drop for Bell {
    fn drop(&mut self) {
        // SAFETY: this value owns the reference by the invariant.
        unsafe { bindings::eventfd_ctx_put(self.0) };
    }
}

/// A file in one of its states.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileKey {
    pub(crate) inode: u64,
    /// The time of its last change in ns.
    pub(crate) modified: u64,
    pub(crate) device: u32,
}

impl FileKey {
    /// Returns its key in a table. Users choose the numbers and times of their files.
    pub(crate) fn key(&self) -> u64 {
        rcu::key([self.inode, self.modified, self.device.into()])
    }
}

/// The questions to a follower.
#[pin_data]
pub(crate) struct Questions {
    /// The process that answers: its own threads do not wait for it.
    owner: Process,
    bell: Bell,
    #[pin]
    answers: Opaque<bindings::wait_queue_head>,
    #[pin]
    state: SpinLock<State>,
    /// The number of the last question that was answered. Changed under the lock of `state`, like
    /// `gone`.
    answered: AtomicU32,
    gone: AtomicBool,
    /// Threads that went on without an answer.
    late: AtomicU32,
    /// The files of which the follower does not want to hear.
    pub(crate) ignored: Table<FileKey, 1024>,
}

// SAFETY: tasks sleep and wake others through `answers` under the lock that is in it; the rest is
// `Send + Sync`.
unsafe impl Send for Questions {}
// SAFETY: as above.
unsafe impl Sync for Questions {}

struct State {
    /// The number of the last question. They ascend; 0 is none.
    asked: u32,
    /// The follower has not answered in time.
    stuck: bool,
    /// Processes that the follower should look at. It has room for [`MOST_BEGUN`].
    begun: KVec<Process>,
}

impl State {
    /// Notes that the follower should look at the current process; false: there is no room.
    fn note_current(&mut self) -> bool {
        if self.begun.iter().any(Process::is_current) {
            return true;
        }
        if self.begun.len() >= MOST_BEGUN {
            return false;
        }
        Process::current().is_some_and(|process| self.begun.push_within_capacity(process).is_ok())
    }
}

impl Questions {
    /// Makes the current process answer, when this eventfd rings.
    pub(crate) fn new(fd: c_int) -> Result<Arc<Self>> {
        let bell = Bell::new(fd)?;
        let owner = Process::current().ok_or(ESRCH)?;
        let begun = KVec::with_capacity(MOST_BEGUN, GFP_KERNEL)?;
        let new = pin_init!(Self {
            owner,
            bell,
            // SAFETY: `kapi_queue_init` initialises a `struct wait_queue_head`.
            answers <- Opaque::ffi_init(|queue: *mut bindings::wait_queue_head| unsafe {
                sys::kapi_queue_init(queue.cast())
            }),
            state <- new_spinlock!(State { asked: 0, stuck: false, begun }),
            answered: AtomicU32::new(0),
            gone: AtomicBool::new(false),
            late: AtomicU32::new(0),
            ignored <- pin_init::init_zeroed(),
        });
        Arc::pin_init(new, GFP_KERNEL)
    }

    /// Tells whether the current process answers.
    pub(crate) fn is_own(&self) -> bool {
        self.owner.is_current()
    }

    /// Counts a thread that goes on without an answer.
    pub(crate) fn count_late(&self) {
        self.late.fetch_add(1, Relaxed);
    }

    /// Asks, and rings. If `begins`, it first notes that the current process is to be looked at.
    /// Returns the number that has to be answered; `None`: no answer is to be expected.
    pub(crate) fn ask(&self, begins: bool) -> Option<u32> {
        let number = self.next(begins);
        self.bell.ring();
        number
    }

    fn next(&self, begins: bool) -> Option<u32> {
        let mut state = self.state.lock();
        if self.gone.load(Relaxed) {
            return None;
        }
        if begins && !state.note_current() {
            self.count_late();
            return None;
        }
        state.asked = state.asked.wrapping_add(1).max(1);
        if state.stuck {
            self.count_late();
            return None;
        }
        Some(state.asked)
    }

    /// Waits for the answer for at most `left` ticks; returns how many are left.
    pub(crate) fn wait(&self, number: u32, left: c_long) -> c_long {
        /// # Safety
        ///
        /// `arg` is a `(&Questions, u32)`.
        unsafe extern "C" fn done(arg: *mut c_void) -> bool {
            // SAFETY: by the caller.
            let (questions, number) = unsafe { &*arg.cast::<(&Questions, u32)>() };
            questions.has_answered(*number)
        }
        let mut arg = (self, number);
        let arg: *mut (&Self, u32) = &mut arg;
        // SAFETY: `new` has initialised the queue; `done` accepts `arg`, which lives until this
        // returns.
        let left =
            unsafe { sys::kapi_wait_killable(self.answers.get().cast(), done, arg.cast(), left) };
        if left == 0 {
            self.count_late();
            self.state.lock().stuck = !self.has_answered(number);
        }
        left.max(0)
    }

    fn has_answered(&self, number: u32) -> bool {
        let ahead = self.answered.load(Relaxed).wrapping_sub(number) as i32;
        self.gone.load(Relaxed) || ahead >= 0
    }

    /// Returns the number of the last question if it is not answered, or if threads have gone on
    /// without an answer, which only an answer tells; 0: there is nothing to answer.
    pub(crate) fn asked(&self) -> u32 {
        let state = self.state.lock();
        if state.asked == self.answered.load(Relaxed) && self.late.load(Relaxed) == 0 {
            0
        } else {
            state.asked.max(1)
        }
    }

    /// Answers all questions up to this number. Returns how many threads went on without an answer
    /// since the last time.
    pub(crate) fn answer(&self, number: u32) -> u32 {
        let mut state = self.state.lock();
        let new = number.wrapping_sub(self.answered.load(Relaxed)) as i32 > 0;
        if new && state.asked.wrapping_sub(number) as i32 >= 0 {
            self.answered.store(number, Relaxed);
        }
        state.stuck = false;
        drop(state);
        self.wake();
        self.late.swap(0, Relaxed)
    }

    /// Takes a process that is to be looked at.
    pub(crate) fn begun(&self) -> Option<Process> {
        self.state.lock().begun.pop()
    }

    /// Afterwards nobody waits for an answer any more.
    pub(crate) fn close(&self) {
        let state = self.state.lock();
        self.gone.store(true, Relaxed);
        drop(state);
        self.wake();
    }

    fn wake(&self) {
        // SAFETY: `new` has initialised the queue. Zero wakes all.
        unsafe {
            bindings::__wake_up(self.answers.get(), bindings::TASK_NORMAL, 0, ptr::null_mut())
        };
    }
}
