// SPDX-License-Identifier: GPL-2.0
//! A collector gets what stacks have counted, once. `prost` reads what `wire` wrote.

use super::*;
use crate::metrics::Registry;
use prost::Message;

#[derive(Clone, PartialEq, Message)]
struct Request {
    #[prost(message, repeated, tag = "1")]
    of: Vec<OfResource>,
    #[prost(message, optional, tag = "2")]
    dictionary: Option<Dictionary>,
}

#[derive(Clone, PartialEq, Message)]
struct OfResource {
    #[prost(message, repeated, tag = "2")]
    scopes: Vec<OfScope>,
}

#[derive(Clone, PartialEq, Message)]
struct OfScope {
    #[prost(message, repeated, tag = "2")]
    profiles: Vec<Profile>,
}

#[derive(Clone, PartialEq, Message)]
struct Profile {
    #[prost(message, optional, tag = "1")]
    ty: Option<Pair>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
    #[prost(fixed64, tag = "3")]
    time: u64,
    #[prost(uint64, tag = "4")]
    duration: u64,
}

/// Two places of the string table: a type and its unit.
#[derive(Clone, PartialEq, Message)]
struct Pair {
    #[prost(int32, tag = "1")]
    ty: i32,
    #[prost(int32, tag = "2")]
    unit: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(int32, tag = "1")]
    stack: i32,
    #[prost(int32, repeated, tag = "2")]
    attributes: Vec<i32>,
    #[prost(int64, repeated, tag = "4")]
    values: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct Dictionary {
    #[prost(message, repeated, tag = "1")]
    mappings: Vec<Mapping>,
    #[prost(message, repeated, tag = "2")]
    locations: Vec<Place>,
    #[prost(message, repeated, tag = "3")]
    functions: Vec<Named>,
    #[prost(message, repeated, tag = "4")]
    links: Vec<Pair>,
    #[prost(string, repeated, tag = "5")]
    texts: Vec<String>,
    #[prost(message, repeated, tag = "6")]
    attributes: Vec<Attribute>,
    #[prost(message, repeated, tag = "7")]
    stacks: Vec<Frames>,
}

