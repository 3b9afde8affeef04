// SPDX-License-Identifier: GPL-2.0
//! `%I` and `%P`: names of addresses and ports from the machine's databases.
//!
//! A name server may take half a minute for an address, or never answer, and a remote machine
//! chooses the addresses. So other threads ask. We wait a little for each answer, and for all
//! answers a small share of the time; until its name arrives, an address stays a number.

use crate::sys;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long we wait for a name.
const PATIENCE: Duration = Duration::from_millis(250);
/// How long we wait for names at first, and the most that we save up.
const BUDGET: Duration = Duration::from_secs(1);
/// Later we wait for at most one of so many parts of the time.
const PARTS: u32 = 10;
/// The most names that we keep; then we forget all.
const MOST_NAMES: usize = 16 << 10;
/// The most addresses whose names we ask for at a time.
const MOST_ASKED: usize = 256;
/// The most threads that ask.
const MOST_THREADS: usize = 4;

thread_local! {
    static HOSTS: RefCell<Hosts> = RefCell::new(Hosts::new(Arc::new(sys::host_name)));
    static SERVICES: RefCell<HashMap<u16, Option<String>>> = RefCell::default();
}

type Name = Option<String>;
type Answer = (IpAddr, Name);
type Ask = Arc<dyn Fn(IpAddr) -> Name + Send + Sync>;

/// The names of hosts.
struct Hosts {
    ask: Ask,
    known: HashMap<IpAddr, Name>,
    /// The addresses without an answer so far.
    asked: HashSet<IpAddr>,
    questions: (Sender<IpAddr>, Arc<Mutex<Receiver<IpAddr>>>),
    answers: (Sender<Answer>, Receiver<Answer>),
    threads: usize,
    patience: Duration,
    /// How long we may still wait.
    left: Duration,
    /// When `left` was raised last.
    raised: Option<Instant>,
}

impl Hosts {
    fn new(ask: Ask) -> Self {
        let (questions, queue) = mpsc::channel();
        Self {
            ask,
            known: HashMap::new(),
            asked: HashSet::new(),
            questions: (questions, Arc::new(Mutex::new(queue))),
            answers: mpsc::channel(),
            threads: 0,
            patience: PATIENCE,
            left: BUDGET,
            raised: None,
        }
    }

    /// Returns the name of an address, if it is known in time. `beat` is called around each wait.
    fn name(&mut self, address: IpAddr, now: Instant, beat: &dyn Fn()) -> Name {
        if let Some(name) = self.known.get(&address) {
            return name.clone();
        }
        while let Ok(answer) = self.answers.1.try_recv() {
            self.note(answer);
        }
        if !self.known.contains_key(&address) && self.begin(address) {
            self.raise(now);
            if !self.left.is_zero() {
                beat();
                self.wait(address);
                beat();
            }
        }
        self.known.get(&address).cloned().flatten()
    }

    /// Has a thread ask for a name; returns false if that is being done already, or cannot be done
    /// now.
    fn begin(&mut self, address: IpAddr) -> bool {
        if self.asked.len() >= MOST_ASKED || !self.asked.insert(address) {
            return false;
        }
        if self.threads < self.asked.len().min(MOST_THREADS) {
            let (ask, queue, tell) =
                (self.ask.clone(), self.questions.1.clone(), self.answers.0.clone());
            let next = move || queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let work = move || {
                while let Ok(address) = next() {
                    // The receiver may have ended.
                    let _ = tell.send((address, ask(address)));
                }
            };
            let spawned = std::thread::Builder::new().name("names".into()).spawn(work);
            self.threads += usize::from(spawned.is_ok());
        }
        let is_asked = self.threads > 0 && self.questions.0.send(address).is_ok();
        if !is_asked {
            self.asked.remove(&address);
        }
        is_asked
    }

    /// Raises the time that is left by a share of the time that has passed.
    fn raise(&mut self, now: Instant) {
        let passed = self.raised.map_or(Duration::ZERO, |then| now.saturating_duration_since(then));
        self.left = (self.left + passed / PARTS).min(BUDGET);
        self.raised = Some(now);
    }

    fn wait(&mut self, address: IpAddr) {
        let (begin, patience) = (Instant::now(), self.left.min(self.patience));
        loop {
            let rest = patience.saturating_sub(begin.elapsed());
            match self.answers.1.recv_timeout(rest) {
                Ok(answer) if answer.0 == address => break self.note(answer),
                Ok(answer) => self.note(answer),
                Err(_) => break,
            }
        }
        self.left = self.left.saturating_sub(begin.elapsed());
    }

    fn note(&mut self, (address, name): Answer) {
        self.asked.remove(&address);
        if self.known.len() >= MOST_NAMES {
            self.known.clear();
        }
        // The owner of the address chooses the name.
        self.known.insert(address, name.map(|name| plaintext::clean(&name).into_owned()));
    }
}

