// SPDX-License-Identifier: GPL-2.0
//! Looks up the addresses of a collector with a deadline. The system's resolver may take minutes and
//! cannot be interrupted, so a thread asks it. An older answer is used while there is no new one.

use crate::patience;
use std::io::Error;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{sync_channel, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How long a request waits for a new answer if there is an older one.
const BRIEFLY: Duration = Duration::from_secs(1);

type Answer = Result<Vec<SocketAddr>, Error>;

/// The addresses of a collector.
#[derive(Debug)]
pub struct LookUp {
    /// Name or address, and port.
    host: String,
    resolve: fn(&str) -> Answer,
    /// The thread that has not answered yet. There is one at most.
    asked: Option<Receiver<Answer>>,
    /// The last answer.
    last: Vec<SocketAddr>,
}

impl LookUp {
    /// Looks up this host, later.
    pub fn new(host: &str) -> Self {
        Self::by(host, |host| Ok(host.to_socket_addrs()?.collect()))
    }

    fn by(host: &str, resolve: fn(&str) -> Answer) -> Self {
        Self { host: host.into(), resolve, asked: None, last: Vec::new() }
    }

    /// Returns the addresses; the error is a sentence's end.
    pub fn addresses(&mut self, end: Instant) -> Result<Vec<SocketAddr>, String> {
        if let Ok(address) = self.host.parse() {
            return Ok(vec![address]);
        }
        let left = patience::left(end).map_err(|e| e.to_string())?;
        let wait = if self.last.is_empty() { left } else { left.min(BRIEFLY) };
        let asked = match self.asked.take() {
            Some(asked) => asked,
            None => self.ask().map_err(|e| e.to_string())?,
        };
        let why = match asked.recv_timeout(wait) {
            Ok(Ok(found)) => {
                self.last = found;
                "its name has no address".into()
            }
            Ok(Err(e)) => e.to_string(),
            Err(e) => {
                self.asked = Some(asked).filter(|_| e == RecvTimeoutError::Timeout);
                "the look-up of its name takes too long".into()
            }
        };
        match self.last.is_empty() {
            true => Err(why),
            false => Ok(self.last.clone()),
        }
    }

    fn ask(&self) -> Result<Receiver<Answer>, Error> {
        let (answer, asked) = sync_channel(1);
        let (host, resolve) = (self.host.clone(), self.resolve);
        let thread = std::thread::Builder::new().name("resolver".into());
        // Nobody may be left to hear the answer.
        thread.spawn(move || drop(answer.send(resolve(&host))))?;
        Ok(asked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::ErrorKind;
    use std::sync::Mutex;

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(300)
    }

    #[test]
    fn a_slow_resolver_has_a_deadline() {
        static IS_SLOW: Mutex<()> = Mutex::new(());
        let resolve = |_: &str| {
            drop(IS_SLOW.lock());
            Ok(vec![SocketAddr::from(([127, 0, 0, 1], 7))])
        };
        let mut name = LookUp::by("collector:7", resolve);
        let slow = IS_SLOW.lock();
        for _ in 0..2 {
            let why = name.addresses(soon()).unwrap_err();
            assert_eq!(why, "the look-up of its name takes too long");
        }
        drop(slow);
        let hour = || Instant::now() + Duration::from_secs(3600);
        assert_eq!(name.addresses(hour()).unwrap().len(), 1);
        // The last answer is good while a new one takes long, or is an error.
        let slow = IS_SLOW.lock();
        assert_eq!(name.addresses(soon()).unwrap().len(), 1);
        drop(slow);
        name.resolve = |_| Err(ErrorKind::NotFound.into());
        assert_eq!(name.addresses(hour()).unwrap().len(), 1);
        assert_eq!(name.addresses(hour()).unwrap().len(), 1);
        let mut unknown = LookUp::by("nobody:7", |_| Err(ErrorKind::NotFound.into()));
        assert_eq!(unknown.addresses(hour()).unwrap_err(), "entity not found");
    }

    #[test]
    fn addresses_are_not_looked_up() {
        let mut address = LookUp::by("[::1]:4318", |_| Ok(Vec::new()));
        assert_eq!(address.addresses(soon()).unwrap(), ["[::1]:4318".parse().unwrap()]);
    }
}
