// SPDX-License-Identifier: GPL-2.0
//! Pages as a browser parses them.

use recording::Recording;
use scraper::{ElementRef, Html, Selector};

/// Names that hostile programs may give themselves.
const HOSTILE: [&str; 5] = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\" onmouseover=\"alert(1)",
    "</style></title><svg onload=alert(1)>",
    "]]>\\u0000\\u001b[31m\\u202e&lt;b&gt;",
];

/// Returns a stream with all kinds of lines, in which each text is `text`.
fn stream(text: &str) -> Recording {
    let text = text.replace('"', "\\\"");
    let probe = format!(
        r#"{{"id":7,"provider":"{text}","module":"{text}","function":"{text}","name":"entry"}}"#
    );
    let key = format!(r#"{{"type":"string","value":"{text}"}}"#);
    let stack = format!(r#"{{"type":"stack","value":["vmlinux`{text}+0x1c","vmlinux`main+0x2"]}}"#);
    let quantize = |n: u64| {
        format!(
            r#"{{"name":"{text}","function":"quantize","entries":[{{"keys":[{key}],"buckets":[{{"low":4,"high":7,"count":{n}}},{{"low":16,"high":31,"count":2}}]}}]}}"#
        )
    };
    let lines = [
        r#"{"type":"dtrace","schema":1,"version":"0.1.0"}"#.to_string(),
        format!(
            r#"{{"type":"machine","host":"{text}","kernel":"{text}","architecture":"x86_64","cpus":4,"walltimestamp":1700000000000000000,"timestamp":1000000000}}"#
        ),
        format!(r#"{{"type":"program","name":"{text}","probes":3}}"#),
        format!(
            r#"{{"type":"record","timestamp":1500000000,"cpu":1,"probe":{probe},"actions":[{{"action":"printf","text":"{text}","values":[]}},{{"action":"trace","type":"string","value":"{text}"}},{{"action":"stack","type":"stack","value":["{text}"]}},{{"action":"print","ctype":"{text}","value":{{"a":"{text}"}}}},{{"action":"system","text":"{text}"}}]}}"#
        ),
        format!(
            r#"{{"type":"record","timestamp":1600000000,"cpu":0,"probe":{probe},"actions":[]}}"#
        ),
        format!(r#"{{"type":"snapshot","timestamp":2000000000,"aggregations":[{}]}}"#, quantize(1)),
        format!(r#"{{"type":"snapshot","timestamp":3000000000,"aggregations":[{}]}}"#, quantize(5)),
        format!(
            r#"{{"type":"drop","tag":"DTRACEDROP_PRINCIPAL","count":12,"cpu":0,"text":"{text}"}}"#
        ),
        format!(r#"{{"type":"fault","probe":{probe},"fault":"{text}","text":"{text}"}}"#),
        format!(r#"{{"type":"note","text":"{text}"}}"#),
        format!(
            r#"{{"type":"aggregation","name":"n","function":"count","entries":[{{"keys":[{key}],"value":9}},{{"keys":[{{"type":"string","value":"b"}}],"value":1234567}}]}}"#
        ),
        format!(
            r#"{{"type":"aggregation","name":"cpu","function":"count","entries":[{{"keys":[{key},{stack}],"value":30}},{{"keys":[{key},{{"type":"stack","value":["vmlinux`idle+0x1"]}}],"value":10}}]}}"#
        ),
        format!(r#"{{"type":"aggregation",{}"#, &quantize(6)[1..]),
        r#"{"type":"exit","status":0,"timestamp":4000000000}"#.to_string(),
    ];
    Recording::read(lines.join("\n").as_bytes()).unwrap()
}

fn all<'a>(page: &'a Html, what: &str) -> Vec<ElementRef<'a>> {
    page.select(&Selector::parse(what).unwrap()).collect()
}

fn text(e: &ElementRef<'_>) -> String {
    e.text().collect()
}

#[test]
fn texts_of_programs_are_harmless() {
    let plain = Html::parse_document(&picture::page(&stream("sh")));
    let tags = |page: &Html| -> Vec<String> {
        all(page, "*").iter().map(|e| e.value().name().to_string()).collect()
    };
    for hostile in HOSTILE {
        let recording = stream(hostile);
        for html in [picture::page(&recording), picture::diff(&recording, &recording)] {
            let page = Html::parse_document(&html);
            assert_eq!(all(&page, "script").len(), 1, "{hostile}");
            assert_eq!(all(&page, "img").len(), 0, "{hostile}");
            for e in all(&page, "*") {
                let on = e.value().attrs().find(|a| a.0.starts_with("on"));
                assert_eq!(on, None, "{hostile}: {}", e.html());
            }
            assert!(!html.contains(['\0', '\u{1b}', '\u{202e}']), "{hostile}");
        }
        // The text makes no element and hides none: the page has the same elements as with a
        // harmless text.
        let page = Html::parse_document(&picture::page(&recording));
        assert_eq!(tags(&page), tags(&plain), "{hostile}");
        assert!(text(&all(&page, "h1")[0]).len() >= 10, "{hostile}");
    }
}

#[test]
fn pictures_are_xml_without_scripts() {
    for hostile in HOSTILE {
        let recording = stream(hostile);
        for svg in [picture::histogram(&recording), picture::heat_map(&recording)] {
            let svg = String::from_utf8(svg.unwrap()).unwrap();
            assert!(!svg.contains("<script") && !svg.contains("<img") && !svg.contains('\0'));
            let page = Html::parse_fragment(&svg);
            assert_eq!(all(&page, "svg").len(), 1, "{hostile}");
            assert!(!all(&page, "rect").is_empty());
        }
    }
}

#[test]
fn the_policy_allows_this_script_only() {
    use sha2::Digest;
    let page = Html::parse_document(&picture::page(&stream("sh")));
    let script = text(&all(&page, "script")[0]);
    let hash = data_encoding::BASE64.encode(&sha2::Sha256::digest(script.as_bytes()));
    let policy = all(&page, "meta[http-equiv]")[0].value().attr("content").unwrap();
    assert!(
        policy.contains(&format!("'sha256-{hash}'")),
        "the script's hash is {hash}: put it into policy.txt"
    );
    assert!(policy.starts_with("default-src 'none'"), "{policy}");
    let html = picture::page(&stream("sh"));
    assert!(!html.contains("http://") && !html.contains("https://"), "a page needs no network");
}

#[test]
fn a_page_has_everything_without_scripts() {
    let page = Html::parse_document(&picture::page(&stream("sh")));
    let facts: Vec<String> = all(&page, "header dl div").iter().map(text).collect();
    for fact in [
        "Machinesh",
        "Started2023-11-14 22:13:20 UTC",
        "Duration3.0 s",
        "Lost12",
        "Faults1",
        "Exit status0",
    ] {
        assert!(facts.iter().any(|f| f == fact), "{fact}: {facts:?}");
    }
    assert_eq!(all(&page, ".warn li").len(), 2);
    let values: Vec<&str> =
        all(&page, "#a2 tbody td.n").iter().filter_map(|e| e.value().attr("data-v")).collect();
    assert_eq!(values, ["1234567", "9"], "the largest first");
    // quantize(): from 4 to 31 with the empty bucket between, at two times.
    let q = "#a1";
    assert_eq!(all(&page, &format!("{q} svg.wide .bar")).len(), 3);
    let cells: Vec<String> =
        all(&page, &format!("{q} svg.wide rect[class^=h] title")).iter().map(text).collect();
    assert_eq!(cells.len(), 4, "{cells:?}");
    assert!(cells.contains(&"1.0 s to 2.0 s, 4 to 7: 4".to_string()), "{cells:?}");
    // all, sh, main, sh (the function), idle.
    let frames: Vec<String> = all(&page, ".flame .f").iter().map(text).collect();
    assert_eq!(frames, ["all", "sh", "idle", "main", "sh"]);
    let widths: Vec<&str> =
        all(&page, ".flame .f").iter().map(|e| e.value().attr("data-w").unwrap()).collect();
    assert_eq!(widths, ["100.000", "100.000", "25.000", "75.000", "75.000"]);
    assert_eq!(all(&page, "#events tbody tr").len(), 2);
    // Each picture and each table has a name.
    assert!(all(&page, "svg").iter().all(|s| s.value().attr("aria-label").is_some()));
    assert_eq!(all(&page, "table").len(), all(&page, "table > caption").len());
    let ids: Vec<&str> = all(&page, "[id]").iter().map(|e| e.value().attr("id").unwrap()).collect();
    for link in all(&page, "a[href^='#']") {
        let to = link.value().attr("href").unwrap().trim_start_matches('#');
        assert!(ids.contains(&to), "{to}");
    }
}

#[test]
fn flame_graphs_are_as_wide_as_their_counts() {
    let svg = String::from_utf8(picture::flame(&stream("sh")).unwrap()).unwrap();
    assert!(svg.starts_with("<?xml"), "{svg}");
    let picture = Html::parse_fragment(&svg);
    let frames: Vec<(String, &str)> = all(&picture, "g.f")
        .iter()
        .map(|g| (g.value().attr("data-n").unwrap().to_string(), g.value().attr("data-w").unwrap()))
        .collect();
    let wanted = [("all", 1.0), ("sh", 1.0), ("idle", 0.25), ("main", 0.75), ("sh", 0.75)];
    let wanted = wanted.map(|(name, width)| (name.to_string(), format!("{width:.6}")));
    assert_eq!(frames, wanted.each_ref().map(|(name, width)| (name.clone(), width.as_str())));
    let title = text(&all(&picture, "g.f title")[3]);
    assert!(title.starts_with("vmlinux`main\n30 (75"), "{title}");
    // The inner frame is above the outer one.
    let row = |n: usize| all(&picture, "g.f rect")[n].value().attr("y").unwrap().parse::<f64>();
    assert!(row(4).unwrap() < row(3).unwrap() && row(3).unwrap() < row(0).unwrap());
    for hostile in HOSTILE {
        let svg = String::from_utf8(picture::flame(&stream(hostile)).unwrap()).unwrap();
        let picture = Html::parse_fragment(&svg);
        assert_eq!(all(&picture, "script").len(), 1, "{svg}");
        assert!(all(&picture, "img").is_empty() && !svg.contains('\u{1b}'), "{svg}");
    }
    let none = picture::flame(&Recording::default()).unwrap_err();
    assert!(none.starts_with("no flame graph: "), "{none}");
}

#[test]
fn differences_have_both_sides() {
    let before = stream("sh");
    let mut after = stream("sh");
    for a in &mut after.aggregations {
        for e in &mut a.entries {
            e.value = e.value.map(|v| if v == 30 { 10 } else { v * 2 });
        }
    }
    after.aggregations.retain(|a| a.function != "quantize");
    after.snapshots.clear();
    let page = Html::parse_document(&picture::diff(&before, &after));
    let row = text(&all(&page, "#a1 tbody tr")[0]);
    assert!(row.contains("+1\u{202f}234\u{202f}567") && row.contains("+100.0"), "{row}");
    // The stack of main() had three quarters and now has one third, so it has less. That of idle()
    // has more.
    let class = |name: &str| {
        let frame = all(&page, ".flame .f").into_iter().find(|f| text(f) == name).unwrap();
        frame.value().attr("class").unwrap().to_string()
    };
    assert_eq!((class("main"), class("idle")), ("f less4".into(), "f more4".into()));
    // Aggregations that are only on one side are shown.
    assert!(all(&page, "h2").iter().any(|h| text(h) == "@sh"));
    assert!(text(&all(&page, "#a3 .sub")[0]).contains("1 gone"));
}

/// normalize() divides the entries that it finds: later keys are as they were, and only numbers
/// with the same divisor can be compared.
#[test]
fn values_with_different_divisors_are_drawn_undivided() {
    let entry = |function: &str, value: &str| {
        let stack = format!(r#"{{"type":"stack","value":["vmlinux`{function}+0x1"]}}"#);
        format!(r#"{{"keys":[{stack}],{value}}}"#)
    };
    let recording = |idle: &str| {
        let entries = [entry("main", r#""value":3,"raw":3000,"normal":1000"#), entry("idle", idle)];
        let lines = [
            r#"{"type":"dtrace","schema":1,"version":"0.1.0"}"#.to_string(),
            format!(
                r#"{{"type":"aggregation","name":"n","function":"count","entries":[{}]}}"#,
                entries.join(",")
            ),
        ];
        Recording::read(lines.join("\n").as_bytes()).unwrap()
    };
    let same = recording(r#""value":1,"raw":1000,"normal":1000"#);
    let mixed = recording(r#""value":1000"#);
    let sub = |page: &str| text(&all(&Html::parse_document(page), "#a1 .sub")[0]);
    let frame = |page: &str| {
        let page = Html::parse_document(page);
        let main = all(&page, ".flame .f").into_iter().find(|f| text(f) == "main").unwrap();
        main.value().attr("title").unwrap().to_string()
    };
    let column = |page: &str| {
        let page = Html::parse_document(page);
        let cells = all(&page, "#a1 .scroll tbody tr > td.n");
        cells.iter().map(|c| c.value().attr("data-v").unwrap().to_string()).collect::<Vec<_>>()
    };
    let page = picture::page(&same);
    assert!(sub(&page).ends_with("divided by 1\u{202f}000"), "{}", sub(&page));
    assert!(frame(&page).ends_with("3 (75.0\u{202f}%)"), "{}", frame(&page));
    assert_eq!(column(&page), ["3", "1"]);
    let page = picture::page(&mixed);
    assert!(!sub(&page).contains("divided"), "{}", sub(&page));
    assert!(frame(&page).ends_with("3\u{202f}000 (75.0\u{202f}%)"), "{}", frame(&page));
    assert_eq!(column(&page), ["3000", "1000"]);
    assert_eq!(picture::collapsed(&same), b"vmlinux`idle 1\nvmlinux`main 3\n");
    assert_eq!(picture::collapsed(&mixed), b"vmlinux`idle 1000\nvmlinux`main 3000\n");
    let page = picture::diff(&same, &same);
    assert!(sub(&page).ends_with("divided by 1\u{202f}000"), "{}", sub(&page));
    let page = picture::diff(&same, &mixed);
    assert!(!sub(&page).contains("divided"), "{}", sub(&page));
    assert!(frame(&page).contains("before 3\u{202f}000"), "{}", frame(&page));
    assert!(frame(&page).contains("after 3\u{202f}000"), "{}", frame(&page));
    // A flame graph adds up all aggregations.
    let mut two = same.clone();
    two.aggregations.extend(mixed.aggregations.iter().cloned());
    two.aggregations[1].entries.remove(0);
    let svg = String::from_utf8(picture::flame(&two).unwrap()).unwrap();
    assert!(svg.contains("5\u{202f}000 in all"), "{svg}");
}

#[test]
fn an_empty_recording_is_told() {
    let page = picture::page(&Recording::default());
    assert!(page.contains("Nothing recorded") && page.contains("incomplete"));
    assert!(picture::histogram(&Recording::default()).unwrap_err().contains("quantize()"));
    assert!(picture::heat_map(&Recording::default()).unwrap_err().contains("snaprate"));
}

#[test]
fn recorded_streams_are_drawn() {
    for name in ["latency", "stacks", "drops"] {
        let path = format!("tests/streams/{name}.json");
        let file = std::fs::File::open(&path).unwrap();
        let recording = Recording::read(std::io::BufReader::new(file)).unwrap();
        let page = Html::parse_document(&picture::page(&recording));
        assert_eq!(
            all(&page, "main > section").len(),
            recording.shown().len() + usize::from(!recording.records.is_empty()),
            "{path}"
        );
        let has = |what: &str| !all(&page, what).is_empty();
        match name {
            "latency" => assert!(has("svg.wide .h9") && has("svg.tiny .curve")),
            "stacks" => assert!(has(".f.kern0") && has(".f.user0") && has(".f.key0")),
            _ => assert!(has(".warn li") && has("#events tbody tr") && has("svg.wide .bar")),
        }
    }
}
