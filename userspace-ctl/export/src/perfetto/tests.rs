// SPDX-License-Identifier: GPL-2.0
//! Slices nest, last as long as the calls, and no recorded data is missing.

use super::*;

/// Returns a record of an `fbt` probe, with its time, function and name, in thread 71 of process
/// 70.
fn record(at: u64, function: &str, name: &str, actions: &str) -> String {
    format!(
        r#"{{"type":"record","timestamp":{at},"cpu":1,"pid":70,"tid":71,"execname":"sh","probe":{{"id":{},"provider":"fbt","module":"vmlinux","function":"{function}","name":"{name}"}},"actions":[{actions}]}}"#,
        function.len() * 10 + name.len()
    )
}

fn drawn(lines: &[String]) -> Vec<Value> {
    let head = r#"{"type":"dtrace","schema":1,"version":"0.1.0"}"#.to_string();
    let stream: Vec<String> = std::iter::once(&head).chain(lines).cloned().collect();
    let recording = Recording::read(stream.join("\n").as_bytes()).unwrap();
    let text = draw(&recording).unwrap();
    let all: Value = serde_json::from_slice(&text).unwrap();
    all["traceEvents"].as_array().unwrap().clone()
}

/// Returns the events of these phases: name, start and duration in nanoseconds.
fn events(all: &[Value], phases: &str) -> Vec<(String, u64, u64)> {
    let ns = |v: &Value| v.as_f64().map_or(0, |us| (us * 1000.0).round() as u64);
    let some = all.iter().filter(|e| phases.contains(e["ph"].as_str().unwrap()));
    some.map(|e| (e["name"].as_str().unwrap().into(), ns(&e["ts"]), ns(&e["dur"]))).collect()
}