#[derive(Clone, PartialEq, Message)]
struct Mapping {
    #[prost(int32, tag = "4")]
    file: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Place {
    #[prost(int32, tag = "1")]
    mapping: i32,
    #[prost(message, repeated, tag = "3")]
    lines: Vec<Pair>,
}

#[derive(Clone, PartialEq, Message)]
struct Named {
    #[prost(int32, tag = "1")]
    name: i32,
    #[prost(int32, tag = "3")]
    file: i32,
}

#[derive(Clone, PartialEq, Message)]
struct Attribute {
    #[prost(int32, tag = "1")]
    key: i32,
    #[prost(message, optional, tag = "2")]
    value: Option<Any>,
}

#[derive(Clone, PartialEq, Message)]
struct Any {
    #[prost(string, tag = "1")]
    text: String,
    #[prost(int64, tag = "3")]
    number: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Frames {
    #[prost(int32, repeated, packed = "true", tag = "1")]
    places: Vec<i32>,
}

const ONCE: &str = r#"{"type":"snapshot","timestamp":1,"aggregations":[{"name":"off_ns","function":"sum","keynames":["execname","",""],"entries":[{"keys":[{"type":"string","value":"sh"},{"type":"ustack","value":["shop`price [inlined]","shop`main+0x9"]},{"type":"stack","value":["vmlinux`vfs_read+0x1c","0xffff0000"]}],"value":700}]},{"name":"size","function":"quantize","entries":[{"keys":[{"type":"int","value":-3},{"type":"stack","value":["vmlinux`vfs_read+0x1c"]}],"buckets":[{"low":0,"high":0,"count":2},{"low":1,"high":1,"count":3}]}]},{"name":"longest","function":"max","entries":[{"keys":[{"type":"stack","value":["vmlinux`f"]}],"value":9}]}]}"#;

fn taken(limit: usize, lines: &[&str]) -> Registry {
    let mut registry = Registry::new(limit);
    registry.keep_stacks();
    lines.iter().for_each(|l| registry.take(&serde_json::from_str(l).unwrap()));
    registry
}

/// Returns each profile as text: its type, its unit, and its samples.
fn told(body: &[u8]) -> Vec<String> {
    let request = Request::decode(body).unwrap();
    let d = request.dictionary.unwrap();
    let text = |n: i32| d.texts[n as usize].as_str();
    let place = |n: &i32| {
        let place = &d.locations[*n as usize];
        let names = place.lines.iter().map(|l| text(d.functions[l.ty as usize].name));
        let object = text(d.mappings[place.mapping as usize].file);
        format!("{object}:{}", names.collect::<Vec<_>>().join("<"))
    };
    let sample = |s: &Sample| {
        let places: Vec<String> = d.stacks[s.stack as usize].places.iter().map(place).collect();
        let attribute = |n: &i32| {
            let a = &d.attributes[*n as usize];
            let value = a.value.as_ref().unwrap();
            format!("{}={}{}", text(a.key), value.text, value.number)
        };
        let attributes: Vec<String> = s.attributes.iter().map(attribute).collect();
        format!("{} {} {:?}", places.join(" "), attributes.join(" "), s.values)
    };
    // Place 0 of each table means "nothing".
    assert_eq!(
        (text(0), &d.mappings[0], &d.links[..]),
        ("", &Mapping::default(), &[Pair::default()][..])
    );
    assert_eq!((&d.locations[0], &d.functions[0]), (&Place::default(), &Named::default()));
    assert_eq!((&d.attributes[0], &d.stacks[0]), (&Attribute::default(), &Frames::default()));
    let profile = |p: &Profile| {
        assert_eq!((p.time, p.duration), (5, 4));
        let ty = p.ty.as_ref().unwrap();
        let samples: Vec<String> = p.samples.iter().map(sample).collect();
        format!("{} {}: {}", text(ty.ty), text(ty.unit), samples.join(", "))
    };
    request.of[0].scopes[0].profiles.iter().map(profile).collect()
}

const TIME: Interval = Interval { start: 5, end: 9 };

#[test]
fn stacks_become_samples_with_their_keys() {
    let mut registry = taken(10, &[ONCE]);
    let added = registry.profiles(&Sent::new()).unwrap();
    // The session goes on while the request is made.
    registry.take(&serde_json::from_str(&ONCE.replace("700", "750")).unwrap());
    assert_eq!(
        told(&added.written(TIME)),
        [
            "off_ns nanoseconds: vmlinux:vfs_read :0xffff0000 shop:price<main execname=sh0 [700]",
            "size count: vmlinux:vfs_read key0=-3 [5]",
        ]
    );
}

#[test]
fn each_count_is_sent_once() {
    let mut registry = taken(10, &[ONCE]);
    let sent = registry.profiles(&Sent::new()).unwrap().totals;
    assert!(registry.profiles(&sent).is_none());
    let more = ONCE.replace("\"value\":700", "\"value\":750");
    registry.take(&serde_json::from_str(&more).unwrap());
    let added = registry.profiles(&sent).unwrap();
    let body = added.written(TIME);
    assert!(told(&body)[0].ends_with("[50]"), "{:?}", told(&body));
    // The program has cleared it: the new value is all that was added.
    let clear = r#"{"type":"record","timestamp":1,"cpu":0,"probe":{"id":1,"provider":"p","module":"","function":"","name":"n"},"actions":[{"action":"clear","aggregation":"off_ns"}]}"#;
    registry.take(&serde_json::from_str(clear).unwrap());
    registry.take(&serde_json::from_str(&more).unwrap());
    let body = registry.profiles(&added.totals).unwrap().written(TIME);
    assert_eq!(told(&body).len(), 1);
    assert!(told(&body)[0].ends_with("[750]"), "{:?}", told(&body));
}

/// `trunc(@off_ns, 1)` keeps an entry with its value.
#[test]
fn stacks_that_stay_after_trunc_are_counted_once() {
    let state = |entries: &[(&str, i64)]| {
        let entry = |(function, n): &(&str, i64)| {
            format!(r#"{{"keys":[{{"type":"stack","value":["vmlinux`{function}"]}}],"value":{n}}}"#)
        };
        let entries: Vec<String> = entries.iter().map(entry).collect();
        format!(
            r#"{{"type":"aggregation","name":"n","function":"count","entries":[{}]}}"#,
            entries.join(",")
        )
    };
    let trunc = r#"{"type":"record","timestamp":1,"cpu":0,"probe":{"id":1,"provider":"p","module":"","function":"","name":"n"},"actions":[{"action":"trunc","aggregation":"n","by":1}]}"#;
    let lines = [
        state(&[("f", 100), ("g", 9)]),
        trunc.into(),
        state(&[("f", 101)]),
        // "g" has more than it had before it was removed.
        state(&[("f", 101), ("g", 10)]),
    ];
    let registry = taken(10, &lines.each_ref().map(String::as_str));
    let totals = registry.profiles(&Sent::new()).unwrap().totals;
    assert_eq!(totals, [101, 19]);
}

#[test]
fn stacks_without_a_place_are_counted() {
    let left_out = |limit| {
        let registry = taken(limit, &[ONCE]);
        let text = registry.metrics().text(crate::metrics::Dialect::Prometheus);
        let text = String::from_utf8(text).unwrap();
        let of = text.lines().filter(|l| l.starts_with("dtrace_export_left_out{"));
        of.map(String::from).collect::<Vec<_>>()
    };
    // A greatest value does not add up.
    let longest = r#"dtrace_export_left_out{cause="stack",metric="dtrace_longest"} 1"#;
    let size = r#"dtrace_export_left_out{cause="stack",metric="dtrace_size"} 1"#;
    assert_eq!(left_out(2), [longest]);
    assert_eq!(left_out(1), [longest, size]);
}

/// A traced program has long names in many stacks.
#[test]
fn stacks_have_a_limit_of_bytes() {
    let line = |n: usize| {
        let name = "x".repeat(BYTES / 4 - 200);
        format!(
            r#"{{"type":"aggregation","name":"n","function":"count","entries":[{{"keys":[{{"type":"ustack","value":["a`{name}{n}"]}}],"value":1}}]}}"#
        )
    };
    let lines: Vec<String> = (0..8).map(line).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(taken(100, &lines).profiles(&Sent::new()).unwrap().totals.len(), 4);
}
