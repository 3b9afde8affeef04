// SPDX-License-Identifier: GPL-2.0
//! A collector gets the counts of the program. `prost` reads what `wire` wrote.

use super::*;
use crate::metrics::Registry;
use prost::Message;
use std::io::{Read, Write};
use std::net::TcpListener;

#[derive(Clone, PartialEq, Message)]
struct Request {
    #[prost(message, repeated, tag = "1")]
    of: Vec<OfResource>,
}

#[derive(Clone, PartialEq, Message)]
struct OfResource {
    #[prost(message, optional, tag = "1")]
    resource: Option<Resource>,
    #[prost(message, repeated, tag = "2")]
    scopes: Vec<OfScope>,
}

#[derive(Clone, PartialEq, Message)]
struct Resource {
    #[prost(message, repeated, tag = "1")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct KeyValue {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<Value>,
}

#[derive(Clone, PartialEq, Message)]
struct Value {
    #[prost(string, tag = "1")]
    text: String,
}

/// Metrics and log records stand in the same field.
#[derive(Clone, PartialEq, Message)]
struct OfScope {
    #[prost(message, repeated, tag = "2")]
    metrics: Vec<Metric>,
}

#[derive(Clone, PartialEq, Message)]
struct Metric {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, optional, tag = "5")]
    gauge: Option<Points>,
    #[prost(message, optional, tag = "7")]
    sum: Option<Points>,
    #[prost(message, optional, tag = "9")]
    histogram: Option<Histogram>,
    #[prost(message, optional, tag = "10")]
    exponential: Option<Exponential>,
}

#[derive(Clone, PartialEq, Message)]
struct Points {
    #[prost(message, repeated, tag = "1")]
    points: Vec<Point>,
    #[prost(int32, tag = "2")]
    temporality: i32,
    #[prost(bool, tag = "3")]
    is_monotonic: bool,
}

#[derive(Clone, PartialEq, Message)]
struct Point {
    #[prost(fixed64, tag = "2")]
    start: u64,
    #[prost(fixed64, tag = "3")]
    time: u64,
    #[prost(sfixed64, tag = "6")]
    number: i64,
    #[prost(message, repeated, tag = "7")]
    attributes: Vec<KeyValue>,
}

#[derive(Clone, PartialEq, Message)]
struct Histogram {
    #[prost(message, repeated, tag = "1")]
    points: Vec<HistogramPoint>,
}

#[derive(Clone, PartialEq, Message)]
struct HistogramPoint {
    #[prost(fixed64, tag = "4")]
    count: u64,
    #[prost(fixed64, repeated, tag = "6")]
    counts: Vec<u64>,
    #[prost(double, repeated, tag = "7")]
    bounds: Vec<f64>,
}

#[derive(Clone, PartialEq, Message)]
struct Exponential {
    #[prost(message, repeated, tag = "1")]
    points: Vec<ExponentialPoint>,
}

#[derive(Clone, PartialEq, Message)]
struct ExponentialPoint {
    #[prost(fixed64, tag = "4")]
    count: u64,
    #[prost(sint32, tag = "6")]
    scale: i32,
    #[prost(fixed64, tag = "7")]
    zero: u64,
    #[prost(message, optional, tag = "8")]
    positive: Option<Buckets>,
    #[prost(message, optional, tag = "9")]
    negative: Option<Buckets>,
}

#[derive(Clone, PartialEq, Message)]
struct Buckets {
    #[prost(sint32, tag = "1")]
    offset: i32,
    #[prost(uint64, repeated, tag = "2")]
    counts: Vec<u64>,
}

fn fed(lines: &[&str]) -> Registry {
    let mut registry = Registry::new(100);
    let machine = r#"{"type":"machine","host":"web1","kernel":"7.3","architecture":"x86_64","cpus":2,"walltimestamp":1,"timestamp":1}"#;
    registry.take(&serde_json::from_str(machine).unwrap());
    lines.iter().for_each(|l| registry.take(&serde_json::from_str(l).unwrap()));
    registry
}

fn metric(registry: &Registry, name: &str) -> Metric {
    let body = registry.metrics().otlp(5, 9);
    let request = Request::decode(&body[..]).unwrap();
    let of = &request.of[0];
    let named = |key| of.resource.as_ref().unwrap().attributes.iter().find(move |a| a.key == key);
    assert_eq!(named("service.instance.id").unwrap().value.as_ref().unwrap().text, "web1");
    of.scopes[0].metrics.iter().find(|m| m.name == name).unwrap().clone()
}

#[test]
fn counts_are_sums_that_only_grow() {
    let registry = fed(&[
        r#"{"type":"aggregation","name":"calls","function":"count","keynames":["execname"],"entries":[{"keys":[{"type":"string","value":"sh"}],"value":7}]}"#,
        r#"{"type":"aggregation","name":"least","function":"min","entries":[{"keys":[],"value":-3}]}"#,
    ]);
    let sum = metric(&registry, "dtrace_calls").sum.unwrap();
    assert_eq!((sum.temporality, sum.is_monotonic), (2, true));
    let point = &sum.points[0];
    assert_eq!((point.start, point.time, point.number), (5, 9, 7));
    assert_eq!(point.attributes[0].key, "execname");
    assert_eq!(point.attributes[0].value.as_ref().unwrap().text, "sh");
    let gauge = metric(&registry, "dtrace_least").gauge.unwrap();
    assert_eq!((gauge.points[0].number, gauge.temporality), (-3, 0));
}

