// SPDX-License-Identifier: GPL-2.0
//! `-x export`: puts a running session's stream into a registry, and serves or writes the
//! registry's metrics.

use crate::containers::Containers;
use crate::messages::Messages;
use crate::metrics::{Dialect, Registry, Shared};
use crate::otlp::{self, Endpoint, Event, Sender};
use crate::serve;
use recording::{Action, Line, Pieces};
use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{Error, ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// The destination of metrics.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A server for scrapes listens at this address.
    Prometheus(SocketAddr),
    /// A file for node_exporter, replaced with each snapshot.
    Textfile(PathBuf),
    /// A collector of OpenTelemetry, which gets each snapshot and the printed events.
    Otlp(Endpoint),
}

/// The values that the option accepts.
pub const EXPECTED: &str = "prometheus:[ADDRESS:]PORT, textfile:PATH or otlp:HOST:PORT[/PATH]";

impl Destination {
    /// Reads `prometheus:9105`, `prometheus:0.0.0.0:9105`, `textfile:/var/lib/x.prom`.
    pub fn from_text(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(':')?;
        match kind {
            "prometheus" => {
                let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
                let port = rest.parse().ok().map(|port| SocketAddr::new(here, port));
                port.or_else(|| rest.parse().ok()).map(Self::Prometheus)
            }
            "textfile" => (!rest.is_empty()).then(|| Self::Textfile(rest.into())),
            "otlp" => Endpoint::from_text(rest).map(Self::Otlp),
            _ => None,
        }
    }
}

/// Takes the stream of a session. Clones share everything.
#[derive(Debug, Clone)]
pub struct Exporter {
    registry: Shared,
    messages: Arc<Messages>,
    targets: Vec<Destination>,
    /// The folder with the names of containers.
    containers: Option<PathBuf>,
    taken: Rc<RefCell<Taken>>,
}

/// The part of the stream that has no end yet.
#[derive(Debug, Default)]
struct Taken {
    pieces: Pieces,
    /// The last complaint about each file, which is printed once.
    complaints: HashMap<PathBuf, String>,
    /// The threads that send to collectors.
    senders: Vec<Sender>,
}

impl Exporter {
    /// Makes an exporter for these targets, with at most `limit` series.
    pub fn new(targets: Vec<Destination>, limit: usize) -> Self {
        let mut registry = Registry::new(limit);
        if targets.iter().any(|t| matches!(t, Destination::Otlp(_))) {
            registry.keep_stacks();
        }
        let registry = Arc::new(Mutex::new(registry));
        Self { registry, messages: Arc::default(), targets, containers: None, taken: Rc::default() }
    }

    /// Gives the key `curcgroup` the names of the containers in this folder.
    pub fn name_containers(&mut self, folder: Option<PathBuf>) {
        self.containers = folder;
    }

    /// Prints nothing from here on: a view shows the stream's messages, and `messages` returns the
    /// exporter's own.
    pub fn be_quiet(&self) {
        self.messages.be_quiet();
    }

    /// Returns the messages that were kept.
    pub fn messages(&self) -> Vec<String> {
        self.messages.take()
    }

    /// Starts the servers and writes the files for the first time. The serving threads inherit the
    /// signals that are blocked now. The error is a sentence.
    pub fn start(&self) -> Result<(), String> {
        if let Some(folder) = &self.containers {
            let containers = Containers::open(folder)?;
            let mut registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
            registry.name_containers(containers);
        }
        for target in &self.targets {
            match target {
                Destination::Prometheus(address) => {
                    let started = serve::start(*address, self.registry.clone());
                    started.map_err(|e| format!("failed to listen at {address}: {e}"))?;
                }
                Destination::Textfile(path) => {
                    let written = named::replace(path, &self.text());
                    let failed = |e| format!("failed to write '{}': {e}", path.display());
                    written.map_err(failed)?;
                }
                Destination::Otlp(endpoint) => {
                    let started = Sender::start(
                        endpoint.clone(),
                        self.registry.clone(),
                        self.messages.clone(),
                    );
                    let sender = started.map_err(|e| format!("failed to start a thread: {e}"))?;
                    self.taken.borrow_mut().senders.push(sender);
                }
            }
        }
        Ok(())
    }

    fn text(&self) -> Vec<u8> {
        let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let metrics = registry.metrics();
        drop(registry);
        metrics.text(Dialect::Prometheus)
    }

    /// Takes a line of the stream; returns the text that the program prints with it.
    fn line(&self, line: &Line, taken: &mut Taken) -> String {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner).take(line);
        let mut said = String::new();
        match line {
            Line::Snapshot(_) => {
                self.write_files(taken);
                taken.senders.iter().for_each(Sender::wake);
            }
            Line::Exit { .. } => {
                self.write_files(taken);
                // Each sends the last state before it ends, all at the same time.
                taken.senders.iter_mut().for_each(Sender::end);
                taken.senders.clear();
            }
            Line::Record(record) => {
                said.extend(record.actions.iter().filter_map(Action::said));
                for text in said.lines().filter(|_| !taken.senders.is_empty()) {
                    let (at, probe) = (otlp::now(), record.probe.full_name());
                    let event = Event { at, text: text.into(), probe };
                    taken.senders.iter().for_each(|sender| sender.event(event.clone()));
                }
            }
            _ if self.messages.is_quiet() => {}
            Line::Note { text } => self.messages.say(text),
            Line::Drop(drop) => self.messages.say(&drop.text),
            Line::Fault(fault) => self.messages.say(&fault.text),
            _ => {}
        }
        said
    }

    /// Writes the files. A full disk does not end tracing.
    fn write_files(&self, taken: &mut Taken) {
        for target in &self.targets {
            let Destination::Textfile(path) = target else { continue };
            let failed = named::replace(path, &self.text()).err();
            let Some(e) = failed else {
                taken.complaints.remove(path);
                continue;
            };
            let complaint = format!("failed to write '{}': {e}", path.display());
            if taken.complaints.get(path) != Some(&complaint) {
                self.messages.say(&complaint);
                taken.complaints.insert(path.clone(), complaint);
            }
        }
    }
}

