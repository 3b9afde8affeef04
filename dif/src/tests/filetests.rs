// SPDX-License-Identifier: GPL-2.0
//! Runs `filetests/*/*.dif`: programs with their expected results in comments.
//!
//! A file holds one or more cases, separated by lines `; --- title`.
//!
//! | comment | meaning |
//! |---|---|
//! | `; ret: 42`, `; str: "abc"`, `; bytes: "\x01"` | the value that it returns |
//! | `; fault: BADADDR at 3 addr 0x10` | the fault that ends it; `at` and `addr` are optional |
//! | `; error: rule 6 at 3` | a rule that it breaks; all must be listed, in order |
//! | `; ok` | the verifier accepts it |
//! | `; listing:` | its listing follows, each line after `;` and a space |
//! | `; var: NAME = 3`, `; var: NAME = "abc"` | the final value of a variable (`global`, `self`, `this`) |
//! | `; copyout: 0x1000 "abc"`, `; drops: 1`, `; used: 16` | effects |
//! | `; kernel: 0x1000 "abc"`, `; restricted: ...`, `; user: ...` | memory |
//! | `; builtin: pid = 7`, `; builtin: args[2] = 7`, `; builtin: execname = "sh"` | builtin variables |
//! | `; strsize: 16`, `; scratch: 64`, `; room: 0` | sizes |
//! | `; rules: destructive restricted` | the rights of the enabling |

use std::path::Path;

use abi::dif::Builtin;
use abi::fault::FaultKind;

use crate::asm::{assemble, Object};
use crate::difo::Difo;
use crate::env::{Env, Space, Var};
use crate::harness::{listing, quick_and_loop_agree, Script};
use crate::{fetch_bytes, fetch_str, run, Clause, Program, Rules, VerifyError};

fn number(text: &str) -> u64 {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix('-') {
        return number(rest).wrapping_neg();
    }
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).unwrap_or_else(|e| panic!("{text}: {e}")),
        None => text.parse().unwrap_or_else(|e| panic!("{text}: {e}")),
    }
}

/// Returns the bytes of a string literal, using the assembler.
fn bytes(text: &str) -> Vec<u8> {
    assemble(&format!(".str {text}")).unwrap_or_else(|e| panic!("{text}: {e}")).strtab
}

fn fault_name(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::BadAddr => "BADADDR",
        FaultKind::BadAlign => "BADALIGN",
        FaultKind::IllOp => "ILLOP",
        FaultKind::DivZero => "DIVZERO",
        FaultKind::NoScratch => "NOSCRATCH",
        FaultKind::KPriv => "KPRIV",
        FaultKind::UPriv => "UPRIV",
        FaultKind::TupOflow => "TUPOFLOW",
        FaultKind::BadStack => "BADSTACK",
    }
}

struct Case<'t> {
    lines: Vec<(&'t str, &'t str)>,
    listing: String,
    env: Script,
}

impl<'t> Case<'t> {
    fn read(text: &'t str) -> Self {
        let mut case = Case { lines: Vec::new(), listing: String::new(), env: Script::new() };
        let mut in_listing = false;
        for line in text.lines().filter_map(|l| l.strip_prefix(';')) {
            let line = line.strip_prefix(' ').unwrap_or(line);
            if in_listing {
                case.listing.push_str(line);
                case.listing.push('\n');
                continue;
            }
            let (key, value) = line.split_once(':').unwrap_or((line, ""));
            in_listing = key == "listing";
            case.lines.push((key.trim(), value.trim()));
        }
        case
    }