#[test]
fn distributions_keep_their_buckets() {
    let registry = fed(&[
        r#"{"type":"aggregation","name":"q","function":"quantize","entries":[{"keys":[],"buckets":[{"low":-1,"high":-1,"count":2},{"low":0,"high":0,"count":3},{"low":1,"high":1,"count":4},{"low":4,"high":7,"count":5}]}]}"#,
        r#"{"type":"aggregation","name":"l","function":"lquantize","entries":[{"keys":[],"buckets":[{"low":null,"high":-1,"count":1},{"low":0,"high":9,"count":2},{"low":10,"high":19,"count":4},{"low":20,"high":null,"count":8}]}]}"#,
    ]);
    let point = metric(&registry, "dtrace_q").exponential.unwrap().points[0].clone();
    assert_eq!((point.count, point.scale, point.zero), (14, 0, 3));
    // 1 is in the bucket above 2^0, whose index is 0; 4 to 7 in that above 2^2.
    assert_eq!(point.positive.unwrap(), Buckets { offset: 0, counts: vec![4, 0, 5] });
    assert_eq!(point.negative.unwrap(), Buckets { offset: 0, counts: vec![2] });
    let point = metric(&registry, "dtrace_l").histogram.unwrap().points[0].clone();
    assert_eq!((point.count, point.bounds), (15, vec![-1.0, 9.0, 19.0]));
    assert_eq!(point.counts, [1, 2, 4, 8]);
}

/// Accepts one request after the other, and returns the path and the body of each.
fn collector(answer: &'static str) -> (Endpoint, Receiver<(String, Vec<u8>)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let (told, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let (mut bytes, mut some) = (Vec::new(), [0; 4096]);
            let (head, at, length) = loop {
                let n = stream.read(&mut some).unwrap();
                bytes.extend_from_slice(&some[..n]);
                let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") else { continue };
                let head = String::from_utf8(bytes[..at].to_vec()).unwrap();
                let length = head.lines().find_map(|l| l.strip_prefix("Content-Length: "));
                let length: usize = length.unwrap().parse().unwrap();
                if bytes.len() >= at + 4 + length {
                    break (head, at + 4, length);
                }
            };
            assert!(head.contains("Content-Type: application/x-protobuf"));
            let mut body = Vec::new();
            let mut gzip = flate2::read::GzDecoder::new(&bytes[at..at + length]);
            gzip.read_to_end(&mut body).unwrap();
            let path = head.split(' ').nth(1).unwrap().to_string();
            stream.write_all(answer.as_bytes()).unwrap();
            let _ = told.send((path, body));
        }
    });
    (Endpoint { host, prefix: "/at".into() }, heard)
}

fn event(text: &str) -> Event {
    Event { at: now(), text: text.into(), probe: "p:m:f:n".into() }
}

#[test]
fn the_last_state_and_all_events_are_sent() {
    let (endpoint, heard) = collector("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let line =
        r#"{"type":"aggregation","name":"n","function":"count","entries":[{"keys":[],"value":7}]}"#;
    let registry: Shared = Arc::new(Mutex::new(fed(&[line])));
    let sender = Sender::start(endpoint, registry, Arc::default()).unwrap();
    sender.event(event("said"));
    drop(sender);
    let (path, body) = heard.recv().unwrap();
    assert_eq!(path, "/at/v1/metrics");
    assert!(Request::decode(&body[..]).is_ok());
    let (path, body) = heard.recv().unwrap();
    assert_eq!(path, "/at/v1/logs");
    assert!(String::from_utf8_lossy(&body).contains("said"));
    assert!(String::from_utf8_lossy(&body).contains("p:m:f:n"));
}

#[test]
fn events_that_no_collector_takes_are_counted() {
    let (endpoint, _heard) = collector("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
    let registry: Shared = Arc::new(Mutex::new(Registry::new(1)));
    let sender = Sender::start(endpoint.clone(), registry.clone(), Arc::default()).unwrap();
    for n in 0..EVENTS + 3 {
        sender.event(event(&n.to_string()));
    }
    drop(sender);
    let text = registry.lock().unwrap().metrics().text(crate::metrics::Dialect::Prometheus);
    let text = String::from_utf8(text).unwrap();
    let all = EVENTS + 3;
    assert!(text.contains(&format!("dtrace_lost_total{{cause=\"OTLP\"}} {all}\n")), "{text}");
    let why = Collector::new(endpoint).post("/v1/metrics", b"").unwrap_err();
    assert_eq!(why, "it answers /v1/metrics with 'HTTP/1.1 404 Not Found'");
    let nobody = Endpoint { host: "127.0.0.1:1".into(), prefix: String::new() };
    assert!(Collector::new(nobody).post("/v1/metrics", b"").unwrap_err().contains("refused"));
}

#[test]
fn endpoints_are_read() {
    let read = |text| Endpoint::from_text(text).map(|e| (e.host, e.prefix));
    let is = |host: &str, prefix: &str| Some((host.to_string(), prefix.to_string()));
    assert_eq!(read("localhost:4318"), is("localhost:4318", ""));
    assert_eq!(read("http://[::1]:4318/"), is("[::1]:4318", ""));
    assert_eq!(read("prom:9090/api/v1/otlp/"), is("prom:9090", "/api/v1/otlp"));
    for odd in ["", "x", "x:", ":1", "x:0", "x:70000", "https://x:1"] {
        assert_eq!(read(odd), None, "{odd}");
    }
}
