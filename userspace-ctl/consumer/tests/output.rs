// SPDX-License-Identifier: GPL-2.0
//! The output of programs: every `d` block of `output/*.md` runs in a session of the module's own
//! crates. The test compares the printed text with the `out` block behind it, byte for byte, and
//! messages with an `err` block. Words behind `d` are options. Programs fire BEGIN, END and ERROR
//! only. `BLESS=1` writes the blocks anew; a human reads the difference.

#[allow(dead_code, reason = "each test uses its part")]
mod fake;
mod sessions;

use fake::{Fake, Steps};
use std::fmt::Write;
use std::path::Path;

/// Runs the blocks of a page; returns the page with the current output, and the number of blocks.
fn page(text: &str) -> (String, usize) {
    let (mut now, mut programs) = (String::new(), 0);
    let mut rest = text;
    while let Some((before, block)) = rest.split_once("```") {
        let (head, block) = block.split_once('\n').expect("a block");
        let (body, after) = block.split_once("```\n").expect("a block's end");
        rest = after;
        let Some(options) = head.strip_prefix('d') else { continue };
        let options: Vec<&str> = options.split_whitespace().collect();
        let fake = Fake::new(1, &[]);
        let mut o = sessions::run(&fake, &[body], &options, Steps::new(&fake));
        if let Err(why) = o.end {
            let _ = writeln!(o.err, "{why}");
        }
        let _ = write!(now, "{before}```{head}\n{body}```\n");
        for (kind, text) in [("out", &o.out), ("err", &o.err)] {
            if !text.is_empty() {
                let _ = write!(now, "```{kind}\n{text}```\n");
            }
        }
        programs += 1;
    }
    (now + rest, programs)
}

#[test]
fn programs_print_what_the_pages_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/output");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let mut total = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let (now, programs) = page(&text);
        total += programs;
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, &now).unwrap();
            continue;
        }
        assert_eq!(now, text, "{}: is that meant? BLESS=1 writes it anew", file.display());
    }
    assert!(total > 20, "{total} programs");
}
