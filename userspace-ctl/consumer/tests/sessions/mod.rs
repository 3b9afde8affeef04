// SPDX-License-Identifier: GPL-2.0
//! A whole session without a kernel, from D text to the printed output.
#![allow(dead_code, reason = "each test uses its part")]

use crate::fake::Fake;
use abi::option::OptionId;
use consumer::print::bars::Encoding;
use consumer::print::Shape;
use consumer::session::{Enabled, Output, Settings};
use consumer::wait::Waiter;
use consumer::world::KernelWorld;
use consumer::Failure;
use d::{Compiler, Program, Source, SpecKind};
use std::io::{self, Write};

/// Compiles texts like those of `-n`.
pub fn compile(fake: &Fake, texts: &[&str], options: &[&str]) -> Vec<Program> {
    let mut kernel = fake.clone();
    let world = KernelWorld::new(&mut kernel);
    let libraries = consumer::library::all(&[], true).unwrap();
    let mut compiler = Compiler::new(d::Options {
        libraries,
        strsize: strsize(options),
        threads: options.contains(&"threads"),
        ..d::Options::default()
    });
    let one = |text: &&str| {
        let source = Source::spec(SpecKind::Name, *text);
        let compiled = compiler.compile(&source, &world);
        let shown = |d| d::diag::render::render(d, &source, true);
        let errors: Vec<String> = compiled.diagnostics.iter().map(shown).collect();
        compiled.program.unwrap_or_else(|| panic!("{}", errors.join("\n")))
    };
    texts.iter().map(one).collect()
}

/// The result of a session: out, err, and its end.
pub struct Outcome {
    pub out: String,
    /// The most bytes that were written at once.
    pub longest: usize,
    pub err: String,
    pub end: Result<i32, String>,
}

/// Runs a session with these texts.
pub fn run(fake: &Fake, texts: &[&str], options: &[&str], mut steps: impl Waiter) -> Outcome {
    let programs = compile(fake, texts, options);
    let mut checked = abi::option::Options::default();
    let mut set: Vec<_> = programs.iter().flat_map(|p| p.options.clone()).collect();
    let mut how = Settings::default();
    for option in options {
        if *option == "oformat=json" {
            how.shape = Shape::Json;
            continue;
        }
        if *option == "threads" {
            continue;
        }
        if let Some(rate) = option.strip_prefix("snaprate=") {
            how.snaprate = Some(d::option::value(OptionId::Aggrate, Some(rate)).unwrap());
            continue;
        }
        if let Some(encoding) = option.strip_prefix("encoding=") {
            how.encoding = Encoding::from_text(encoding).unwrap();
            continue;
        }
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (*option, None),
        };
        let id = consumer::option::set(&mut checked, name, value).unwrap();
        set.push((id, checked.get(id)));
    }
    let (mut out, mut err) = (Written::default(), Vec::new());
    let mut kernel = fake.clone();
    let result = (|| {
        let output = Output { out: &mut out, err: &mut err, file: None };
        let enabled = Enabled::new(&mut kernel, output, how, &set, "'test'", programs)?;
        Ok(enabled.go()?.work(&mut steps)?.status())
    })();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let end = result.map_err(|e| match e {
        Failure::Error(e) => e.to_string(),
        Failure::OutputClosed => "output closed".into(),
    });
    Outcome { longest: out.longest, out: text(out.all), err: text(err), end }
}

/// Collects the output of a session, and notes how many bytes it wrote at once.
#[derive(Default)]
struct Written {
    all: Vec<u8>,
    longest: usize,
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.longest = self.longest.max(bytes.len());
        self.all.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Returns the string size that the compiler needs from the options.
fn strsize(options: &[&str]) -> u32 {
    let said = options.iter().find_map(|o| o.strip_prefix("strsize="));
    said.map_or(d::Options::default().strsize, |n| n.parse().unwrap())
}
