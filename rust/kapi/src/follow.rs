// SPDX-License-Identifier: GPL-2.0
//! Reports to followers what processes map, before they run it: the thread that maps waits, for a
//! bounded time, for the follower's answer ([`crate::mapped`], [`crate::questions`]).
//!
//! A follower follows processes: it hears of libraries, however they are loaded. It can also follow
//! everyone: it then hears of code that any process maps, including a program that begins, except
//! for files that it has called uninteresting. Most files are, and mapping one costs its process a
//! lookup in a hash table. It also hears of copies (fork) of the processes that it follows
//! themselves.

use crate::lock::{Held, Lock};
use crate::mapped;
pub(crate) use crate::mapped::quiesce;
use crate::mem;
use crate::questions::{FileKey, Questions};
use crate::rcu::{Node, Table};
use crate::sites;
use crate::space::Space;
use crate::sys;
use crate::task::{self, ROOT};
use core::cell::UnsafeCell;
use core::ptr;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize};
use kernel::alloc::KVVec;
use kernel::bindings;
use kernel::error::to_result;
use kernel::ffi::c_int;
use kernel::prelude::*;
use kernel::sync::rcu::{self, Guard};
use kernel::sync::{Arc, ArcBorrow};

/// The most processes that one follower follows.
const MOST_FOLLOWED: usize = 1024;
/// The most followers of everyone: of all users, of all except root, and of one of these.
const MOST_EVERYONE: usize = 8;
const MOST_OF_USERS: usize = 6;
const MOST_OF_USER: usize = 4;
/// The most files that one of them has called uninteresting; the oldest makes room.
const MOST_IGNORED: usize = 8192;

/// A followed process.
#[derive(Clone, Copy)]
struct Followed {
    /// Its memory.
    mm: u64,
    /// From `Arc::as_ptr`.
    by: *const Questions,
}

// SAFETY: `Questions` are shared by all tasks.
unsafe impl Send for Followed {}
// SAFETY: as above.
unsafe impl Sync for Followed {}

/// The followed processes. Changed under `Lock::Follow`, like all statics here.
static FOLLOWED: Table<Followed, 256> = Table::new();
static FOLLOWED_COUNT: AtomicUsize = AtomicUsize::new(0);

/// The followers of everyone: null, or from `Arc::as_ptr`.
static EVERYONE: [AtomicPtr<Questions>; MOST_EVERYONE] =
    [const { AtomicPtr::new(ptr::null_mut()) }; MOST_EVERYONE];
static EVERYONE_COUNT: AtomicUsize = AtomicUsize::new(0);
/// The user of each follower of everyone.
static OWNERS: [AtomicU32; MOST_EVERYONE] = [const { AtomicU32::new(ROOT) }; MOST_EVERYONE];

/// Tells whether a user may have one more follower of everyone. The lock is held.
fn has_share(owner: u32, _held: &Held) -> bool {
    let in_use = || EVERYONE.iter().zip(&OWNERS).filter(|(at, _)| !at.load(Relaxed).is_null());
    let count = |is: fn(u32, u32) -> bool| {
        in_use().filter(|(_, other)| is(owner, other.load(Relaxed))).count()
    };
    owner == ROOT
        || count(|own, other| own == other) < MOST_OF_USER
            && count(|_, other| other != ROOT) < MOST_OF_USERS
}

/// Returns a follower that a reader has found in [`FOLLOWED`] or [`EVERYONE`].
///
/// # Safety
///
/// `at` is null or was there since the guard exists.
unsafe fn found<'g>(at: *const Questions, _: &'g Guard) -> Option<ArcBorrow<'g, Questions>> {
    // SAFETY: by the caller, `at` is from `Arc::as_ptr`. `Follower::drop` takes it out, and drops
    // its reference after a grace period, which does not end before the guard.
    (!at.is_null()).then(|| unsafe { ArcBorrow::from_raw(at) })
}

/// Returns the followers of the process with this memory, except the current process.
pub(crate) fn followers(
    mm: u64,
    guard: &Guard,
) -> impl Iterator<Item = ArcBorrow<'_, Questions>> + '_ {
    let these = FOLLOWED.of_key(mm, guard).filter(move |e| e.mm == mm);
    // SAFETY: the table has led to it since the guard exists.
    these.filter_map(|e| unsafe { found(e.by, guard) }).filter(|by| !by.is_own())
}