    fn all<'s>(&'s self, key: &'s str) -> impl Iterator<Item = &'t str> + 's {
        self.lines.iter().filter(move |(k, _)| *k == key).map(|(_, v)| *v)
    }

    fn number(&self, key: &str, default: u64) -> u64 {
        self.all(key).last().map_or(default, number)
    }

    fn prepare(&mut self) {
        let memory = |case: &Self, key: &str| -> Vec<(u64, Vec<u8>)> {
            case.all(key)
                .map(|v| v.split_once(' ').expect("address and bytes"))
                .map(|(at, b)| (number(at), bytes(b.trim())))
                .collect()
        };
        self.env.kernel = memory(self, "kernel");
        self.env.restricted = memory(self, "restricted");
        self.env.user = memory(self, "user");
        self.env.room = self.number("room", 1 << 20) as usize;
        let builtins: Vec<_> = self.all("builtin").collect();
        for line in builtins {
            let (name, value) = line.split_once('=').expect("name = value");
            let (name, index) = match name.trim().split_once('[') {
                Some((name, index)) => (name, number(index.trim_end_matches(']'))),
                None => (name.trim(), 0),
            };
            let builtin = *Builtin::ALL.iter().find(|b| b.name() == name).expect("a builtin");
            if value.trim().starts_with('"') {
                self.env.set_string(builtin, &bytes(value.trim()));
            } else {
                self.env.builtins.insert((builtin.id(), index), number(value));
            }
        }
    }

    fn check(&mut self, program: &str) {
        self.prepare();
        let object = assemble(program).unwrap_or_else(|e| panic!("{e}"));
        if !self.listing.is_empty() {
            assert_eq!(listing(&object), self.listing);
            return;
        }
        let asked: Vec<&str> = self.all("rules").flat_map(str::split_whitespace).collect();
        let rules = Rules {
            allow_destructive: asked.contains(&"destructive"),
            allow_kernel_loads: !asked.contains(&"restricted"),
            ..Rules::DEFAULT
        };
        let mut errors = Vec::new();
        let expected: Vec<&str> = self.all("error").collect();
        let difo = Program::of(object, &rules, &mut |e: VerifyError| errors.push(e));
        let found: Vec<String> = errors
            .iter()
            .zip(expected.iter().copied().chain(std::iter::repeat("")))
            .map(|(e, expected)| match expected.contains(" at ") || expected.is_empty() {
                true if e.pc != VerifyError::NO_PC => {
                    format!("rule {} at {}", e.rule.number(), e.pc)
                }
                _ => format!("rule {}", e.rule.number()),
            })
            .collect();
        assert_eq!(found, expected, "{errors:?}");
        assert_eq!(difo.is_some(), expected.is_empty());
        let Some(difo) = difo else { return };
        if self.all("ok").next().is_some() {
            return;
        }

        let mut scratch = vec![0xa5; self.number("scratch", 4096) as usize];
        let strsize = self.number("strsize", 256) as usize;
        let mut clause = Clause::new(&mut scratch, strsize);
        self.env.watch(&difo);
        quick_and_loop_agree(&difo, &self.env);
        let answer = run(&difo, &mut clause, &mut self.env);
        let mut checked = 0;
        let expected_fault = self.all("fault").next();
        if let Some(expected) = expected_fault {
            let fault = answer.expect_err("a fault");
            let mut words = expected.split_whitespace();
            assert_eq!(Some(fault_name(fault.kind)), words.next(), "{fault:x?}");
            while let (Some(what), Some(value)) = (words.next(), words.next()) {
                let found = if what == "at" { u64::from(fault.pc) } else { fault.addr };
                assert_eq!(found, number(value), "{what}: {fault:x?}");
            }
            checked += 1;
        } else {
            let value = answer.unwrap_or_else(|fault| panic!("{fault:x?}"));
            let used = clause.used();
            for expected in self.all("used").map(number).collect::<Vec<_>>() {
                assert_eq!(used as u64, expected);
            }
            for expected in self.all("ret").map(number).collect::<Vec<_>>() {
                assert_eq!(value, expected, "{value:#x} instead of {expected:#x}");
                checked += 1;
            }
            for expected in self.all("str").map(bytes).collect::<Vec<_>>() {
                let mut out = [0xff; 512];
                let n = fetch_str(&difo, &mut clause, &mut self.env, value, &mut out);
                let n = n.unwrap_or_else(|fault| panic!("{fault:x?}"));
                assert_eq!(show(&out[..n]), show(&expected));
                assert!(out[n..].iter().all(|b| *b == 0));
                checked += 1;
            }
            for expected in self.all("bytes").map(bytes).collect::<Vec<_>>() {
                let mut out = vec![0xff; expected.len()];
                fetch_bytes(&difo, &mut clause, &mut self.env, value, &mut out)
                    .unwrap_or_else(|fault| panic!("{fault:x?}"));
                assert_eq!(show(&out), show(&expected));
                checked += 1;
            }
        }
        for line in self.all("var").collect::<Vec<_>>() {
            let (name, expected) = line.split_once('=').expect("name = value");
            self.check_var(&difo, name.trim(), expected.trim());
            checked += 1;
        }
        for line in self.all("copyout").collect::<Vec<_>>() {
            let (at, expected) = line.split_once(' ').expect("address and bytes");
            let pieces = &self.env.copied_out;
            assert_eq!(pieces.first().map(|p| p.0), Some(number(at)));
            let all: Vec<u8> = pieces.iter().flat_map(|p| p.1.clone()).collect();
            assert_eq!(show(&all), show(&bytes(expected.trim())));
            checked += 1;
        }
        assert_eq!(self.env.drops as u64, self.number("drops", 0));
        assert_eq!(self.env.violations, Vec::<String>::new());
        assert!(checked > 0, "nothing is expected");
    }

    fn check_var(&mut self, difo: &Object, name: &str, expected: &str) {
        let row = difo.vars().iter().find(|v| difo.string(v.name) == Some(name.as_bytes()));
        let var = Var::from_row(row.expect("a declared variable"));
        let value = self.env.load_var(&var).expect("loads");
        if expected.starts_with('"') {
            let mut out = vec![0; var.ty.size as usize];
            self.env.load(Space::Kernel, value, &mut out).expect("loads");
            let end = out.iter().position(|b| *b == 0).unwrap_or(out.len());
            assert_eq!(show(&out[..end]), show(&bytes(expected)));
        } else {
            assert_eq!(value, number(expected));
        }
    }
}

fn show(bytes: &[u8]) -> String {
    bytes.escape_ascii().to_string()
}

fn run_directory(name: &str) {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("filetests").join(name);
    let mut files: Vec<_> = std::fs::read_dir(&dir)
        .expect("a directory")
        .map(|e| e.expect("an entry").path())
        .collect();
    files.sort();
    let (mut cases, mut failures) = (0, Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        for (n, case) in text.split("\n; ---").enumerate() {
            let (title, program) = match n {
                0 => ("first", case),
                _ => case.split_once('\n').expect("a case after its title"),
            };
            // Comments before the first title are no case.
            if n == 0 && text.contains("\n; ---") && !program.lines().any(is_code) {
                continue;
            }
            let outcome = std::panic::catch_unwind(|| Case::read(program).check(program));
            cases += 1;
            if outcome.is_err() {
                failures.push(format!("{}: {}", file.display(), title.trim()));
            }
        }
    }
    println!("{cases} cases in {name}");
    assert!(cases > 0);
    assert!(failures.is_empty(), "{failures:#?}");
}

fn is_code(line: &str) -> bool {
    !line.trim().is_empty() && !line.starts_with(';')
}

#[test]
fn verify_files() {
    run_directory("verify");
}
#[test]
fn run_files() {
    run_directory("run");
}
#[test]
fn fault_files() {
    run_directory("fault");
}
#[test]
fn disasm_files() {
    run_directory("disasm");
}
