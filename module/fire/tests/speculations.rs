// SPDX-License-Identifier: GPL-2.0
//! A CPU ends its parts of speculations a few at a time.

use buffers::speculation::End;
use fire::steps::end_speculations;
use fire_host::Sizes;
use nosleep::ProbeCtx;
use plan::enabling::Enabling;

#[test]
fn a_cpu_ends_some_speculations_at_a_time() {
    const BYTES: usize = 600 << 10;
    let world = d::world::Fixture::new(&["t:m:f:n"]);
    let text = "#pragma D option nspec=8\nt:m:f:n { speculate(1); trace(1); }";
    let compiled = d::compile(&d::Source::script("test.d", text), &world, &d::Options::default());
    let dof = d::dof::write(&compiled.program.unwrap(), &[]);
    let mut enabling = Enabling::new().unwrap();
    enabling.add(&dof, || Ok(()), &mut || Ok(())).unwrap();
    let sizes = Sizes { cpus: 1, bufsize: 1 << 20, agg_words: 64, dynvarsize: 1 << 10, numbers: 0 };
    let shared = fire_host::shared(&mut enabling, sizes);
    ProbeCtx::on(0, |ctx| {
        let mut cpu = shared.cpus.get(ctx).borrow_mut();
        for part in cpu.parts.iter_mut() {
            part.buffer.reserve(BYTES).unwrap().commit();
            part.records = 1;
        }
        let all: Vec<(usize, End)> = (0..8).map(|n| (n, End::Discard)).collect();
        let (mut rest, mut calls) = (all.as_slice(), 0);
        while !rest.is_empty() {
            let done = end_speculations(&shared, &mut cpu, rest);
            assert!((1..=2).contains(&done), "{done}");
            rest = &rest[done..];
            calls += 1;
        }
        assert_eq!(calls, 4);
        assert!(cpu.parts.iter().all(|part| part.records == 0 && part.buffer.is_empty()));
        // Empty ones cost nothing.
        assert_eq!(end_speculations(&shared, &mut cpu, &all), 8);
    });
}
