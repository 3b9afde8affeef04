// SPDX-License-Identifier: GPL-2.0
//! `-x export=otlp:`: sends metrics and printed events to an OpenTelemetry collector, by HTTP.
//!
//! ```text
//!   session ── snapshot ──► registry ─┐
//!          └── printed ───► events ───┴─ thread ── POST /v1/metrics, /v1/logs,
//!                                                       /v1development/profiles ──► collector
//! ```
//! The session never waits for the collector. While a request is under way, further snapshots only
//! change the registry; printed events wait, up to a limit, and the rest is counted as lost.

use crate::gzip::{compressed, Compression};
use crate::lookup::LookUp;
use crate::messages::Messages;
use crate::metrics::Shared;
use crate::patience;
use crate::profiles::{Interval, Sent};
use crate::source::{attribute, Source};
use crate::wire::Writer;
use std::io::Error;
use std::net::TcpStream;
use std::sync::mpsc::{sync_channel, Receiver, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The most printed events that wait to be sent.
const EVENTS: usize = 10_000;
/// The time that a collector has for a request, from the look-up of its name to the end of its
/// answer.
const PATIENCE: Duration = Duration::from_secs(5);
/// The most bytes of an answer that are read.
const ANSWER: usize = 4 << 10;
/// The most characters of an answer's first line that a message shows.
const STATUS: usize = 100;
/// `SEVERITY_NUMBER_INFO`.
const INFO: u64 = 9;

/// A collector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// Name or address, and port.
    pub host: String,
    /// The path in front of `/v1/metrics`.
    pub prefix: String,
}

impl Endpoint {
    /// Reads `HOST:PORT` or `HOST:PORT/PREFIX`.
    pub fn from_text(text: &str) -> Option<Self> {
        let text = text.strip_prefix("http://").unwrap_or(text);
        let (host, prefix) = text.split_once('/').unwrap_or((text, ""));
        let (name, port) = host.rsplit_once(':')?;
        port.parse::<u16>().ok().filter(|port| *port != 0 && !name.is_empty())?;
        let prefix = prefix.trim_end_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
        Some(Self { host: host.into(), prefix })
    }
}

/// A printed event.
#[derive(Debug, Clone)]
pub struct Event {
    /// When the command got it, in nanoseconds since 1970.
    pub at: u64,
    /// The text, without its last line end.
    pub text: String,
    /// The name of the probe.
    pub probe: String,
}

/// A collector, and what is known of its addresses.
struct Collector {
    endpoint: Endpoint,
    look_up: LookUp,
}

/// Returns the time, in nanoseconds since 1970.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Writes the body of a request with events (`ExportLogsServiceRequest`).
fn logs(events: &[Event], source: &Source) -> Vec<u8> {
    Writer::written(|to| {
        source.put(to, |to| {
            for event in events {
                to.nested(2, |to| {
                    to.uint(2, INFO);
                    to.nested(5, |to| to.text(1, &event.text));
                    attribute(to, 6, "dtrace.probe", &event.probe);
                    to.fixed(11, event.at);
                });
            }
        });
    })
}

/// What a session and the sending thread share.
#[derive(Debug)]
struct Common {
    registry: Shared,
    events: Mutex<Vec<Event>>,
    messages: Arc<Messages>,
}

/// What a collector has got of the stacks, and until when.
struct Stacks {
    sent: Sent,
    until: u64,
}

/// Sends to one collector from a thread of its own.
#[derive(Debug)]
pub struct Sender {
    common: Arc<Common>,
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Sender {
    /// Starts the thread. A collector that does not answer is reported once, and tried again with
    /// each snapshot.
    pub fn start(
        endpoint: Endpoint,
        registry: Shared,
        messages: Arc<Messages>,
    ) -> Result<Self, Error> {
        let common = Arc::new(Common { registry, events: Mutex::default(), messages });
        let (wake, woken) = sync_channel(1);
        let own = common.clone();
        let thread = std::thread::Builder::new().name("otlp".into());
        let thread = thread.spawn(move || own.send_all(&mut Collector::new(endpoint), &woken))?;
        Ok(Self { common, wake: Some(wake), thread: Some(thread) })
    }

    /// Keeps a printed event for the next request.
    pub fn event(&self, event: Event) {
        let mut events = self.common.events.lock().unwrap_or_else(PoisonError::into_inner);
        if events.len() < EVENTS {
            events.push(event);
            return;
        }
        drop(events);
        self.common.registry.lock().unwrap_or_else(PoisonError::into_inner).lose_events(1);
    }

    /// Asks for the last request, without waiting for it.
    pub fn end(&mut self) {
        self.wake = None;
    }

    /// Asks for a request. If one is under way, the next one will have the newest state.
    pub fn wake(&self) {
        if let Some(wake) = &self.wake {
            // A full channel means that a request is due anyway.
            let _ = wake.try_send(());
        }
    }
}

impl Drop for Sender {
    /// Sends the last state, and waits until the collector has it or did not answer in time.
    fn drop(&mut self) {
        self.end();
        self.thread.take().into_iter().for_each(|thread| drop(thread.join()));
    }
}

impl Common {
    fn send_all(&self, collector: &mut Collector, woken: &Receiver<()>) {
        let start = now();
        let mut complaint = None;
        let mut stacks = Stacks { sent: Sent::new(), until: start };
        loop {
            let is_last = woken.recv().is_err();
            let sent =
                self.send(collector, start).and_then(|()| self.profile(collector, &mut stacks));
            let failed = sent.err();
            if failed != complaint {
                failed.iter().for_each(|why| {
                    let host = &collector.endpoint.host;
                    let said = format!("failed to send to http://{host}: {why}");
                    self.messages.say(&said);
                });
                complaint = failed;
            }
            if is_last {
                self.leave(&collector.endpoint);
                return;
            }
        }
    }

