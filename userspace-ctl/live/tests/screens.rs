// SPDX-License-Identifier: GPL-2.0
//! Streams and the screens that they make. The expected ones are in `tests/screens/`; `BLESS=1`
//! rewrites them.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use live::draw::draw;
use live::look::{Depth, Look};
use live::model::{Kind, Model};
use live::ui::{Form, Ui, Wish};
use ratatui::backend::TestBackend;
use ratatui::Terminal;
use std::path::Path;

const SECOND: u64 = 1_000_000_000;
const START: u64 = 100 * SECOND;

/// The state of a view, as in its thread.
struct View {
    model: Model,
    ui: Ui,
    look: Look,
    size: (u16, u16),
}

impl View {
    fn new(has_blocks: bool) -> Self {
        let mut view = Self {
            model: Model::default(),
            ui: Ui::new(),
            look: Look { depth: Depth::None, has_blocks },
            size: (80, 24),
        };
        view.line(r#"{"type":"dtrace","schema":1,"version":"0.1.0"}"#);
        view.line(&format!(
            r#"{{"type":"machine","host":"web1","kernel":"7.3","architecture":"x86_64","cpus":2,"walltimestamp":1,"timestamp":{START}}}"#
        ));
        view.line(r#"{"type":"program","name":"syscall::read:return","probes":1}"#);
        view
    }

    fn line(&mut self, text: &str) {
        self.model.take(recording::read_line(text.as_bytes()).expect(text));
    }

    fn snapshot(&mut self, second: u64, aggregations: &str) {
        let at = START + second * SECOND;
        let text =
            format!(r#"{{"type":"snapshot","timestamp":{at},"aggregations":[{aggregations}]}}"#);
        self.line(&text);
    }

    fn keys(&mut self, keys: &str) -> Option<Wish> {
        let press = |c| match c {
            '\n' => KeyCode::Enter,
            '\t' => KeyCode::Tab,
            '>' => KeyCode::Right,
            '<' => KeyCode::Left,
            'v' => KeyCode::Down,
            c => KeyCode::Char(c),
        };
        let none = KeyModifiers::NONE;
        let mut wish = None;
        for c in keys.chars() {
            wish = self.ui.key(KeyEvent::new(press(c), none), &self.model);
            if wish == Some(Wish::Clear) {
                self.model.clear();
            }
        }
        wish
    }

    fn screen(&mut self) -> String {
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).unwrap();
        let Self { model, ui, look, .. } = self;
        terminal.draw(|frame| draw(frame.buffer_mut(), model, ui, *look)).unwrap();
        let buffer = terminal.backend().buffer();
        let mut text = String::new();
        for y in 0..self.size.1 {
            let line: String = (0..self.size.0).map(|x| buffer[(x, y)].symbol()).collect();
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    #[track_caller]
    fn is(&mut self, name: &str) {
        let screen = self.screen();
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens").join(name);
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &screen).unwrap();
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(screen, expected, "{name}:\n{screen}");
    }
}

fn counts(name: &str, rows: &[(&str, i64)]) -> String {
    let row = |(key, n): &(&str, i64)| {
        format!(r#"{{"keys":[{{"type":"string","value":"{key}"}}],"value":{n}}}"#)
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!(
        r#"{{"name":"{name}","function":"count","keynames":["execname"],"entries":[{}]}}"#,
        rows.join(",")
    )
}

fn sizes(rows: &[(&str, &[(i64, i64)])]) -> String {
    let bucket = |(low, n): &(i64, i64)| {
        let high = if *low == 0 { 0 } else { 2 * low - 1 };
        format!(r#"{{"low":{low},"high":{high},"count":{n}}}"#)
    };
    let row = |(key, buckets): &(&str, &[(i64, i64)])| {
        let buckets: Vec<String> = buckets.iter().map(bucket).collect();
        let buckets = buckets.join(",");
        format!(r#"{{"keys":[{{"type":"string","value":"{key}"}}],"buckets":[{buckets}]}}"#)
    };
    let rows: Vec<String> = rows.iter().map(row).collect();
    format!(
        r#"{{"name":"sizes","function":"quantize","keynames":["execname"],"entries":[{}]}}"#,
        rows.join(",")
    )
}

/// Makes a minute in which `bash` reads evenly, and `cat` reads in the last seconds.
fn minute(has_blocks: bool) -> View {
    let mut view = View::new(has_blocks);
    for n in 1..=60i64 {
        let late = (n - 50).max(0);
        let reads = counts("reads", &[("bash", 10 * n), ("cat", 100 * late)]);
        let of_cat = [(4096, 70 * late), (65536, 30 * late)];
        let sizes = sizes(&[("bash", &[(0, n), (16, 6 * n), (128, 3 * n)]), ("cat", &of_cat)]);
        view.snapshot(u64::try_from(n).unwrap(), &format!("{reads},{sizes}"));
    }
    view
}

#[test]
fn rows_have_numbers_and_a_minute() {
    let mut view = minute(true);
    view.is("counts");
    // Three steps to the left wrap around and sort by PER SEC.
    view.keys("<<<");
    view.is("counts-by-name");
    view.keys(">r");
    view.look.has_blocks = false;
    view.size = (50, 10);
    view.is("counts-small");
    view.size = (30, 10);
    view.is("too-small");
}

#[test]
fn a_distribution_has_bars_and_heat() {
    let mut view = minute(true);
    view.keys("\t");
    view.is("heat");
    view.keys("vv");
    view.is("heat-of-one");
    view.look.has_blocks = false;
    view.keys("+++++");
    view.size = (100, 30);
    view.is("heat-of-ten-seconds");
}

#[test]
fn colours_of_heat() {
    let mut seen = Vec::new();
    for depth in [Depth::Sixteen, Depth::Palette, Depth::True] {
        let mut view = minute(true);
        view.look.depth = depth;
        view.keys("2");
        let mut terminal = Terminal::new(TestBackend::new(80, 40)).unwrap();
        let View { model, ui, look, .. } = &mut view;
        terminal.draw(|frame| draw(frame.buffer_mut(), model, ui, *look)).unwrap();
        // The last column of the field, in the lines of 4096 and of 16.
        let buffer = terminal.backend().buffer();
        let column = |c: &str| {
            (0..40u16)
                .filter(|y| {
                    (0..8).map(|x| buffer[(x, *y)].symbol()).collect::<String>().trim() == c
                })
                .map(|y| {
                    (buffer[(78, y)].fg, buffer[(78, y)].bg, buffer[(78, y)].symbol().to_string())
                })
                .next()
                .unwrap()
        };
        seen.push((column("4096"), column("16")));
    }
    assert!(seen.iter().all(|(hot, cold)| hot != cold), "{seen:?}");
    assert_eq!(seen[0].0 .2, "@", "{seen:?}");
}

#[test]
fn a_filter_is_a_regular_expression() {
    let mut view = minute(true);
    view.keys("/^C.T\n");
    let screen = view.screen();
    assert!(screen.contains("cat") && !screen.contains("bash"), "{screen}");
    assert!(screen.contains("/^C.T/"), "{screen}");
    view.keys("/(\n");
    assert!(view.screen().contains("is not a regular expression"), "{}", view.screen());
    view.ui.key(KeyEvent::new(KeyCode::Esc, KeyModifiers::NONE), &view.model);
    // An empty filter shows everything.
    view.keys("/");
    for _ in 0..4 {
        view.ui.key(KeyEvent::new(KeyCode::Backspace, KeyModifiers::NONE), &view.model);
    }
    view.keys("\n");
    assert!(view.screen().contains("bash"));
}

#[test]
fn a_pause_holds_the_screen_and_not_the_losses() {
    let mut view = minute(true);
    view.keys(" ");
    view.snapshot(61, &counts("reads", &[("bash", 9999)]));
    view.line(r#"{"type":"drop","tag":"DTRACEDROP_AGGREGATION","count":7,"cpu":0,"text":"7 aggregation drops on CPU 0"}"#);
    let screen = view.screen();
    assert!(screen.contains("PAUSED") && !screen.contains("9999"), "{screen}");
    assert!(screen.contains("LOST: 7: DTRACEDROP_AGGREGATION 7"), "{screen}");
    view.keys(" ");
    let screen = view.screen();
    assert!(screen.contains("LOST: 7"), "{screen}");
    assert!(screen.contains("9999") && screen.contains("7 aggregation drops on CPU 0"), "{screen}");
}

#[test]
fn counts_begin_anew() {
    let mut view = minute(true);
    assert_eq!(view.keys("c"), Some(Wish::Clear));
    view.snapshot(62, &counts("reads", &[("bash", 640), ("cat", 1000)]));
    let screen = view.screen();
    let row = |name: &str| -> Vec<String> {
        let line = screen.lines().find(|l| l.starts_with(name)).expect(&screen);
        line.split_whitespace().map(String::from).collect()
    };
    assert_eq!(row("bash")[..4], ["bash", "40", "20", "20"]);
    assert_eq!(row("cat")[..4], ["cat", "0", "0", "0"]);
    // Losses stay in sight.
    view.line(r#"{"type":"drop","tag":"DTRACEDROP_DYNAMIC","count":2,"cpu":null,"text":"2 dynamic variable drops"}"#);
    view.keys("c");
    assert!(view.screen().contains("LOST: 2"));
}

#[test]
fn a_program_that_clears_is_counted_through() {
    let mut view = View::new(true);
    view.snapshot(1, &counts("reads", &[("bash", 10)]));
    let record = |second: u64, actions: &str| {
        let at = START + second * SECOND + SECOND / 2;
        format!(
            r#"{{"type":"record","timestamp":{at},"cpu":0,"probe":{{"id":1,"provider":"profile","module":"","function":"","name":"tick-1s"}},"actions":[{actions}]}}"#
        )
    };
    let printa =
        format!(r#"{{"action":"printa","aggregations":[{}]}}"#, counts("reads", &[("bash", 15)]));
    let clear = r#"{"action":"clear","aggregation":"reads"}"#;
    view.line(&record(1, &format!("{printa},{clear}")));
    // The value is more than before clear(), so only the stream tells that it is new.
    view.snapshot(2, &counts("reads", &[("bash", 20)]));
    // After truncation there are no rows.
    view.line(&record(2, r#"{"action":"trunc","aggregation":"reads"}"#));
    view.snapshot(3, &counts("reads", &[("cat", 1)]));
    let screen = view.screen();
    let bash = screen.lines().find(|l| l.starts_with("bash")).expect(&screen);
    assert_eq!(bash.split_whitespace().nth(1), Some("35"), "{screen}");
    assert!(screen.contains("\ncat "), "{screen}");
}

/// A new key is in a snapshot before the program's next `normalize()`.
#[test]
fn rows_are_divided_alike() {
    let mut view = View::new(true);
    let state = |function: &str, rows: &[(&str, &str)]| {
        let row = |(key, value): &(&str, &str)| {
            format!(r#"{{"keys":[{{"type":"string","value":"{key}"}}],{value}}}"#)
        };
        let rows: Vec<String> = rows.iter().map(row).collect();
        let (name, rows) = (function, rows.join(","));
        format!(r#"{{"name":"{name}","function":"{function}","entries":[{rows}]}}"#)
    };
    let rows = |view: &mut View| -> Vec<String> {
        let screen = view.screen();
        let lines = screen.lines().filter(|l| l.starts_with("new ") || l.starts_with("old "));
        lines.map(|l| l.split_whitespace().take(4).collect::<Vec<_>>().join(" ")).collect()
    };
    let old = r#""value":6,"raw":6000000,"normal":1000000"#;
    view.snapshot(1, &state("sum", &[("new", r#""value":1000000"#)]));
    view.snapshot(2, &state("sum", &[("new", r#""value":2000000"#), ("old", old)]));
    assert_eq!(rows(&mut view)[..], ["old 6 6 3", "new 2 1 1"]);
    assert!(view.screen().contains(" sum() divided by 1000000, 2 rows"), "{}", view.screen());
    let other = r#""value":20,"raw":2000000,"normal":100000"#;
    view.snapshot(2, &state("sum", &[("new", other), ("old", old)]));
    assert!(view.screen().contains(" sum(), 2 rows"), "{}", view.screen());
    let new = r#""value":4,"raw":4000000,"normal":1000000"#;
    view.snapshot(3, &state("sum", &[("new", new), ("old", old)]));
    assert_eq!(rows(&mut view)[..], ["old 6 0 2", "new 4 2 1.33"]);
    assert!(view.screen().contains(" sum() divided by 1000000, 2 rows"), "{}", view.screen());
    // All values of an average are 100 and, in the last interval, 300.
    let average = |n: u32, by: u32| {
        let (count, sum) = (10 * n, 1000 + 3000 * (n - 1));
        format!(r#""value":{},"count":{count},"sum":{sum},"normal":{by}"#, sum / by / count)
    };
    view.snapshot(4, &state("avg", &[("new", &average(1, 1))]));
    view.snapshot(5, &state("avg", &[("new", &average(2, 10))]));
    view.keys("2");
    assert_eq!(rows(&mut view)[..], ["new 20 30 10"]);
    // normalize() divides the counts of a distribution.
    let buckets = |count: i64, more: &str| {
        format!(r#""buckets":[{{"low":0,"high":0,"count":{count}{more}}}]"#)
    };
    view.snapshot(6, &state("quantize", &[("new", &buckets(30, ""))]));
    let later = buckets(7, r#","raw":70"#) + r#","normal":10"#;
    view.snapshot(7, &state("quantize", &[("new", &later)]));
    view.keys("3");
    assert_eq!(rows(&mut view)[..], ["new 7 4 0"]);
    // An empty state has no divisor of its own.
    view.snapshot(8, &state("quantize", &[]));
    assert_eq!(rows(&mut view)[..], ["new 7 0 0"]);
}

/// `trunc(@reads, 1)` keeps a row with its value.
#[test]
fn rows_that_stay_after_trunc_are_counted_once() {
    // A sum that was removed has a smaller value, too.
    for function in ["count", "sum"] {
        let mut view = View::new(true);
        let reads = |rows: &[(&str, i64)]| counts("reads", rows).replace("count", function);
        view.snapshot(1, &reads(&[("bash", 1000), ("cat", 7)]));
        let at = START + SECOND + SECOND / 2;
        view.line(&format!(
            r#"{{"type":"record","timestamp":{at},"cpu":0,"probe":{{"id":1,"provider":"profile","module":"","function":"","name":"tick-1s"}},"actions":[{{"action":"trunc","aggregation":"reads","by":1}}]}}"#
        ));
        // "cat" was removed and is back with a smaller value.
        view.snapshot(2, &reads(&[("bash", 1001), ("cat", 2)]));
        let screen = view.screen();
        let total = |name: &str| {
            let row = screen.lines().find(|l| l.starts_with(name)).expect(&screen);
            row.split_whitespace().nth(1).map(String::from)
        };
        assert_eq!(total("bash").as_deref(), Some("1001"), "{screen}");
        assert_eq!(total("cat").as_deref(), Some("9"), "{screen}");
    }
}

/// Names that were cut within different characters have the same text.
#[test]
fn rows_with_the_same_text_are_one() {
    let mut view = View::new(true);
    for second in 1..4 {
        view.snapshot(
            second,
            &counts("reads", &[("caf\u{fffd}", 5), ("caf\u{fffd}", 3), ("ls", 4)]),
        );
    }
    let screen = view.screen();
    let total = |name: &str| {
        let row = screen.lines().find(|l| l.starts_with(name)).expect(&screen);
        row.split_whitespace().nth(1).map(String::from)
    };
    assert_eq!(total("caf").as_deref(), Some("8"), "{screen}");
    assert_eq!(total("ls").as_deref(), Some("4"), "{screen}");
}

#[test]
fn averages_are_those_of_the_values() {
    let mut view = View::new(true);
    let avg = |value: i64, count: i64, sum: i64| {
        format!(
            r#"{{"name":"a","function":"avg","entries":[{{"keys":[],"value":{value},"count":{count},"sum":{sum}}}]}}"#
        )
    };
    view.snapshot(1, &avg(10, 10, 100));
    view.snapshot(2, &avg(20, 20, 400));
    view.is("average");
}

#[test]
fn stacks_fold() {
    let mut view = View::new(true);
    view.snapshot(
        1,
        r#"{"name":"","function":"count","entries":[{"keys":[{"type":"string","value":"bash"},{"type":"stack","value":["vmlinux`vfs_read+0x1c","vmlinux`ksys_read+0x6f","vmlinux`do_syscall_64+0x5e"]}],"value":3},{"keys":[{"type":"string","value":"cat"},{"type":"stack","value":["vmlinux`vfs_write+0x1"]}],"value":2}]}"#,
    );
    view.is("stacks-folded");
    view.keys("f");
    view.is("stacks-unfolded");
}

#[test]
fn printed_text_has_a_pane() {
    let mut view = minute(true);
    view.model.print("one\ntwo \u{1b}[31mred\tend\nwithout an ");
    view.model.print("end");
    view.model.say(Kind::Message, "dtrace: a message");
    view.is("lines");
    view.keys("l");
    view.is("lines-half");
    view.keys("l");
    assert!(!view.screen().contains("a message"));
    let mut alone = View::new(true);
    (0..2000).for_each(|n| alone.model.print(&format!("line {n}\n")));
    assert_eq!(alone.model.lost_lines, 1000);
    assert!(alone.screen().contains("\nline 1999\n"));
}

#[test]
fn text_without_a_newline_has_a_limit_and_no_escapes() {
    let mut view = View::new(true);
    view.model.print("\u{1b}]52;c;AAAA\u{7}");
    let all = |view: &View| {
        let lines = view.model.all_lines().map(|(_, line)| line.into_owned());
        lines.collect::<Vec<_>>()
    };
    assert_eq!(all(&view), ["\u{fffd}]52;c;AAAA\u{fffd}"]);
    (0..40_000).for_each(|_| view.model.print("bash "));
    let lines = all(&view);
    assert!(lines.len() > 3 && lines.iter().all(|l| l.len() < 70_000), "{}", lines.len());
}

#[test]
fn keys_are_told() {
    let mut view = minute(true);
    view.keys("?");
    view.is("help");
    // The key that ends the help does nothing else.
    assert_eq!(view.keys("q"), None);
    assert_eq!(view.keys("q"), Some(Wish::Quit));
    assert_eq!(view.keys("ws"), Some(Wish::Save(Form::Svg)));
    assert_eq!(view.keys("wx"), None);
    let control = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    view.keys("/");
    assert_eq!(view.ui.key(control, &view.model), Some(Wish::Quit));
    // The help and the manual show the same text.
    let manual = include_str!("../../../docs/live.md");
    for (key, what) in live::draw::KEYS {
        let row = manual.lines().find(|l| l.contains(what)).unwrap_or_else(|| panic!("{what}"));
        for key in key.split(", ") {
            assert!(row.contains(&format!("`{key}`")), "{key}: {row}");
        }
    }
}

#[test]
fn what_is_kept_can_be_drawn_later() {
    let view = minute(true);
    let mut text = Vec::new();
    view.model.recording().write(&mut text).unwrap();
    let again = recording::Recording::read(text.as_slice()).unwrap();
    assert_eq!(again.snapshots.len(), 60);
    assert_eq!(again.aggregations.len(), 2);
    assert_eq!(again.status, Some(0));
}

#[test]
fn no_screen_panics() {
    let mut view = minute(false);
    view.keys("2vv");
    for width in [1, 8, 39, 40, 41, 80, 81, 300] {
        for height in [1, 2, 7, 8, 9, 12, 24, 100] {
            view.size = (width, height);
            for key in ["", "f", "l", "l", "l", "+", "a"] {
                view.keys(key);
                view.screen();
            }
        }
    }
}
