// SPDX-License-Identifier: GPL-2.0
//! A scrape gets the counts of the program.

use super::proto::{BucketSpan, MetricFamily};
use super::*;
use prost::Message;

fn aggregation(name: &str, function: &str, entries: &str) -> String {
    format!(
        r#"{{"type":"aggregation","name":"{name}","function":"{function}","keynames":["execname"],"entries":[{entries}]}}"#
    )
}

fn entry(key: &str, value: i64) -> String {
    format!(r#"{{"keys":[{{"type":"string","value":"{key}"}}],"value":{value}}}"#)
}

fn spread(key: &str, buckets: &str) -> String {
    format!(r#"{{"keys":[{{"type":"string","value":"{key}"}}],"buckets":[{buckets}]}}"#)
}

fn fed(limit: usize, lines: &[String]) -> Registry {
    let mut registry = Registry::new(limit);
    lines.iter().for_each(|l| registry.take(&serde_json::from_str(l).unwrap()));
    registry
}

/// Returns the lines about the program, without those about the tracing.
fn text(registry: &Registry, dialect: Dialect) -> String {
    let all = String::from_utf8(registry.metrics().text(dialect)).unwrap();
    all.split("# HELP").next().unwrap().to_string()
}

#[test]
fn counts_and_sums_are_counters() {
    let registry = fed(
        LIMIT,
        &[
            aggregation("", "count", &entry("a\\\"b\\n", 3)),
            aggregation("bytes_total", "sum", &entry("sh", 70)),
            aggregation("longest", "max", &entry("sh", -5)),
            // Our own metric names stay ours.
            aggregation("lost", "count", r#"{"keys":[],"value":1}"#),
        ],
    );
    assert_eq!(
        text(&registry, Dialect::OpenMetrics),
        "# TYPE dtrace_count counter\n\
         dtrace_count_total{execname=\"a\\\"b\\n\"} 3\n\
         # TYPE dtrace_bytes counter\n\
         dtrace_bytes_total{execname=\"sh\"} 70\n\
         # TYPE dtrace_longest gauge\n\
         dtrace_longest{execname=\"sh\"} -5\n\
         # TYPE dtrace_lost_ counter\n\
         dtrace_lost__total 1\n"
    );
    let older = text(&registry, Dialect::Prometheus);
    assert!(older.contains("# TYPE dtrace_bytes_total counter\n"), "{older}");
    let all = String::from_utf8(registry.metrics().text(Dialect::OpenMetrics)).unwrap();
    assert!(all.ends_with("# EOF\n"), "{all}");
}

#[test]
fn counters_never_go_back() {
    let count = |n| aggregation("n", "count", &entry("sh", n));
    let says = |lines: &[String]| {
        let all = text(&fed(LIMIT, lines), Dialect::Prometheus);
        all.lines().filter(|l| !l.starts_with('#')).map(String::from).collect::<Vec<_>>()
    };
    let is = |n: i64| vec![format!("dtrace_n_total{{execname=\"sh\"}} {n}")];
    assert_eq!(says(&[count(5), count(7)]), is(7));
    // Cleared without a report.
    assert_eq!(says(&[count(5), count(2)]), is(7));
    // Printed and cleared, as many programs do each second: nothing is lost, although the new value
    // is larger.
    let record = |actions: &str| {
        format!(
            r#"{{"type":"record","timestamp":1,"cpu":0,"probe":{{"id":1,"provider":"p","module":"","function":"","name":"tick-1s"}},"actions":[{actions}]}}"#
        )
    };
    let printed = count(6).replacen(r#""type":"aggregation","#, "", 1);
    let clear = record(&format!(
        r#"{{"action":"printa","aggregations":[{printed}]}},{{"action":"clear","aggregation":"n"}}"#
    ));
    assert_eq!(says(&[count(5), clear, count(9)]), is(15));
    // An entry that trunc() removed keeps its total.
    let trunc = record(r#"{"action":"trunc","aggregation":"n","by":0}"#);
    assert_eq!(says(&[count(5), trunc, aggregation("n", "count", "")]), is(5));
}

/// normalize() divides the entries that it finds.
#[test]
fn no_number_is_divided() {
    let of = |key: &str, value: &str| {
        format!(r#"{{"keys":[{{"type":"string","value":"{key}"}}],{value}}}"#)
    };
    for (function, divided, whole) in [
        ("avg", r#""value":1,"count":2,"sum":39,"normal":10"#, r#""value":19,"count":1,"sum":19"#),
        ("max", r#""value":1,"raw":19,"normal":10"#, r#""value":19"#),
        (
            "stddev",
            r#""value":1,"count":2,"sum":38,"squares":"1444","normal":10"#,
            r#""value":19,"count":2,"sum":38,"squares":"1444""#,
        ),
    ] {
        let entries = [of("a", divided), of("b", whole)].join(",");
        let all = text(&fed(LIMIT, &[aggregation("n", function, &entries)]), Dialect::Prometheus);
        let numbers: Vec<&str> = all.lines().filter_map(|l| l.split("} ").nth(1)).collect();
        assert_eq!(numbers, ["19", "19"], "{all}");
    }
}

/// One machine's value is no value of the sum.
#[test]
fn machines_that_print_do_not_change_the_sum() {
    let count = |n| aggregation("n", "count", &entry("sh", n));
    let printed = count(7).replacen(r#""type":"aggregation","#, "", 1);
    let record = format!(
        r#"{{"type":"record","timestamp":1,"cpu":0,"host":"a","probe":{{"id":1,"provider":"p","module":"","function":"","name":"tick-1s"}},"actions":[{{"action":"printa","aggregations":[{printed}]}},{{"action":"clear","aggregation":"n"}}]}}"#
    );
    let all = text(&fed(LIMIT, &[count(10), record, count(11)]), Dialect::Prometheus);
    assert!(all.ends_with("dtrace_n_total{execname=\"sh\"} 11\n"), "{all}");
}

/// `trunc(@n, 2)` keeps two entries with their values.
#[test]
fn entries_that_stay_after_trunc_are_counted_once() {
    let state = |of: &[(&str, i64)]| {
        let entries: Vec<String> = of.iter().map(|(key, n)| entry(key, *n)).collect();
        aggregation("n", "count", &entries.join(","))
    };
    let trunc = |by: &str| {
        format!(
            r#"{{"type":"record","timestamp":1,"cpu":0,"probe":{{"id":1,"provider":"p","module":"","function":"","name":"tick-1s"}},"actions":[{{"action":"trunc","aggregation":"n"{by}}}]}}"#
        )
    };
    let says = |lines: &[String]| {
        let all = text(&fed(LIMIT, lines), Dialect::Prometheus);
        let numbers = all.lines().filter(|l| !l.starts_with('#'));
        numbers.map(|l| l.rsplit(' ').next().unwrap().to_string()).collect::<Vec<_>>()
    };
    let before = state(&[("a", 100), ("b", 50), ("c", 9)]);
    for by in [r#","by":2"#, r#","by":-2"#] {
        // "c" is removed, and later it has more than it had before.
        let lines = [
            before.clone(),
            trunc(by),
            state(&[("a", 101), ("b", 50)]),
            state(&[("a", 101), ("b", 51), ("c", 10)]),
        ];
        assert_eq!(says(&lines), ["101", "51", "19"]);
    }
    let whole = [before, trunc(""), state(&[("a", 101)])];
    assert_eq!(says(&whole), ["201", "50", "9"]);
}

/// Names that were cut within different characters have the same text.
#[test]
fn entries_with_the_same_text_are_added_up() {
    let both = |kind: &str, name: &str| {
        let [a, b] = [5, 3]
            .map(|n| format!(r#"{{"keys":[{{"type":"{kind}","value":{name}}}],"value":{n}}}"#));
        aggregation("n", "count", &format!("{a},{b}"))
    };
    let line = both("string", "\"caf\u{fffd}\"");
    let all = text(&fed(LIMIT, &[line.clone(), line.clone(), line]), Dialect::Prometheus);
    assert!(all.ends_with("dtrace_n_total{execname=\"caf\u{fffd}\"} 8\n"), "{all}");
    // Two processes run the same function at different addresses.
    let line = both("ustack", "[\"a`main\"]");
    let mut registry = Registry::new(LIMIT);
    registry.keep_stacks();
    (0..3).for_each(|_| registry.take(&serde_json::from_str(&line).unwrap()));
    let sent = registry.profiles(&Sent::new()).unwrap().totals;
    assert_eq!(sent, [8]);
}

/// trunc() removes one of two entries, and the other one has not restarted.
#[test]
fn sums_of_entries_go_on_after_trunc() {
    let [ours, trunc] = ["printf", "trunc"].map(|action| {
        format!(
            r#"{{"type":"record","timestamp":1,"cpu":0,"probe":{{"id":1,"provider":"p","module":"","function":"","name":"n"}},"actions":[{{"action":"{action}","aggregation":"n","by":1}}]}}"#
        )
    });
    let totals = |kind: &str, between: &str| {
        let state = |values: &[i64]| {
            let entry = |n: &i64| {
                format!(r#"{{"keys":[{{"type":"{kind}","value":["a"]}}],"value":{n}}}"#)
                    .replace(r#""string","value":["a"]"#, r#""string","value":"a""#)
            };
            aggregation("n", "count", &values.iter().map(entry).collect::<Vec<_>>().join(","))
        };
        let mut registry = Registry::new(LIMIT);
        registry.keep_stacks();
        for line in [state(&[100, 50]), between.into(), state(&[101]), state(&[103])] {
            registry.take(&serde_json::from_str(&line).unwrap());
        }
        registry
    };
    let total = |between| text(&totals("string", between), Dialect::Prometheus);
    assert!(total(&trunc).ends_with("} 152\n"), "{}", total(&trunc));
    // Without trunc() it has restarted.
    assert!(total(&ours).ends_with("} 253\n"), "{}", total(&ours));
    let registry = totals("ustack", &trunc);
    let sent = registry.profiles(&Sent::new()).unwrap().totals;
    assert_eq!(sent, [152]);
}

#[test]
fn gauges_of_entries_that_are_gone_go_too() {
    let max = |key| aggregation("m", "max", &entry(key, 4));
    let all = text(&fed(LIMIT, &[max("a"), max("b")]), Dialect::Prometheus);
    assert!(!all.contains("\"a\"") && all.contains("\"b\""), "{all}");
}

const POWERS: &str = r#"{"low":-3,"high":-2,"count":1},{"low":0,"high":0,"count":2},{"low":1,"high":1,"count":3},{"low":8,"high":15,"count":4}"#;

#[test]
fn distributions_are_classic_histograms() {
    let steps = r#"{"low":null,"high":-1,"count":1},{"low":10,"high":19,"count":2},{"low":100,"high":null,"count":4}"#;
    let registry = fed(
        LIMIT,
        &[
            aggregation("l", "lquantize", &spread("sh", steps)),
            aggregation("q", "quantize", &spread("sh", POWERS)),
        ],
    );
    let bucket = |name: &str, le: &str, n: u32| {
        format!("dtrace_{name}_bucket{{execname=\"sh\",le=\"{le}\"}} {n}\n")
    };
    let mut expected = String::from("# TYPE dtrace_l histogram\n");
    for (le, n) in [("-1", 1), ("9", 1), ("19", 3), ("99", 3), ("+Inf", 7)] {
        expected += &bucket("l", le, n);
    }
    expected += "dtrace_l_count{execname=\"sh\"} 7\n# TYPE dtrace_q histogram\n";
    for (le, n) in
        [("-4", 0), ("-2", 1), ("-1", 1), ("0", 3), ("1", 6), ("3", 6), ("7", 6), ("15", 10)]
    {
        expected += &bucket("q", le, n);
    }
    expected += &bucket("q", "+Inf", 10);
    expected += "dtrace_q_count{execname=\"sh\"} 10\n";
    assert_eq!(text(&registry, Dialect::Prometheus), expected);
}

/// A scraper refuses a page on which a sample comes twice.
#[test]
fn no_family_has_the_name_of_anothers_sample() {
    let lat = aggregation("lat", "quantize", &spread("sh", POWERS));
    let count = aggregation("lat_count", "max", &entry("sh", 7));
    for lines in [[lat.clone(), count.clone()], [count, lat]] {
        let text = text(&fed(LIMIT, &lines), Dialect::Prometheus);
        let samples = text.lines().filter(|line| line.starts_with("dtrace_lat_count{"));
        assert_eq!(samples.count(), 1, "{text}");
    }
}

#[test]
fn quantize_is_a_native_histogram() {
    let registry = fed(LIMIT, &[aggregation("q", "quantize", &spread("sh", POWERS))]);
    let bytes = registry.metrics().protobuf();
    let family = MetricFamily::decode_length_delimited(&bytes[..]).unwrap();
    assert_eq!((family.name(), family.r#type), ("dtrace_q", Some(4)));
    let h = family.metric[0].histogram.as_ref().unwrap();
    let span = |offset, length| BucketSpan { offset: Some(offset), length: Some(length) };
    assert_eq!((h.sample_count, h.zero_count, h.schema), (Some(10), Some(2), Some(0)));
    // 1 is in (1, 2], 8 to 15 in (8, 16], -3 and -2 in [-4, -2).
    assert_eq!(h.positive_span, [span(1, 1), span(2, 1)]);
    assert_eq!(h.positive_delta, [3, 1]);
    assert_eq!((&h.negative_span[..], &h.negative_delta[..]), (&[span(2, 1)][..], &[1][..]));
    assert_eq!(h.bucket.len(), 8);
}

/// Prometheus refuses a histogram with the same index twice, or with a negative count.
#[test]
fn odd_distributions_are_valid_histograms() {
    let forged = r#"{"low":-3,"high":-2,"count":-9},{"low":8,"high":9,"count":2},{"low":9,"high":15,"count":3},{"low":16,"high":31,"count":-4}"#;
    let registry = fed(LIMIT, &[aggregation("q", "quantize", &spread("sh", forged))]);
    let bytes = registry.metrics().protobuf();
    let family = MetricFamily::decode_length_delimited(&bytes[..]).unwrap();
    let h = family.metric[0].histogram.as_ref().unwrap();
    let span = |offset, length| BucketSpan { offset: Some(offset), length: Some(length) };
    assert_eq!((h.sample_count, h.zero_count), (Some(5), Some(0)));
    assert_eq!((&h.positive_span[..], &h.positive_delta[..]), (&[span(4, 2)][..], &[5, -5][..]));
    assert_eq!((&h.negative_span[..], &h.negative_delta[..]), (&[span(2, 1)][..], &[0][..]));
    let counts: Vec<u64> = h.bucket.iter().map(|b| b.cumulative_count.unwrap()).collect();
    assert!(counts.is_sorted() && counts.last() == Some(&5), "{counts:?}");
}

#[test]
fn series_have_a_limit() {
    let entries: Vec<String> = (0..5).map(|n| entry(&format!("k{n}"), n)).collect();
    let stack = r#"{"keys":[{"type":"stack","value":["vmlinux`f"]}],"value":1}"#;
    let lines = [aggregation("n", "count", &entries.join(",")), aggregation("s", "count", stack)];
    let registry = fed(3, &lines);
    let all = String::from_utf8(registry.metrics().text(Dialect::Prometheus)).unwrap();
    assert_eq!(all.matches("dtrace_n_total{").count(), 3, "{all}");
    assert!(all.contains("dtrace_export_left_out{cause=\"limit\",metric=\"dtrace_n\"} 2\n"));
    assert!(all.contains("dtrace_export_left_out{cause=\"stack\",metric=\"dtrace_s\"} 1\n"));
    assert!(all.contains("dtrace_export_series 3\n"), "{all}");
}

#[test]
fn losses_are_told_by_cause() {
    let drop = |n| {
        format!(r#"{{"type":"drop","tag":"DTRACEDROP_PRINCIPAL","count":{n},"cpu":0,"text":"x"}}"#)
    };
    let program = r#"{"type":"program","name":"p","probes":4}"#.to_string();
    let all = fed(LIMIT, &[drop(2), drop(3), program]).metrics().text(Dialect::Prometheus);
    let all = String::from_utf8(all).unwrap();
    assert!(all.contains("dtrace_lost_total{cause=\"DTRACEDROP_PRINCIPAL\"} 5\n"), "{all}");
    assert!(all.contains("dtrace_probes 4\n") && all.contains("dtrace_faults_total 0\n"), "{all}");
}

/// A traced program chooses its values, and each bucket makes a line for every series.
#[test]
fn lines_of_histograms_have_a_limit() {
    let steps = |count: i64| {
        let step = |n: i64| format!(r#"{{"low":{},"high":{},"count":1}}"#, 10 * n, 10 * n + 9);
        (0..count).map(step).collect::<Vec<_>>().join(",")
    };
    let mut registry = Registry { lines: 20, ..Registry::new(10) };
    let mut take = |entries: &[String]| {
        let line = aggregation("l", "lquantize", &entries.join(","));
        registry.take(&serde_json::from_str(&line).unwrap());
        String::from_utf8(registry.metrics().text(Dialect::Prometheus)).unwrap()
    };
    let lines = |all: &str| all.matches("dtrace_l_bucket{").count();
    let all = take(&[spread("a", &steps(100))]);
    assert!(lines(&all) <= 20, "{all}");
    // The values of the other buckets are not lost.
    assert!(all.contains("dtrace_l_bucket{execname=\"a\",le=\"+Inf\"} 100\n"), "{all}");
    assert!(all.contains("dtrace_l_count{execname=\"a\"} 100\n"), "{all}");
    assert!(all.contains("dtrace_export_left_out{cause=\"bucket\",metric=\"dtrace_l\"} 83\n"));
    let all = take(&[spread("a", &steps(100)), spread("b", &steps(1))]);
    assert!(all.contains("dtrace_export_left_out{cause=\"limit\",metric=\"dtrace_l\"} 1\n"));
    assert!(!all.contains("\"b\""), "{all}");
    // Power-of-two distributions have few buckets, so this one is forged.
    let forged = aggregation("q", "quantize", &spread("a", &steps(1000)));
    let all = fed(10, &[forged]).metrics().text(Dialect::Prometheus);
    let all = String::from_utf8(all).unwrap();
    assert!(all.contains("dtrace_q_count{execname=\"a\"} 1000\n"), "{all}");
    assert!(all.contains("dtrace_export_left_out{cause=\"bucket\",metric=\"dtrace_q\"} 872\n"));
}

/// A traced program has long names, and each bound of a histogram repeats them.
#[test]
fn labels_have_a_limit_of_bytes() {
    let name = |n: u32| format!("{}{n}", "x".repeat(BYTES / 8));
    let entries: Vec<String> = (0..20).map(|n| entry(&name(n), 1)).collect();
    let counters = aggregation("n", "count", &entries.join(","));
    let text = |line: String| {
        String::from_utf8(fed(LIMIT, &[line]).metrics().text(Dialect::Prometheus)).unwrap()
    };
    let all = text(counters);
    assert!(all.contains("dtrace_export_left_out{cause=\"limit\",metric=\"dtrace_n\"} 13\n"));
    let step = |n: i64| format!(r#"{{"low":{},"high":{},"count":1}}"#, 10 * n, 10 * n + 9);
    let steps: Vec<String> = (0..50).map(step).collect();
    let all = text(aggregation("l", "lquantize", &spread(&name(0), &steps.join(","))));
    assert!(all.len() < 2 * BYTES, "{}", all.len());
}

/// Printing does not make text for scrapes anew.
#[test]
fn only_states_and_losses_change_the_version() {
    let mut registry = Registry::new(LIMIT);
    let mut version_after = |line: &str| {
        registry.take(&serde_json::from_str(line).unwrap());
        (registry.version().states, registry.version().losses)
    };
    let printed = r#"{"type":"record","timestamp":1,"cpu":0,"probe":{"id":1,"provider":"p","module":"","function":"","name":"n"},"actions":[{"action":"printf","text":"x","values":[]}]}"#;
    let drop = r#"{"type":"drop","tag":"X","count":1,"cpu":0,"text":"x"}"#;
    assert_eq!(version_after(printed), (0, 0));
    assert_eq!(version_after(drop), (0, 1));
    assert_eq!(version_after(&aggregation("n", "count", &entry("sh", 1))), (1, 1));
    assert_eq!(version_after(printed), (1, 1));
}

/// The text of a scrape does not change while it is made, and the session goes on.
#[test]
fn metrics_stay_those_of_their_time() {
    let mut registry = fed(LIMIT, &[aggregation("n", "count", &entry("sh", 1))]);
    let metrics = registry.metrics();
    let more = aggregation("n", "count", &entry("sh", 2));
    registry.take(&serde_json::from_str(&more).unwrap());
    let before = String::from_utf8(metrics.text(Dialect::Prometheus)).unwrap();
    assert!(before.contains("dtrace_n_total{execname=\"sh\"} 1\n"), "{before}");
    assert!(text(&registry, Dialect::Prometheus).contains("{execname=\"sh\"} 2\n"));
}

#[test]
fn names_of_other_machines_make_no_lines() {
    let line = |name: &str, keynames: &str, keys: usize| {
        let key = r#"{"type":"int","value":1}"#;
        let keys = vec![key; keys].join(",");
        format!(
            r#"{{"type":"aggregation","name":"{name}","function":"count","keynames":[{keynames}],"entries":[{{"keys":[{keys}],"value":1}}]}}"#
        )
    };
    let says = |line: String| {
        let all = text(&fed(LIMIT, &[line]), Dialect::Prometheus);
        all.lines().nth(1).unwrap().to_string()
    };
    assert_eq!(
        says(line("n 1\\nup{", "\"a=\\\"\\n\",\"1st\"", 2)),
        "dtrace_n_1_up__total{a___=\"1\",key1st=\"1\"} 1"
    );
    // Two labels never share a name.
    assert_eq!(
        says(line("n", r#""key1","","le","key_le","a-b","a_b""#, 6)),
        "dtrace_n_total{key1=\"1\",key1_=\"1\",key_le=\"1\",key3=\"1\",a_b=\"1\",key5=\"1\"} 1"
    );
}

#[test]
fn families_and_causes_have_a_limit() {
    let names = || (0..FAMILIES + 5).map(|n| format!("n{n}"));
    let families = names().map(|name| aggregation(&name, "count", &entry("sh", 1)));
    let drops = names()
        .map(|tag| format!(r#"{{"type":"drop","tag":"{tag}","count":2,"cpu":0,"text":"x"}}"#));
    let registry = fed(LIMIT, &families.chain(drops).collect::<Vec<_>>());
    let all = String::from_utf8(registry.metrics().text(Dialect::Prometheus)).unwrap();
    assert_eq!(all.matches("# TYPE dtrace_n").count(), FAMILIES);
    assert!(all.contains("dtrace_export_left_out{cause=\"limit\",metric=\"others\"} 1\n"));
    assert_eq!(all.matches("dtrace_lost_total{").count(), FAMILIES + 1);
    assert!(all.contains("dtrace_lost_total{cause=\"others\"} 10\n"));
}
