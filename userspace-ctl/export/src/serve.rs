// SPDX-License-Identifier: GPL-2.0
//! A minimal HTTP server for scrapes. It shares the machine with the tracing, so it limits the
//! number of clients, the time of each, and the size of a request. A body is made once for each
//! state of the registry, however often clients ask for it.

use crate::gzip::{compressed, Compression};
use crate::metrics::{Dialect, Shared, Version};
use crate::patience;
use std::collections::HashMap;
use std::io::{Error, ErrorKind};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The number of clients served at once; further clients get no answer.
const CLIENTS: usize = 8;
/// The most bytes of a request; only its head is read.
const REQUEST: usize = 16 << 10;
/// The time that a client has from its connection to the end of the answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a body may show an old count of losses.
const LOSSES: Duration = Duration::from_secs(1);
/// The size, in bytes, above which a body is compressed.
const LARGE: usize = 1 << 10;

/// The forms of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Form {
    Text(Dialect),
    Protobuf,
}

impl Form {
    /// Returns the form that a client prefers. Only protobuf has native histograms, so Prometheus
    /// asks for it if it wants them.
    fn accepted(accept: &str) -> Self {
        let quality = |range: &str| {
            let q = range.split(';').find_map(|p| p.trim().strip_prefix("q="));
            q.and_then(|q| q.trim().parse::<f64>().ok()).unwrap_or(1.0)
        };
        let form = |range: &str| {
            let is = |word| range.contains(word);
            if is("application/vnd.google.protobuf") && is("MetricFamily") && !is("encoding=text") {
                Some(Self::Protobuf)
            } else if is("application/openmetrics-text") {
                Some(Self::Text(Dialect::OpenMetrics))
            } else if is("text/plain") {
                Some(Self::Text(Dialect::Prometheus))
            } else {
                None
            }
        };
        let mut best = (0.0, Self::Text(Dialect::Prometheus));
        for range in accept.split(',') {
            let (q, Some(form)) = (quality(range), form(range)) else { continue };
            // Of equal ranges the first one wins.
            if q > best.0 {
                best = (q, form);
            }
        }
        best.1
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Text(Dialect::Prometheus) => "text/plain; version=0.0.4; charset=utf-8",
            Self::Text(Dialect::OpenMetrics) => {
                "application/openmetrics-text; version=1.0.0; charset=utf-8"
            }
            Self::Protobuf => {
                "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"
            }
        }
    }
}

/// Bodies of a state of the registry, plain and compressed.
struct Bodies {
    version: Version,
    since: Instant,
    made: HashMap<(Form, bool), Arc<Vec<u8>>>,
}

impl Default for Bodies {
    fn default() -> Self {
        Self { version: Version::default(), since: Instant::now(), made: HashMap::new() }
    }
}

/// What the threads of a server share.
struct Server {
    registry: Shared,
    bodies: Mutex<Bodies>,
    clients: AtomicUsize,
}

/// Listens at an address and serves the registry from threads of its own; returns the address.
pub fn start(address: SocketAddr, registry: Shared) -> Result<SocketAddr, Error> {
    let listener = TcpListener::bind(address)?;
    let address = listener.local_addr()?;
    let (bodies, clients) = (Mutex::default(), AtomicUsize::new(0));
    let server = Arc::new(Server { registry, bodies, clients });
    let accept = move || {
        for client in listener.incoming() {
            // Too many open files, or a client that disappeared: neither justifies a busy loop.
            let Ok(client) = client else {
                std::thread::sleep(Duration::from_millis(100));
                continue;
            };
            if server.clients.fetch_add(1, Ordering::AcqRel) >= CLIENTS {
                server.clients.fetch_sub(1, Ordering::AcqRel);
                continue;
            }
            let own = server.clone();
            let serve = move || {
                // A client that broke off is not reported.
                let _ = own.serve(client);
                own.clients.fetch_sub(1, Ordering::AcqRel);
            };
            if std::thread::Builder::new().name("scrape".into()).spawn(serve).is_err() {
                server.clients.fetch_sub(1, Ordering::AcqRel);
            }
        }
    };
    std::thread::Builder::new().name("export".into()).spawn(accept)?;
    Ok(address)
}

