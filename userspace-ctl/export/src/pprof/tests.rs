// SPDX-License-Identifier: GPL-2.0
//! A written profile contains the data of the recording.

use super::*;
use prost::Message as _;
use std::io::Read;

const STREAM: &str = r#"{"type":"dtrace","schema":1,"version":"0.1.0"}
{"type":"record","timestamp":1000,"cpu":0,"probe":{"id":7,"provider":"fbt","module":"vmlinux","function":"f","name":"entry"},"actions":[{"action":"stack","type":"stack","value":["vmlinux`f"]}]}
{"type":"record","timestamp":5000,"cpu":1,"probe":{"id":7,"provider":"fbt","module":"vmlinux","function":"f","name":"entry"},"actions":[{"action":"stack","type":"stack","value":["vmlinux`f+0x4"]}]}
{"type":"aggregation","name":"","function":"count","keynames":["execname","",""],"entries":[{"keys":[{"type":"string","value":"sh"},{"type":"ustack","value":["shop`price [inlined]","shop`main+0x9"]},{"type":"stack","value":["vmlinux`vfs_read+0x1c","vmlinux`ksys_read+0x8"]}],"value":5}]}
{"type":"aggregation","name":"off_ns","function":"sum","entries":[{"keys":[{"type":"int","value":-3},{"type":"stack","value":["vmlinux`vfs_read+0x2c","0xffff0000"]}],"value":700}]}
{"type":"aggregation","name":"size","function":"quantize","entries":[{"keys":[{"type":"stack","value":["vmlinux`f"]}],"buckets":[{"low":0,"high":0,"count":2},{"low":1,"high":1,"count":3}]}]}
{"type":"aggregation","name":"longest","function":"max","entries":[{"keys":[{"type":"stack","value":["vmlinux`f"]}],"value":9}]}
{"type":"exit","status":0}
"#;

fn decoded(stream: &str) -> Profile {
    let recording = Recording::read(stream.as_bytes()).unwrap();
    let bytes = draw(&recording).unwrap();
    let mut plain = Vec::new();
    flate2::read::GzDecoder::new(&bytes[..]).read_to_end(&mut plain).unwrap();
    Profile::decode(&plain[..]).unwrap()
}

/// Returns a sample as text: its frames, its labels, its numbers.
fn told(p: &Profile, sample: &Sample) -> String {
    let text = |n: i64| p.string_table[n as usize].as_str();
    let frame = |id: &u64| {
        let place = &p.location[*id as usize - 1];
        assert_eq!(place.id, *id);
        let object = match place.mapping_id {
            0 => "?",
            id => text(p.mapping[id as usize - 1].filename),
        };
        let function = |l: &Line| text(p.function[l.function_id as usize - 1].name);
        let functions: Vec<&str> = place.line.iter().map(function).collect();
        format!("{object}:{}", functions.join("<"))
    };
    let label = |l: &Label| match l.str {
        0 => format!("{}={}", text(l.key), l.num),
        s => format!("{}={}", text(l.key), text(s)),
    };
    let frames: Vec<String> = sample.location_id.iter().map(frame).collect();
    let labels: Vec<String> = sample.label.iter().map(label).collect();
    format!("{} {} {:?}", frames.join(" "), labels.join(" "), sample.value)
}

#[test]
fn a_profile_has_a_number_for_each_aggregation_that_adds_up() {
    let p = decoded(STREAM);
    let text = |n: i64| p.string_table[n as usize].as_str();
    let kinds: Vec<_> = p.sample_type.iter().map(|k| (text(k.r#type), text(k.unit))).collect();
    let expected =
        [("count", "count"), ("off_ns", "nanoseconds"), ("size", "count"), ("records", "count")];
    assert_eq!(kinds, expected);
    assert_eq!(text(p.default_sample_type), "count");
    assert_eq!(p.duration_nanos, 4000);
    let samples: Vec<String> = p.sample.iter().map(|s| told(&p, s)).collect();
    assert_eq!(
        samples,
        [
            "vmlinux:vfs_read vmlinux:ksys_read shop:price<main execname=sh [5, 0, 0, 0]",
            "vmlinux:vfs_read ?:0xffff0000 key0=-3 [0, 700, 0, 0]",
            "vmlinux:f  [0, 0, 5, 0]",
            "vmlinux:f probe=fbt:vmlinux:f:entry [0, 0, 0, 2]",
        ]
    );
    assert_eq!(p.string_table[0], "");
}

#[test]
fn without_stacks_there_is_no_profile() {
    let lines: Vec<&str> = STREAM.lines().filter(|l| !l.contains("stack\"")).collect();
    let recording = Recording::read(lines.join("\n").as_bytes()).unwrap();
    assert!(draw(&recording).unwrap_err().starts_with("no profile"));
}