/// A writer that passes a session's stream through an exporter, and the program's text on to `to`.
#[derive(Debug)]
pub struct Sink<W> {
    exporter: Exporter,
    /// The destination of the program's text.
    to: W,
    /// Tells whether `to` gets the stream itself instead.
    is_stream: bool,
}

impl<W: Write> Sink<W> {
    /// Makes a sink.
    pub fn new(exporter: Exporter, to: W, is_stream: bool) -> Self {
        Self { exporter, to, is_stream }
    }
}

impl<W: Write> Write for Sink<W> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        let taken = self.exporter.taken.clone();
        let mut taken = taken.borrow_mut();
        // The stream has each line, also one that is too long for us.
        if self.is_stream {
            self.to.write_all(bytes)?;
        }
        let whole = taken.pieces.add(bytes);
        for text in whole.split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
            let line =
                serde_json::from_slice(text).map_err(|e| Error::new(ErrorKind::InvalidData, e))?;
            let said = self.exporter.line(&line, &mut taken);
            if !self.is_stream {
                self.to.write_all(said.as_bytes())?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn targets_are_read() {
        let here = |port| Some(Destination::Prometheus(SocketAddr::from(([127, 0, 0, 1], port))));
        assert_eq!(Destination::from_text("prometheus:9105"), here(9105));
        let all = Destination::Prometheus("[::]:9105".parse().unwrap());
        assert_eq!(Destination::from_text("prometheus:[::]:9105"), Some(all));
        assert_eq!(
            Destination::from_text("textfile:/a:b"),
            Some(Destination::Textfile("/a:b".into()))
        );
        for odd in ["prometheus", "prometheus:", "prometheus:70000", "textfile:", "otlp:x"] {
            assert_eq!(Destination::from_text(odd), None, "{odd}");
        }
    }

    #[test]
    fn a_failing_file_is_told_once() {
        let folder = std::env::temp_dir().join(format!("dtrace-files-{}", std::process::id()));
        let paths = ["gone/a.prom", "b.prom"].map(|name| folder.join(name));
        fs::create_dir_all(folder.join("gone")).unwrap();
        let exporter = Exporter::new(paths.clone().map(Destination::Textfile).into(), 10);
        exporter.be_quiet();
        exporter.start().unwrap();
        fs::remove_dir_all(folder.join("gone")).unwrap();
        let snapshot = || {
            let line = r#"{"type":"snapshot","timestamp":2,"aggregations":[]}"#;
            let mut sink = Sink::new(exporter.clone(), Vec::new(), false);
            writeln!(sink, "{line}").unwrap();
            exporter.messages().len()
        };
        assert_eq!([snapshot(), snapshot(), snapshot()], [1, 0, 0]);
        fs::create_dir_all(folder.join("gone")).unwrap();
        assert_eq!(snapshot(), 0);
        fs::remove_dir_all(folder.join("gone")).unwrap();
        assert_eq!(snapshot(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_stream_becomes_a_file_and_the_programs_text() {
        let path = std::env::temp_dir().join(format!("dtrace-export-{}.prom", std::process::id()));
        let exporter = Exporter::new(vec![Destination::Textfile(path.clone())], 10);
        exporter.start().unwrap();
        let mut text = Vec::new();
        let stream = r#"{"type":"record","timestamp":1,"cpu":0,"probe":{"id":1,"provider":"p","module":"","function":"","name":"n"},"actions":[{"action":"printf","text":"said\n","values":[]},{"action":"system","text":"ls"}]}
{"type":"snapshot","timestamp":2,"aggregations":[{"name":"n","function":"count","entries":[{"keys":[],"value":4}]}]}
"#;
        let mut sink = Sink::new(exporter.clone(), &mut text, false);
        // In pieces, since a session may write it so.
        let (one, two) = stream.split_at(100);
        sink.write_all(one.as_bytes()).unwrap();
        sink.write_all(two.as_bytes()).unwrap();
        assert_eq!(text, b"said\n");
        let metrics = fs::read_to_string(&path).unwrap();
        assert!(metrics.contains("\ndtrace_n_total 4\n"), "{metrics}");
        let mut text = Vec::new();
        Sink::new(exporter, &mut text, true).write_all(stream.as_bytes()).unwrap();
        assert_eq!(text, stream.as_bytes());
        fs::remove_file(&path).unwrap();
        let nowhere = Destination::Textfile("/nonexistent/x.prom".into());
        assert!(Exporter::new(vec![nowhere], 1).start().unwrap_err().contains("/nonexistent"));
    }
}