impl Server {
    fn serve(&self, mut client: TcpStream) -> Result<(), Error> {
        let end = Instant::now() + PATIENCE;
        let head = head(&mut client, end)?;
        let mut lines = head.lines();
        let mut words = lines.next().unwrap_or_default().split_whitespace();
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let path = target.split('?').next().unwrap_or_default();
        let mut accept = String::new();
        let mut takes_gzip = false;
        for (name, value) in lines.filter_map(|l| l.split_once(':')) {
            match name.trim().to_ascii_lowercase().as_str() {
                "accept" => accept = value.trim().into(),
                "accept-encoding" => takes_gzip = value.contains("gzip"),
                _ => {}
            }
        }
        let plain = "text/plain; charset=utf-8";
        let (status, media_type, encoding, body) = match (method, path) {
            ("GET" | "HEAD", "/metrics") => {
                let form = Form::accepted(&accept);
                let body = self.body(form, false);
                match takes_gzip && body.len() > LARGE {
                    true => (
                        "200 OK",
                        form.media_type(),
                        "Content-Encoding: gzip\r\n",
                        self.body(form, true),
                    ),
                    false => ("200 OK", form.media_type(), "", body),
                }
            }
            ("GET" | "HEAD", "/") => {
                let body = b"dtrace exports its aggregations at /metrics\n".to_vec();
                ("200 OK", plain, "", Arc::new(body))
            }
            ("GET" | "HEAD", _) => ("404 Not Found", plain, "", Arc::default()),
            _ => ("405 Method Not Allowed", plain, "Allow: GET, HEAD\r\n", Arc::default()),
        };
        let answer = format!(
            "HTTP/1.1 {status}\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\n{encoding}Vary: Accept, \
             Accept-Encoding\r\nConnection: close\r\n\r\n",
            body.len()
        );
        client.set_nodelay(true)?;
        patience::write(&mut client, answer.as_bytes(), end)?;
        if method != "HEAD" {
            patience::write(&mut client, &body, end)?;
        }
        client.shutdown(Shutdown::Write)
    }

    /// Returns the body for the registry's current state. The session waits for the registry, so it
    /// is not locked while the text is made and compressed.
    fn body(&self, form: Form, is_compressed: bool) -> Arc<Vec<u8>> {
        let mut bodies = self.bodies.lock().unwrap_or_else(PoisonError::into_inner);
        let metrics = {
            let registry = self.registry.lock().unwrap_or_else(PoisonError::into_inner);
            let version = registry.version();
            if is_old(bodies.version, bodies.since.elapsed(), version) {
                *bodies = Bodies { version, ..Bodies::default() };
            }
            let is_made = bodies.made.contains_key(&(form, false));
            (!is_made).then(|| registry.metrics())
        };
        if let Some(metrics) = metrics {
            let made = match form {
                Form::Text(dialect) => metrics.text(dialect),
                Form::Protobuf => metrics.protobuf(),
            };
            bodies.made.insert((form, false), Arc::new(made));
        }
        let plain = bodies.made.get(&(form, false)).cloned().unwrap_or_default();
        if !is_compressed {
            return plain;
        }
        bodies
            .made
            .entry((form, true))
            .or_insert_with(|| Arc::new(compressed(&plain, Compression::fast())))
            .clone()
    }
}

/// Tells whether bodies for the version `made` do not show the version `now`. A program may lose
/// data with each event, so a new count of losses alone has to wait.
fn is_old(made: Version, age: Duration, now: Version) -> bool {
    made.states != now.states || (made.losses != now.losses && age >= LOSSES)
}

/// Reads a request up to its empty line.
fn head(client: &mut TcpStream, end: Instant) -> Result<String, Error> {
    let mut head = Vec::new();
    let mut some = [0; 1024];
    loop {
        let n = patience::read(client, &mut some, end)?;
        head.extend_from_slice(some.get(..n).unwrap_or_default());
        if has_end(&head, n) {
            return Ok(String::from_utf8_lossy(&head).into_owned());
        }
        if n == 0 || head.len() > REQUEST {
            return Err(ErrorKind::InvalidData.into());
        }
    }
}