/// Returns the followers in these places of [`EVERYONE`].
pub(crate) fn of_everyone(
    places: u64,
    guard: &Guard,
) -> impl Iterator<Item = ArcBorrow<'_, Questions>> + '_ {
    let these =
        EVERYONE.iter().enumerate().filter(move |(i, _)| places.wrapping_shr(*i as u32) & 1 != 0);
    // SAFETY: it is there since the guard exists.
    these.filter_map(|(_, at)| unsafe { found(at.load(Acquire), guard) })
}

/// Returns the places of followers of everyone that `is` accepts.
fn places(guard: &Guard, is: impl Fn(ArcBorrow<'_, Questions>) -> bool) -> u64 {
    if EVERYONE_COUNT.load(Relaxed) == 0 {
        return 0;
    }
    let accepted = EVERYONE.iter().enumerate().filter(|(_, at)| {
        // SAFETY: it is there since the guard exists.
        unsafe { found(at.load(Acquire), guard) }.is_some_and(&is)
    });
    accepted.fold(0, |places, (i, _)| places | 1 << i)
}

/// Returns the followers of everyone that want to hear of code of this file in the current process.
pub(crate) fn wanted_by(file: &FileKey, guard: &Guard) -> u64 {
    let ignores = |by: &Questions| by.ignored.of_key(file.key(), guard).any(|f| f == file);
    places(guard, |by| !by.is_own() && !ignores(&by))
}

/// Returns the followers of everyone that follow the process with this memory.
pub(crate) fn wanted_by_followers_of(mm: u64, guard: &Guard) -> u64 {
    places(guard, |by| followers(mm, guard).any(|f| ptr::eq(&*f, &*by)))
}

/// What a follower has in the tables.
struct Entries {
    followed: KVec<Space>,
    ignored: KVVec<FileKey>,
    /// The place of the oldest ignored file, once there are [`MOST_IGNORED`].
    oldest: usize,
}

/// A follower of processes. Dropping it releases all threads that wait for its answer.
pub struct Follower {
    questions: Arc<Questions>,
    entries: UnsafeCell<Entries>,
}

// SAFETY: any task may drop the entries.
unsafe impl Send for Follower {}
// SAFETY: only `locked` accesses `entries`, by one task at a time.
unsafe impl Sync for Follower {}

impl Follower {
    /// Makes the current process a follower that is notified through an eventfd. `EBADF`, `EINVAL`:
    /// `fd` is not an open eventfd.
    ///
    /// # Context
    ///
    /// *process*
    pub fn new(fd: c_int) -> Result<Self> {
        mem::ask()?;
        let entries = Entries { followed: KVec::new(), ignored: KVVec::new(), oldest: 0 };
        Ok(Self { questions: Questions::new(fd)?, entries: UnsafeCell::new(entries) })
    }

    fn locked<R>(&self, f: impl FnOnce(&mut Entries, &Held) -> R) -> R {
        let held = Lock::Follow.hold();
        // SAFETY: nobody else holds the lock, so nobody else has a reference.
        f(unsafe { &mut *self.entries.get() }, &held)
    }

    /// Reports from now on what a process maps; `pid` is its id in the caller's namespace. It may
    /// be followed already.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn follow(&self, pid: u32) -> Result {
        mem::ask()?;
        // Tasks will enter our code, and we must be able to tell when they have left it.
        sites::expect();
        let space = match pid {
            0 => return Err(ESRCH),
            pid => Space::of(pid)?.space,
        };
        self.locked(|entries, held| self.follow_space(entries, held, space))
    }

    fn follow_space(&self, entries: &mut Entries, held: &Held, space: Space) -> Result {
        if entries.followed.iter().any(|other| other.key() == space.key()) {
            return Ok(());
        }
        entries.followed.retain(|other| {
            let alive = other.is_alive();
            if !alive {
                self.unfollow(other, held);
            }
            alive
        });
        if entries.followed.len() >= MOST_FOLLOWED {
            return Err(ENOSPC);
        }
        to_result(sys::kapi_mapped_on())?;
        entries.followed.reserve(1, GFP_KERNEL)?;
        let mm = space.key();
        let followed = Followed { mm, by: Arc::as_ptr(&self.questions) };
        let node = KBox::new(Node::new(followed), GFP_KERNEL)?;
        entries.followed.push(space, GFP_KERNEL)?;
        FOLLOWED_COUNT.fetch_add(1, Relaxed);
        // SAFETY: `held` is `Lock::Follow`, under which the table changes.
        unsafe { FOLLOWED.insert(mm, node) };
        Ok(())
    }

    fn unfollow(&self, space: &Space, _held: &Held) {
        let (mm, own) = (space.key(), Arc::as_ptr(&self.questions));
        // SAFETY: the lock is `Lock::Follow`, under which the table changes.
        unsafe { FOLLOWED.remove(mm, |e| e.mm == mm && e.by == own) };
        FOLLOWED_COUNT.fetch_sub(1, Relaxed);
    }

    /// Reports from now on code that any process maps, also a new program, unless its file is
    /// [ignored](Self::ignore). `ENOSPC`: too many followers do so.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn follow_everyone(&self) -> Result {
        mem::ask()?;
        sites::expect();
        let (own, user) = (Arc::as_ptr(&self.questions).cast_mut(), task::owner());
        self.locked(|_, held| {
            if EVERYONE.iter().any(|at| at.load(Relaxed) == own) {
                return Ok(());
            }
            let mut free = EVERYONE.iter().zip(&OWNERS).filter(|_| has_share(user, held));
            let free = free.find(|(at, _)| at.load(Relaxed).is_null());
            let (free, owner) = free.ok_or(ENOSPC)?;
            to_result(sys::kapi_mapped_on())?;
            owner.store(user, Relaxed);
            free.store(own, Release);
            EVERYONE_COUNT.fetch_add(1, Relaxed);
            Ok(())
        })
    }

    /// Stops reports about this file as long as its last change was at `modified` (ns), except for
    /// processes that are followed themselves. If there are too many files, the oldest are
    /// forgotten.
    ///
    /// # Context
    ///
    /// *process*, may sleep
    pub fn ignore(&self, inode: u64, modified: u64, device: u32) -> Result {
        let (file, table) = (FileKey { inode, modified, device }, &self.questions.ignored);
        // Under the lock, a charge could make all others wait for the cgroup.
        let node = mem::accounted::boxed(Node::new(file))?;
        self.locked(|entries, _held| {
            if table.of_key(file.key(), &rcu::read_lock()).any(|f| *f == file) {
                return Ok(());
            }
            if entries.ignored.len() < MOST_IGNORED {
                entries.ignored.push(file, GFP_KERNEL)?;
            } else if let Some(place) = entries.ignored.get_mut(entries.oldest) {
                // SAFETY: we hold `Lock::Follow`, under which these tables change.
                unsafe { table.remove(place.key(), |f| f == place) };
                *place = file;
                entries.oldest = entries.oldest.wrapping_add(1) % MOST_IGNORED;
            }
            // SAFETY: as above.
            unsafe { table.insert(file.key(), node) };
            Ok(())
        })
    }

    /// Takes the ids, in the caller's namespace, of processes that were reported because everyone
    /// is followed. The rest of `to` is unchanged.
    ///
    /// # Context
    ///
    /// *process*
    pub fn begun(&self, to: &mut [u32]) {
        for to in to {
            let Some(process) = self.questions.begun() else { return };
            *to = process.id();
        }
    }

    /// Returns the number of the last report that is not [answered](Self::answer), or 0.
    ///
    /// # Context
    ///
    /// *process*
    pub fn asked(&self) -> u32 {
        self.questions.asked()
    }

    /// Answers all reports up to this number. Returns how many threads went on without an answer
    /// since the last call.
    ///
    /// # Context
    ///
    /// *process*
    pub fn answer(&self, asked: u32) -> u32 {
        self.questions.answer(asked)
    }
}

impl Drop for Follower {
    /// # Context
    ///
    /// *process*, may sleep
    fn drop(&mut self) {
        let own = Arc::as_ptr(&self.questions).cast_mut();
        self.locked(|entries, held| {
            entries.followed.iter().for_each(|space| self.unfollow(space, held));
            for at in EVERYONE.iter().filter(|at| at.load(Relaxed) == own) {
                at.store(ptr::null_mut(), Relaxed);
                EVERYONE_COUNT.fetch_sub(1, Relaxed);
            }
            if FOLLOWED_COUNT.load(Relaxed) == 0 && EVERYONE_COUNT.load(Relaxed) == 0 {
                sys::kapi_mapped_off();
                mapped::take_back();
            }
        });
        self.questions.close();
        // A reader may have found the pointer, and not have its own reference yet.
        // SAFETY: the caller may sleep.
        unsafe { bindings::synchronize_rcu() };
    }
}