#[test]
fn calls_are_slices_that_nest() {
    let all = drawn(&[
        record(1_000_000_001, "outer", "entry", ""),
        record(1_000_000_101, "in", "entry", r#"{"action":"trace","type":"int","value":3}"#),
        record(1_000_000_201, "in", "return", r#"{"action":"trace","type":"int","value":4}"#),
        record(1_000_000_301, "lost", "entry", ""),
        record(1_000_000_401, "outer", "return", ""),
        record(1_000_000_501, "before", "return", ""),
        record(1_000_000_601, "endless", "entry", ""),
    ]);
    let slice = |n: &str, at, lasted| (n.to_string(), at, lasted);
    assert_eq!(
        events(&all, "X"),
        [
            slice("outer", 1_000_000_001, 400),
            slice("in", 1_000_000_101, 100),
            slice("lost", 1_000_000_301, 100),
        ]
    );
    assert_eq!(events(&all, "i"), [slice("fbt:vmlinux:before:return", 1_000_000_501, 0)]);
    assert_eq!(events(&all, "B"), [slice("endless", 1_000_000_601, 0)]);
    let inner = all.iter().find(|e| e["name"] == "in").unwrap();
    assert_eq!(inner["args"], json!({"trace": 3, "return trace": 4}));
    assert_eq!((&inner["pid"], &inner["tid"]), (&json!(70), &json!(71)));
    let name = all.iter().find(|e| e["name"] == "thread_name").unwrap();
    assert_eq!(name["args"]["name"], "sh");
}

#[test]
fn recursion_and_two_clauses_of_a_probe() {
    let all = drawn(&[
        record(10, "f", "entry", ""),
        record(10, "f", "entry", r#"{"action":"printf","text":"second\n","values":[]}"#),
        record(20, "f", "entry", ""),
        record(30, "f", "return", ""),
        record(40, "f", "return", ""),
    ]);
    assert_eq!(events(&all, "X"), [("f".to_string(), 10, 30), ("f".to_string(), 20, 10)]);
    assert_eq!(events(&all, "Bi"), []);
    let outer = all.iter().find(|e| e["ph"] == "X").unwrap();
    assert_eq!(outer["args"]["printf"], "second\n");
}

#[test]
fn probes_of_programs_make_pairs() {
    let all = drawn(&[
        record(10, "connect", "query-start", ""),
        record(20, "reply", "query-done", ""),
        // These two names are whole: a disk's request starts and ends on different threads.
        record(30, "", "start", ""),
        record(40, "", "done", ""),
    ]);
    assert_eq!(events(&all, "X"), [("query".to_string(), 10, 10)]);
    assert_eq!(events(&all, "i").len(), 2);
}

#[test]
fn without_threads_each_cpu_has_a_track() {
    let bare = |line: String| line.replace(r#""pid":70,"tid":71,"execname":"sh","#, "");
    let all = drawn(&[record(10, "f", "entry", ""), record(25, "f", "return", "")].map(bare));
    let slice = all.iter().find(|e| e["ph"] == "X").unwrap();
    assert_eq!((&slice["pid"], &slice["tid"]), (&json!(CPUS), &json!(2)));
    assert!(all.iter().any(|e| e["args"]["name"] == "CPU 1"));
    // The idle threads of all CPUs have the id 0.
    let idle = |line: String| line.replace(r#""pid":70,"tid":71"#, r#""pid":0,"tid":0"#);
    let all = drawn(&[record(10, "f", "entry", "")].map(idle));
    assert!(all.iter().any(|e| e["tid"] == 2 && e["ph"] == "B"), "{all:?}");
}

#[test]
fn printed_aggregations_are_counters() {
    let printa = |n| {
        format!(
            r#"{{"action":"printa","aggregations":[{{"name":"n","function":"count","entries":[{{"keys":[{{"type":"string","value":"sh"}}],"value":{n}}}]}}]}}"#
        )
    };
    let all =
        drawn(&[record(1000, "", "tick-1s", &printa(5)), record(2000, "", "tick-1s", &printa(9))]);
    let counters: Vec<_> = all.iter().filter(|e| e["ph"] == "C").collect();
    assert_eq!(counters.len(), 2);
    assert_eq!(counters[0]["name"], "@n[sh]");
    assert_eq!(counters[1]["args"], json!({"count": 9}));
}

/// A new key has no divisor until the program's next `normalize()`. A counter that has one later is
/// divided from its first point on; if the last state has different ones, nothing is divided.
#[test]
fn counters_do_not_jump_by_a_divisor() {
    let drawn = |function: &str, entries: &[&str]| -> Vec<i64> {
        let printa = |(at, entry): (u64, &&str)| {
            let action = format!(
                r#"{{"action":"printa","aggregations":[{{"name":"n","function":"{function}","entries":[{entry}]}}]}}"#
            );
            record(at, "", "tick-1s", &action)
        };
        let lines: Vec<String> = (1..).zip(entries).map(printa).collect();
        let all = drawn(&lines);
        let counters = all.iter().filter(|e| e["ph"] == "C");
        counters.map(|e| e["args"][function].as_i64().unwrap()).collect()
    };
    let new = r#"{"keys":[],"value":1000}"#;
    let later = r#"{"keys":[],"value":2,"raw":2000,"normal":1000}"#;
    let other = r#"{"keys":[{"type":"int","value":1}],"value":7}"#;
    assert_eq!(drawn("sum", &[new, later]), [1, 2]);
    assert_eq!(drawn("sum", &[later, &format!("{later},{other}")]), [2000, 2000, 7]);
    let new = r#"{"keys":[],"value":20,"count":2,"sum":40}"#;
    let later = r#"{"keys":[],"value":3,"count":2,"sum":60,"normal":10}"#;
    assert_eq!(drawn("avg", &[new, later]), [2, 3]);
    let new = r#"{"keys":[],"buckets":[{"low":0,"high":0,"count":50}]}"#;
    let later = r#"{"keys":[],"buckets":[{"low":0,"high":0,"count":6,"raw":60}],"normal":10}"#;
    assert_eq!(drawn("quantize", &[new, later]), [5, 6]);
}

#[test]
fn times_keep_their_nanoseconds() {
    let at = u64::MAX - 1;
    let line = record(at, "f", "entry", "");
    let head = r#"{"type":"dtrace","schema":1,"version":"0.1.0"}"#;
    let recording = Recording::read(format!("{head}\n{line}").as_bytes()).unwrap();
    let text = String::from_utf8(draw(&recording).unwrap()).unwrap();
    assert!(text.contains("\"ts\":18446744073709551.614,"), "{text}");
    assert!(draw(&Recording::default()).unwrap_err().starts_with("no timeline"));
}