/// Tells whether the last `new` bytes of a request complete an empty line. The earlier ones had
/// none, so a request in single bytes costs no more than another.
fn has_end(head: &[u8], new: usize) -> bool {
    let tail = head.get(head.len().saturating_sub(new + 3)..).unwrap_or_default();
    tail.windows(4).any(|w| w == b"\r\n\r\n") || tail.windows(2).any(|w| w == b"\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Registry;
    use std::io::{Read, Write};

    fn server() -> (SocketAddr, Shared) {
        let registry: Shared = Arc::new(Mutex::new(Registry::new(10)));
        let line = r#"{"type":"aggregation","name":"n","function":"count","entries":[{"keys":[],"value":7}]}"#;
        registry.lock().unwrap().take(&serde_json::from_str(line).unwrap());
        let address = start("127.0.0.1:0".parse().unwrap(), registry.clone()).unwrap();
        (address, registry)
    }

    fn asked(address: SocketAddr, request: &[u8]) -> Vec<u8> {
        let mut client = TcpStream::connect(address).unwrap();
        // The server closes a hostile connection while we still write.
        let _ = client.write_all(request);
        let mut answer = Vec::new();
        let _ = client.read_to_end(&mut answer);
        answer
    }

    fn text(address: SocketAddr, request: &str) -> String {
        String::from_utf8_lossy(&asked(address, request.as_bytes())).into_owned()
    }

    #[test]
    fn a_scrape_gets_what_it_asks_for() {
        let (address, registry) = server();
        let plain = text(address, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
        assert!(plain.starts_with("HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4"));
        assert!(plain.contains("\ndtrace_n_total 7\n"), "{plain}");
        let open = "GET /metrics HTTP/1.1\r\nAccept: text/plain;q=0.5, application/openmetrics-text;version=1.0.0\r\n\r\n";
        assert!(text(address, open).ends_with("# EOF\n"));
        let native = "GET /metrics HTTP/1.1\r\naccept: application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited,text/plain;q=0.4\r\n\r\n";
        assert!(text(address, native).contains("proto=io.prometheus.client.MetricFamily"));
        assert!(text(address, "POST /metrics HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 405"));
        assert!(text(address, "GET /etc/passwd HTTP/1.1\r\n\r\n").starts_with("HTTP/1.1 404"));
        let line = r#"{"type":"aggregation","name":"n","function":"count","entries":[{"keys":[],"value":9}]}"#;
        registry.lock().unwrap().take(&serde_json::from_str(line).unwrap());
        assert!(text(address, "GET /metrics HTTP/1.0\n\n").contains("\ndtrace_n_total 9\n"));
    }

    #[test]
    fn hostile_clients_leave_the_others_alone() {
        let (address, _) = server();
        // Clients that stay silent, and one that never ends its request.
        let silent: Vec<TcpStream> =
            (0..CLIENTS - 1).map(|_| TcpStream::connect(address).unwrap()).collect();
        assert!(asked(address, &vec![b'a'; REQUEST * 2]).is_empty());
        // The server may still count the client before.
        let waited = Instant::now();
        while !asked(address, b"\xff\xfe\0\r\n\r\n").starts_with(b"HTTP/1.1 405") {
            assert!(waited.elapsed() < PATIENCE / 2, "no request gets through");
        }
        let scrape = "GET /metrics HTTP/1.1\r\n\r\n";
        let waited = Instant::now();
        while !text(address, scrape).contains("dtrace_n_total 7") {
            assert!(waited.elapsed() < PATIENCE / 2, "no scrape gets through");
        }
        drop(silent);
    }

    #[test]
    fn losses_alone_make_bodies_old_once_a_second() {
        let version = |states, losses| Version { states, losses };
        let (now, later) = (Duration::ZERO, LOSSES);
        assert!(!is_old(version(1, 1), later, version(1, 1)));
        assert!(is_old(version(1, 1), now, version(2, 1)));
        assert!(!is_old(version(1, 1), now, version(1, 9)));
        assert!(is_old(version(1, 1), later, version(1, 9)));
    }

    #[test]
    fn a_request_ends_with_an_empty_line_in_any_pieces() {
        let whole = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n";
        for new in 1..=whole.len() {
            assert!(has_end(whole, new), "{new}");
            assert!(!has_end(&whole[..whole.len() - 1], new), "{new}");
        }
        assert!(has_end(b"GET /\n\n", 1));
        assert!(!has_end(b"", 0));
    }

    #[test]
    fn a_large_body_is_compressed() {
        let (address, registry) = server();
        let entries: Vec<String> = (0..10)
            .map(|n| {
                format!(
                    r#"{{"keys":[{{"type":"string","value":"{n}{}"}}],"value":1}}"#,
                    "x".repeat(200)
                )
            })
            .collect();
        let line = format!(
            r#"{{"type":"aggregation","name":"m","function":"count","entries":[{}]}}"#,
            entries.join(",")
        );
        registry.lock().unwrap().take(&serde_json::from_str(&line).unwrap());
        let answer = asked(address, b"GET /metrics HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n");
        let at = answer.windows(4).position(|w| w == b"\r\n\r\n").unwrap() + 4;
        let mut body = String::new();
        flate2::read::GzDecoder::new(&answer[at..]).read_to_string(&mut body).unwrap();
        assert!(body.contains("dtrace_m_total{key0=\"8xxx"), "{body}");
    }
}
