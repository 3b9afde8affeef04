// SPDX-License-Identifier: GPL-2.0
//! Sleeping between two rounds until the time is over, a signal asks us to end, or the targets have
//! ended.

use crate::error::{reason, Error};
use crate::process::Target;
use crate::sys;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::fs::File;
use std::io::Read as _;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::atomic::AtomicBool;
use std::sync::Arc;

/// Why a sleep ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The time was over.
    Timeout,
    /// The kernel rang the bell.
    Rung,
    /// A signal asked us to end.
    Interrupt,
    /// The last target ended; this describes the end of each target.
    TargetsGone(Vec<String>),
}

/// A way to sleep; tests use a scripted one.
pub trait Waiter {
    /// Returns D's `timestamp`, in ns.
    fn now(&self) -> u64;
    /// Sleeps for at most `ns` nanoseconds, or until the kernel
    /// [rings](crate::kernel::Kernel::bell).
    fn wait(&mut self, ns: u64, bell: Option<&File>) -> Event;
}

/// The real waiter: it waits for signals and targets.
#[derive(Debug)]
pub struct Signals {
    wakeup: UnixStream,
    targets: Vec<Target>,
    epitaphs: Vec<String>,
    /// The number of sleeps so far.
    naps: u64,
}

impl Signals {
    /// Catches signals: the first SIGINT, SIGTERM or SIGHUP ends the session in order. The second
    /// one ends it at once, whatever we are doing. A signal that is ignored stays ignored
    /// (`nohup`), unless a view needs it to end the session. SIGINT is always caught: a shell lets
    /// its background commands ignore it, and scripts end them by `kill -INT $!`.
    pub fn new(targets: Vec<Target>, has_view: bool) -> Result<Self, Error> {
        let failed = |e: std::io::Error| Error::new("failed to catch signals", reason(&e));
        let (wakeup, theirs) = UnixStream::pair().map_err(failed)?;
        wakeup.set_nonblocking(true).map_err(failed)?;
        let was_asked = Arc::new(AtomicBool::new(false));
        let is_meant = |s: &i32| has_view || *s == SIGINT || !sys::is_ignored(*s);
        for signal in [SIGINT, SIGTERM, SIGHUP].into_iter().filter(is_meant) {
            // The order matters: the first signal finds the flag unset and sets it afterwards.
            signal_hook::flag::register_conditional_shutdown(signal, 1, was_asked.clone())
                .and_then(|_| signal_hook::flag::register(signal, was_asked.clone()))
                .and_then(|_| signal_hook::low_level::pipe::register(signal, theirs.try_clone()?))
                .map_err(failed)?;
        }
        Ok(Self { wakeup, targets, epitaphs: Vec::new(), naps: 0 })
    }

    /// Lets the commands that we started run.
    pub fn resume(&self) -> Result<(), Error> {
        self.targets.iter().try_for_each(Target::resume)
    }
}

impl Waiter for Signals {
    fn now(&self) -> u64 {
        sys::timestamp()
    }

    fn wait(&mut self, ns: u64, bell: Option<&File>) -> Event {
        self.naps += 1;
        if self.naps == 2 {
            // The compiler is no longer needed. A failure here costs nothing but memory.
            let _ = sys::give_back_code();
        }
        let mut fds = vec![self.wakeup.as_fd()];
        fds.extend(self.targets.iter().map(Target::fd));
        fds.extend(bell.map(AsFd::as_fd));
        let Ok(ready) = sys::poll(&fds, Some(ns)) else {
            return Event::Interrupt;
        };
        let mut ready = ready.into_iter();
        if ready.next() == Some(true) {
            let _ = self.wakeup.read(&mut [0; 16]);
            return Event::Interrupt;
        }
        let had_targets = !self.targets.is_empty();
        let (mut gone, mut alive) = (Vec::new(), Vec::new());
        for (target, is_gone) in std::mem::take(&mut self.targets).into_iter().zip(&mut ready) {
            if is_gone {
                gone.push(target)
            } else {
                alive.push(target)
            }
        }
        self.targets = alive;
        self.epitaphs.extend(gone.iter_mut().map(Target::epitaph));
        if had_targets && self.targets.is_empty() {
            return Event::TargetsGone(std::mem::take(&mut self.epitaphs));
        }
        match bell.filter(|_| ready.next() == Some(true)) {
            Some(mut bell) => {
                let _ = bell.read(&mut [0; 8]);
                Event::Rung
            }
            None => Event::Timeout,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signal_hook::low_level::raise;
    use std::process::Command;

    /// Only a new process can begin with an ignored signal, so the test runs itself once more.
    #[test]
    fn ignored_signals() {
        const INNER: &str = "DTRACE_TEST_INNER";
        if std::env::var_os(INNER).is_none() {
            let own = std::env::current_exe().unwrap();
            let line = "trap '' HUP TERM INT; exec \"$0\" --exact wait::tests::ignored_signals";
            let inner = Command::new("sh").args(["-c", line]).arg(own).env(INNER, "").output();
            let inner = inner.unwrap();
            return assert!(inner.status.success(), "{inner:?}");
        }
        let mut signals = Signals::new(Vec::new(), false).unwrap();
        raise(SIGHUP).unwrap();
        raise(SIGTERM).unwrap();
        assert_eq!(signals.wait(1_000_000, None), Event::Timeout);
        raise(SIGINT).unwrap();
        assert_eq!(signals.wait(1_000_000, None), Event::Interrupt);
        let mut signals = Signals::new(Vec::new(), true).unwrap();
        raise(SIGHUP).unwrap();
        assert_eq!(signals.wait(1_000_000, None), Event::Interrupt);
    }
}
