// SPDX-License-Identifier: GPL-2.0
//! Prints the result of each compiler stage for a D program:
//! `cargo run -p d --example show -- 'BEGIN { .. }'`. It assumes that every probe exists.

use d::{dof, show, Matches, Options, ProbePattern, Source, SpecKind, World};

struct AnyProbe;

impl World for AnyProbe {
    fn matches(&self, _: &ProbePattern) -> Matches {
        Matches { count: 1, nargs: None }
    }
}

fn main() {
    let text: Vec<String> = std::env::args().skip(1).collect();
    let source = Source::spec(SpecKind::Name, text.join(" "));
    let options = Options::default();
    println!("-- tokens\n{}", show::tokens(&source, &options));
    println!("-- tree\n{}", show::tree(&source, &options, &AnyProbe));
    println!("-- typed\n{}", show::typed(&source, &options, &AnyProbe));
    let compiled = d::compile(&source, &AnyProbe, &options);
    for d in &compiled.diagnostics {
        eprintln!("{}\n", d::diag::render::render(d, &source, true));
    }
    let Some(program) = compiled.program else { std::process::exit(1) };
    println!("-- program\n{}", show::program(&program));
    for (i, object) in program.objects().enumerate() {
        let mut listing = String::new();
        if dif::disasm::write(object, &mut listing).is_ok() {
            println!("-- object {i}\n{listing}");
        }
    }
    println!("-- DOF: {} bytes", dof::write(&program, &[]).len());
}