/// Returns the host name of an address given as text, or the text unchanged. `beat` is called
/// around each wait for a name.
pub fn host(text: &[u8], beat: &dyn Fn()) -> Vec<u8> {
    let address = std::str::from_utf8(text).ok().and_then(|t| t.parse::<IpAddr>().ok());
    let ask = |a| HOSTS.with(|hosts| hosts.borrow_mut().name(a, Instant::now(), beat));
    address.and_then(ask).map_or_else(|| text.to_vec(), String::into_bytes)
}

/// Returns the name of the service at a port, or the port.
pub fn service(port: u16) -> String {
    let name = SERVICES.with(|names| {
        let mut names = names.borrow_mut();
        names.entry(port).or_insert_with(|| sys::service_name(port)).clone()
    });
    name.unwrap_or_else(|| port.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn what_has_no_name_stays() {
        assert_eq!(host(b"no address", &|| ()), b"no address");
        assert_eq!(host(b"", &|| ()), b"");
        assert_eq!(service(1), std::fs::read_to_string("/etc/services").map_or("1".into(), named));
    }

    /// Returns the name of port 1 in `/etc/services`.
    fn named(services: String) -> String {
        let line = services.lines().find(|l| l.split_whitespace().nth(1) == Some("1/tcp"));
        line.and_then(|l| l.split_whitespace().next()).unwrap_or("1").into()
    }

    const LONG: Duration = Duration::from_secs(3600);

    fn address(n: u32) -> IpAddr {
        std::net::Ipv4Addr::from(n).into()
    }

    #[test]
    fn an_answer_is_awaited_and_kept() {
        let ask = |a: IpAddr| (a != address(7)).then(|| format!("host-{a}"));
        let mut hosts = Hosts::new(Arc::new(ask));
        (hosts.patience, hosts.left) = (LONG, LONG);
        let beats = Cell::new(0);
        let mut name = |n| hosts.name(address(n), Instant::now(), &|| beats.set(beats.get() + 1));
        for _ in 0..2 {
            assert_eq!(name(1).unwrap(), "host-0.0.0.1");
            assert_eq!(name(2).unwrap(), "host-0.0.0.2");
            assert_eq!(name(7), None);
        }
        assert_eq!(beats.get(), 6);
        assert!(hosts.asked.is_empty());
    }

    /// The name server of some addresses never answers. The time for names is used up once, and
    /// no more threads wait than are meant to.
    #[test]
    fn a_silent_name_server_takes_a_share_of_the_time() {
        let (go, wait) = mpsc::channel::<()>();
        let (wait, silent) = (Mutex::new(wait), 1000);
        let ask = move |a: IpAddr| {
            if a < address(silent) {
                let _ = wait.lock().map(|w| w.recv());
            }
            Some(format!("host-{a}"))
        };
        let mut hosts = Hosts::new(Arc::new(ask));
        hosts.patience = Duration::from_millis(1);
        hosts.left = hosts.patience * 3;
        let (beats, now) = (Cell::new(0), Instant::now());
        let beat = || beats.set(beats.get() + 1);
        for n in (0..silent).chain(0..silent) {
            assert_eq!(hosts.name(address(n), now, &beat), None);
        }
        assert!(hosts.left.is_zero() && (2..=6).contains(&beats.get()), "{}", beats.get());
        assert_eq!((hosts.asked.len(), hosts.threads), (MOST_ASKED, MOST_THREADS));
        // Once it answers, the names are there.
        drop(go);
        while !hosts.asked.is_empty() {
            let answer = hosts.answers.1.recv().unwrap();
            hosts.note(answer);
        }
        assert_eq!(hosts.name(address(5), now, &beat).unwrap(), "host-0.0.0.5");
    }

    #[test]
    fn time_for_names_is_saved_up_to_a_limit() {
        let mut hosts = Hosts::new(Arc::new(|_| None));
        let now = Instant::now();
        hosts.raise(now);
        hosts.left = Duration::ZERO;
        hosts.raise(now);
        assert_eq!(hosts.left, Duration::ZERO);
        hosts.raise(now + Duration::from_secs(2));
        assert_eq!(hosts.left, Duration::from_millis(200));
        hosts.raise(now + LONG);
        assert_eq!(hosts.left, BUDGET);
    }

    #[test]
    fn the_table_is_bounded_and_harmless() {
        let mut hosts = Hosts::new(Arc::new(|_| None));
        hosts.note((address(0), Some("a\u{1b}c".into())));
        assert_eq!(hosts.known[&address(0)].as_deref(), Some("a\u{fffd}c"));
        for n in 0..3 * MOST_NAMES as u32 {
            hosts.note((address(n), None));
            assert!(hosts.known.len() <= MOST_NAMES);
        }
    }
}
