// SPDX-License-Identifier: GPL-2.0
//! Many descriptions at once: they find what each finds alone, and others wait a bounded time.

use plan::enabling::Enabling;
use plan::matching::{each, Work};
use plan::probe::{Draft, Offer, ProbeTable};
use plan::Error;

/// Returns the enabling of one empty clause for each description.
fn enabling(descriptions: &[String]) -> mem::KBox<Enabling> {
    let world = d::world::Fixture::new(&["t:m:f:n"]);
    let text = format!("{} {{ @ = count(); }}", descriptions.join(","));
    let options = d::Options { allow_zero: true, ..d::Options::default() };
    let compiled = d::compile(&d::Source::script("test.d", &text), &world, &options);
    let program = compiled.program.unwrap_or_else(|| panic!("{:?}", compiled.diagnostics));
    let mut enabling = Enabling::new().unwrap();
    enabling.add(&d::dof::write(&program, &[]), || Ok(()), &mut || Ok(())).unwrap();
    assert_eq!(enabling.statements.len(), descriptions.len());
    enabling
}

fn table(segments: usize, functions: usize) -> ProbeTable<()> {
    let mut table = ProbeTable::new(1 << 20);
    for segment in 0..segments {
        let module = format!("m{segment}");
        let mut draft = Draft::new(0, [b"fbt", module.as_bytes()], functions, 0).unwrap();
        for n in 0..functions {
            let (function, how) = (format!("f{n}"), abi::probe::Techniques::empty());
            for name in [b"entry".as_slice(), b"return"] {
                let function = function.as_bytes();
                draft.add(&Offer { function, name, nargs: 0, cookie: 0, how }).unwrap();
            }
        }
        table.add(&draft, None, |_| None).unwrap();
    }
    table
}

#[test]
fn many_descriptions_find_what_each_finds_alone() {
    let table = table(5, 40);
    let texts = [
        "fbt:m1::",
        "fbt::f7:entry",
        "fbt::f7:",
        "fbt:m3:*9:return",
        "fbt::nothing:",
        "fbt:m9::",
        "fbt:::entry",
        "fbt::f?:",
        "fbt:m0:f0:entry",
        "fbt:m4:f39:return",
        "fbt:::",
        "fbt::f7:entry",
    ];
    let enabling = enabling(&texts.map(String::from));
    let patterns = || enabling.statements.iter().map(|s| &s.pattern);
    let mut wanted = Vec::new();
    for (n, pattern) in patterns().enumerate() {
        let one = |p: &mem::Arc<plan::probe::Probe<()>>| {
            wanted.push((p.id().0, n));
            Ok(true)
        };
        pattern.matcher().find(&table, 0, one).unwrap();
    }
    wanted.sort();
    assert!(wanted.len() > 800);
    let mut found = Vec::new();
    each(patterns(), &table, 0, Work::new(|| Ok(())), |p, which| {
        found.extend(which.map(|n| (p.id().0, n)));
        Ok(())
    })
    .unwrap();
    assert_eq!(found, wanted);
}

#[test]
fn a_caller_that_gives_up_ends_it() {
    let table = table(1, 10_000);
    let enabling = enabling(&vec!["fbt::*nothing*:".into(); 20]);
    let (mut asked, mut go_on) = (0, true);
    let mut compare = |go_on: &mut bool| {
        each(
            enabling.statements.iter().map(|s| &s.pattern),
            &table,
            0,
            Work::new(|| {
                asked += 1;
                if *go_on {
                    Ok(())
                } else {
                    Err(Error::NoSuch("caller"))
                }
            }),
            |_, _| Ok(()),
        )
    };
    compare(&mut go_on).unwrap();
    go_on = false;
    assert!(matches!(compare(&mut go_on), Err(Error::NoSuch("caller"))));
    assert!(asked > 10, "{asked}");
}

#[test]
fn too_many_comparisons_are_refused() {
    let table = table(2, 500);
    let compare = |text: &str, n| {
        let enabling = enabling(&vec![text.into(); n]);
        let patterns = enabling.statements.iter().map(|s| &s.pattern);
        each(patterns, &table, 0, Work::of(160_000, || Ok(())), |_, _| Ok(()))
    };
    assert!(compare("fbt::f*nothing*:", 70).is_ok());
    assert!(matches!(compare("fbt::f*nothing*:", 90), Err(Error::TooMany(_))));
    // A glob that can begin anywhere costs more, a name in the index next to nothing.
    assert!(matches!(compare("fbt::*nothing*:", 20), Err(Error::TooMany(_))));
    assert!(compare("fbt::f9:", 1000).is_ok());
}