    /// Counts the events that no request took along.
    fn leave(&self, endpoint: &Endpoint) {
        let left = self.events.lock().unwrap_or_else(PoisonError::into_inner).len();
        if left > 0 {
            let said = format!("{left} printed events were not sent to http://{}", endpoint.host);
            self.messages.say(&said);
            let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
            registry.lose_events(left as u64);
        }
    }

    /// Sends what stacks have counted since the last time. What a collector refuses is sent again
    /// with the next request.
    fn profile(&self, collector: &mut Collector, stacks: &mut Stacks) -> Result<(), String> {
        let time = Interval { start: stacks.until, end: now() };
        let added = {
            let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
            registry.profiles(&stacks.sent)
        };
        if let Some(added) = added {
            collector.post("/v1development/profiles", &added.written(time)).map_err(|why| {
                format!("{why}, so it gets no stacks; -x oformat=pprof writes them to a file")
            })?;
            *stacks = Stacks { sent: added.totals, until: time.end };
        }
        Ok(())
    }

    fn send(&self, collector: &mut Collector, start: u64) -> Result<(), String> {
        let (metrics, source) = {
            let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
            (registry.metrics(), registry.source())
        };
        let body = metrics.otlp(start, now());
        // The session changes the registry's metrics without a copy while nothing else has them.
        drop(metrics);
        collector.post("/v1/metrics", &body)?;
        let events = {
            let mut events = self.events.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *events)
        };
        if events.is_empty() {
            return Ok(());
        }
        collector.post("/v1/logs", &logs(&events, &source)).inspect_err(|_| {
            let lost = events.len() as u64;
            self.registry.lock().unwrap_or_else(PoisonError::into_inner).lose_events(lost);
        })
    }
}

impl Collector {
    fn new(endpoint: Endpoint) -> Self {
        let look_up = LookUp::new(&endpoint.host);
        Self { endpoint, look_up }
    }

    /// Sends one request; the error is a sentence's end.
    fn post(&mut self, path: &str, body: &[u8]) -> Result<(), String> {
        let end = Instant::now() + PATIENCE;
        let body = compressed(body, Compression::fast());
        let mut stream = self.connect(end)?;
        let head = format!(
            "POST {}{path} HTTP/1.1\r\nHost: {}\r\nUser-Agent: dtrace/{}\r\nContent-Type: \
             application/x-protobuf\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\nConnection: \
             close\r\n\r\n",
            self.endpoint.prefix,
            self.endpoint.host,
            env!("CARGO_PKG_VERSION"),
            body.len()
        );
        let request = [head.as_bytes(), &body].concat();
        let answer = talk(&mut stream, &request, end).map_err(|e| e.to_string())?;
        let status = answer.lines().next().unwrap_or_default();
        let code = status.split_whitespace().nth(1).unwrap_or_default();
        let shown: String = status.chars().take(STATUS).collect();
        match code.starts_with('2') {
            true => Ok(()),
            false => Err(format!("it answers {path} with '{shown}'")),
        }
    }

    fn connect(&mut self, end: Instant) -> Result<TcpStream, String> {
        let mut why = "no address".to_string();
        for address in self.look_up.addresses(end)? {
            let left = patience::left(end).map_err(|e| e.to_string())?;
            match TcpStream::connect_timeout(&address, left) {
                Ok(stream) => return Ok(stream),
                Err(e) => why = e.to_string(),
            }
        }
        Err(why)
    }
}

/// Sends a request and returns the answer.
fn talk(stream: &mut TcpStream, request: &[u8], end: Instant) -> Result<String, Error> {
    patience::write(stream, request, end)?;
    let mut answer = Vec::new();
    let mut some = [0; 1024];
    while answer.len() < ANSWER {
        match patience::read(stream, &mut some, end) {
            Ok(0) => break,
            Ok(n) => answer.extend_from_slice(some.get(..n).unwrap_or_default()),
            // A collector may break off behind its answer.
            Err(_) if !answer.is_empty() => break,
            Err(e) => return Err(e),
        }
    }
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[cfg(test)]
mod tests;
