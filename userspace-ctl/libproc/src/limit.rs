// SPDX-License-Identifier: GPL-2.0
//! The limit of open files. Files of processes stay open, because they can be read later only if
//! they do.

use rustix::process::{getrlimit, setrlimit, Resource, Rlimit};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::OnceLock;

/// The limits with which we were started.
static FIRST: OnceLock<Rlimit> = OnceLock::new();
static WAS_REACHED: AtomicBool = AtomicBool::new(false);

/// Raises the soft limit of this process to the hard one. If that fails, the limit stays.
pub fn raise() {
    let first = FIRST.get_or_init(|| getrlimit(Resource::Nofile));
    let _ = setrlimit(Resource::Nofile, Rlimit { current: first.maximum, ..*first });
}

/// Gives this process the limits with which we were started: a program that we run may close all
/// files up to the limit. It makes one system call and allocates nothing.
pub fn restore() -> io::Result<()> {
    match FIRST.get() {
        Some(first) => Ok(setrlimit(Resource::Nofile, *first)?),
        None => Ok(()),
    }
}

/// Returns how many files we may have open.
pub fn most() -> usize {
    let most = getrlimit(Resource::Nofile).current;
    most.map_or(usize::MAX, |most| usize::try_from(most).unwrap_or(usize::MAX))
}

/// Tells whether a file could not be opened since the last call, because too many are open.
pub fn was_reached() -> bool {
    WAS_REACHED.swap(false, Relaxed)
}

/// Notes whether there was an error because too many files are open.
pub(crate) fn noted<T>(opened: io::Result<T>) -> io::Result<T> {
    if let Err(e) = &opened {
        if matches!(e.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) {
            WAS_REACHED.store(true, Relaxed);
        }
    }
    opened
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_noted() {
        assert!(noted(Err::<(), _>(io::Error::from_raw_os_error(libc::ENOENT))).is_err());
        assert!(!was_reached());
        assert!(noted(Err::<(), _>(io::Error::from_raw_os_error(libc::EMFILE))).is_err());
        assert!(was_reached() && !was_reached());
    }

    #[test]
    fn raised_and_restored() {
        let before = getrlimit(Resource::Nofile);
        raise();
        assert_eq!(getrlimit(Resource::Nofile).current, before.maximum);
        restore().unwrap();
        assert_eq!(getrlimit(Resource::Nofile), before);
    }
}
