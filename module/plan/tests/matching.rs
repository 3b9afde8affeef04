// SPDX-License-Identifier: GPL-2.0
//! Many descriptions at once: they find what each finds alone, and others wait a bounded time.

use plan::enabling::Enabling;
use plan::matching::{each, Found, Matcher, Work};
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
        pattern.matcher().find(&table, 0, usize::MAX, one).unwrap();
    }
    wanted.sort();
    assert!(wanted.len() > 800);
    let mut found = Vec::new();
    each(patterns(), &table, 0, Work::new(|| Ok(())), |p, which| {
        found.extend(which.iter().map(|n| (p.id().0, *n)));
        Ok(())
    })
    .unwrap();
    assert_eq!(found, wanted);
}

/// Returns the ids of the probes that a description finds in searches of `most` comparisons, and the
/// number of searches.
fn found_by(table: &ProbeTable<()>, parts: [&str; 4], most: usize) -> (Vec<u32>, usize) {
    let matcher = Matcher::new(abi::ids::ProbeId::NONE, parts.map(str::as_bytes));
    let (mut found, mut from) = (Vec::new(), 0);
    for searches in 1.. {
        let each = |p: &mem::Arc<plan::probe::Probe<()>>| {
            found.push(p.id().0);
            Ok(true)
        };
        match matcher.find(table, from, most, each).unwrap() {
            Found::All(end) => {
                assert_eq!(end, table.end());
                return (found, searches);
            }
            Found::Some(next) => {
                assert!(next > from, "it gets on");
                from = next;
            }
        }
    }
    unreachable!()
}

#[test]
fn a_search_in_pieces_finds_the_same() {
    let table = table(20, 40);
    let set = format!("*[{}]", "0123456789".repeat(15));
    for parts in [["fbt", "", &set, ""], ["", "*[3x]", "f7", ""], ["", "", "", "entry"]] {
        let (all, once) = found_by(&table, parts, usize::MAX);
        assert!(!all.is_empty() && once == 1);
        for most in [1, 10, 1000] {
            let (found, searches) = found_by(&table, parts, most);
            assert_eq!(found, all, "{parts:?}, {most}");
            assert!(most > 10 || searches > 3, "{parts:?}, {most}: {searches}");
        }
    }
    // A long glob takes as many searches as it costs.
    let dear = found_by(&table, ["", "", &set, ""], 1000).1;
    assert!(dear > 10 * found_by(&table, ["", "", "f*", ""], 1000).1);
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

/// Returns the work of comparing one description with 2,000 probes, rounded up to a multiple of
/// 1,000 comparisons.
fn work_of(text: &str) -> usize {
    let table = table(2, 500);
    let enabling = enabling(&[text.into()]);
    let compare = |most| {
        let patterns = enabling.statements.iter().map(|s| &s.pattern);
        match each(patterns, &table, 0, Work::of(most, || Ok(())), |_, _| Ok(())) {
            Ok(()) => true,
            Err(Error::TooMany(_)) => false,
            Err(e) => panic!("{e:?}"),
        }
    };
    (0..).map(|n| 1000 * n).find(|most| compare(*most)).unwrap()
}

#[test]
fn a_comparison_costs_what_it_does() {
    // A name in the index costs next to nothing.
    assert_eq!(work_of("fbt::f9:"), 1000);
    assert_eq!(work_of("fbt:m1::"), 2000);
    assert_eq!(work_of("fbt:::"), 3000);
    let simple = work_of("fbt::g*nothing*:");
    assert_eq!(simple, 3000);
    // A glob that can begin anywhere, and a set, wherever they stand.
    let set = format!("[{}]", "0".repeat(50));
    assert!(work_of("fbt::*nothing*:") > simple);
    assert!(work_of(&format!("fbt::f{set}:")) > 5 * simple);
    assert!(work_of(&format!("fbt::*{set}x:")) > 20 * simple);
    assert!(work_of(&format!("fbt:::*[{}y]", "0".repeat(50))) > 20 * simple);
}

#[test]
fn sets_in_names_of_modules_count_for_each_segment() {
    let table = table(200, 1);
    let compare = |text: String| {
        let enabling = enabling(&vec![text; 100]);
        let patterns = enabling.statements.iter().map(|s| &s.pattern);
        each(patterns, &table, 0, Work::of(50_000, || Ok(())), |_, _| Ok(()))
    };
    assert!(compare("fbt:m*x::".into()).is_ok());
    assert!(matches!(compare(format!("fbt:*[{}]x::", "0".repeat(50))), Err(Error::TooMany(_))));
}
